"""Near-duplicate detection by MinHash (Broder 1997) with one permutation per band slot."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

_PERMUTATIONS = 64
_BANDS = 16
_PRIME = np.uint64((1 << 61) - 1)
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_HAN = re.compile("[\u3400-\u9fff]")
_SHINGLE_WORDS = 4
_MAX_SHINGLES = 50_000

_rng = np.random.default_rng(20240229)
_A = _rng.integers(1, 1 << 31, _PERMUTATIONS, dtype=np.uint64)
_B = _rng.integers(0, 1 << 31, _PERMUTATIONS, dtype=np.uint64)


def signature(text: str) -> bytes:
    """MinHash signature of the word sequences of ``text``: 64 unsigned 32-bit numbers; empty for short texts."""
    hashes = _shingle_hashes(text)
    if hashes.size < 3:
        return b""
    minima = np.full(_PERMUTATIONS, np.iinfo(np.uint64).max, dtype=np.uint64)
    for start in range(0, hashes.size, 2048):
        part = hashes[start : start + 2048]
        permuted = (part[:, None] * _A[None, :] + _B[None, :]) % _PRIME
        minima = np.minimum(minima, permuted.min(axis=0))
    return (minima & np.uint64(0xFFFFFFFF)).astype("<u4").tobytes()


def similarity(a: bytes, b: bytes) -> float:
    """Estimated Jaccard similarity of two texts by their signatures, in [0, 1]; 0 if one is empty."""
    if not a or not b:
        return 0.0
    return float(np.mean(np.frombuffer(a, "<u4") == np.frombuffer(b, "<u4")))


def similar_pairs(signatures: Mapping[str, bytes], threshold: float) -> Iterator[tuple[str, str, float]]:
    """Pairs of keys at least ``threshold`` alike, found by locality-sensitive hashing in 16 bands of 4 rows."""
    buckets: dict[tuple[int, bytes], list[str]] = defaultdict(list)
    width = 4 * _PERMUTATIONS // _BANDS
    for key, value in sorted(signatures.items()):
        for band in range(_BANDS if value else 0):
            buckets[(band, value[band * width : (band + 1) * width])].append(key)
    seen: set[tuple[str, str]] = set()
    for members in buckets.values():
        for index, first in enumerate(members):
            for second in members[index + 1 :]:
                if (first, second) in seen:
                    continue
                seen.add((first, second))
                alike = similarity(signatures[first], signatures[second])
                if alike >= threshold:
                    yield first, second, alike


def _shingle_hashes(text: str) -> npt.NDArray[np.uint64]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    words: list[str] = []
    for word in _WORD.findall(folded):
        words.extend(word if _HAN.search(word) else [word])
    shingles = {" ".join(words[index : index + _SHINGLE_WORDS]) for index in range(len(words) - _SHINGLE_WORDS + 1)}
    chosen = sorted(shingles)[:_MAX_SHINGLES] if len(shingles) > _MAX_SHINGLES else shingles
    digests = (hashlib.blake2b(item.encode("utf-8", "surrogatepass"), digest_size=4).digest() for item in chosen)
    return np.array([int.from_bytes(digest, "big") for digest in digests], dtype=np.uint64)
