"""Whether two texts under one title are versions of one document, or documents on different things that look alike."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from services.common.domain.months import MONTHS
from services.retrieval.domain.minhash import similarity
from services.retrieval.domain.plain import plain_text
from services.retrieval.domain.version_marks import strip_marks

# Share of word sequences that versions have in common (Jaccard, estimated by MinHash): a quarter of the sentences may
# be new.
_LARGELY_THE_SAME = 0.6

# What names a thing: codes with letters before their digits, capitalised words within a sentence, places and sites.
_CODE = re.compile(r"(?<![A-Za-z0-9])[A-Z]{1,6}[-./_ ]?\d[\dA-Za-z\-]*(?![A-Za-z0-9])")
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}(?![A-Za-z])")
_PLACE = re.compile(r"[\u4e00-\u9fff]{2}(?:省|市|县|区|镇|厂|站|矿|港|分公司|车间|项目部|医院|学校|门店)")
_NO_NAMES = frozenset({*MONTHS, "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})


def largely_the_same(one: bytes, other: bytes) -> bool:
    """True if two texts, by their MinHash signatures, have most of their wording in common."""
    return similarity(one, other) >= _LARGELY_THE_SAME


def same_thing(one: str, other: str) -> bool:
    """False if each of two texts names models, people, places or sites that the other does not.

    Two sites may keep one checklist word for word; neither puts the other out of force.
    """
    first, second = set(_named(one)), set(_named(other))
    return not (first - second and second - first)


def _named(text: str) -> Iterator[str]:
    folded = strip_marks(unicodedata.normalize("NFKC", plain_text(text)))
    yield from (re.sub(r"[\s\-./_]", "", match) for match in _CODE.findall(folded))
    yield from _PLACE.findall(folded)
    common = set(re.findall(r"(?<![A-Za-z])[a-z]{3,}", folded)) | _NO_NAMES
    yield from (name for name in _NAME.findall(folded) if name.lower() not in common)
