"""From bytes to text: UTF-8, UTF-16 with its mark, and the legacy Chinese and Western encodings."""

from __future__ import annotations

import re

from services.retrieval.domain.quality.rejection import DocumentRejected, Reason

_HAN_COMMON = frozenset(
    "的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么"
    "這國個來說們為時會對過學裡後麼條第法定本其他及或者應當公司規章資料機關理業務電話會議"
)
_ASCII = re.compile(r"[\x00-\x7f]")
# Characters of several bytes that must come out whole for each place that does not.
_WHOLE_FOR_A_BREAK = 8
_HAN_IN_WORD = re.compile("(?<=[A-Za-z])[\u4e00-\u9fff](?=[a-z])|(?<=[a-z]{3})[\u4e00-\u9fff](?![\u3400-\u9fff])")
_ACCENTS_FOR_ONE = 6
_UTF16_SAMPLE = 32_768
_LEAST_ZEROS = 0.01
_PLAUSIBLE = 0.3
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PRINTABLE_LATIN = re.compile(r"[A-Za-z0-9\s.,;:'\"()\-]")


def decode(content: bytes, path: str, declared: str = "") -> tuple[str, str]:
    """The text of ``content`` and the name of its encoding.

    UTF-16 by its mark or its zero bytes, UTF-8 if it is valid UTF-8, the declared encoding if one is declared, else
    whichever of GB18030, Big5 and Windows-1252 gives the more common characters. UTF-8 with a few broken bytes is read
    as UTF-8: each break becomes U+FFFD, which the health gate counts.

    Raises:
        DocumentRejected: NOT_TEXT if none of them fits, INCOMPLETE_FILE for UTF-8 that ends within a character.
    """
    for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if content.startswith(mark):
            return _strict(content, name, path), name
    unmarked = utf16_without_mark(content)
    if unmarked:
        return content.decode(unmarked), f"{unmarked} without a mark"
    try:
        return content.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        pass
    if declared:
        try:
            return content.decode(declared), declared.lower()
        except (LookupError, UnicodeDecodeError):
            pass
    damaged = _damaged_utf8(content)
    if damaged is not None:
        return damaged, "damaged UTF-8"
    best: tuple[float, str, str] | None = None
    for name in ("gb18030", "big5", "cp1252"):
        try:
            text = content.decode(name)
        except UnicodeDecodeError:
            continue
        score = _plausibility(text)
        if best is None or score > best[0]:
            best = (score, text, name)
    if best is None or best[0] < _PLAUSIBLE:
        raise DocumentRejected(
            Reason.NOT_TEXT, "the text is in no encoding that is read here (UTF-8, UTF-16, GB18030, Big5, "
            "Windows-1252); save it as UTF-8"
        )  # fmt: skip
    return best[1], best[2]


def utf16_without_mark(content: bytes) -> str:
    """The name of UTF-16's order of bytes if the bytes are text in it without its mark; empty if they are not.

    Line ends, blanks and Latin letters have a zero byte there, all of them at the same one of two places, which no
    other text has.
    """
    sample = content[: 2 * _UTF16_SAMPLE]
    if len(content) % 2 or b"\0" not in sample:
        return ""
    zeros = sample[0::2].count(0), sample[1::2].count(0)
    name = "utf-16-le" if zeros[1] > zeros[0] else "utf-16-be"
    if min(zeros) or max(zeros) < _LEAST_ZEROS * len(sample) / 2:
        return ""
    try:
        text = content.decode(name)
    except UnicodeDecodeError:
        return ""
    return name if _plausibility(text) >= _PLAUSIBLE and not _CONTROLS.search(text) else ""


def _damaged_utf8(content: bytes) -> str | None:
    """The text of UTF-8 that was cut or hurt in places; None if the bytes are rather another encoding.

    In another encoding nearly every byte above 127 is a break; in damaged UTF-8 whole characters far outnumber them.

    Raises:
        DocumentRejected: INCOMPLETE_FILE if the only break is at the end.
    """
    text = content.decode("utf-8", "replace")
    breaks = text.count("\ufffd") - content.count(b"\xef\xbf\xbd")
    whole = len(text) - breaks - len(_ASCII.findall(text))
    if whole < _WHOLE_FOR_A_BREAK * breaks:
        return None
    if breaks == 1 and text.endswith("\ufffd"):
        raise DocumentRejected(
            Reason.INCOMPLETE_FILE,
            f"the file ends within a UTF-8 character, after byte {len(content):,}: it was cut off; copy it again",
        )
    return text


def _strict(content: bytes, name: str, path: str) -> str:
    try:
        return content.decode(name)
    except UnicodeDecodeError as error:
        raise DocumentRejected(
            Reason.NOT_TEXT, f"not valid {name} at byte {error.start}; save the file as UTF-8"
        ) from None


def _plausibility(text: str) -> float:
    """Share of the characters that are common in running text: frequent Chinese ones, plain Latin ones."""
    sample = text[:20_000]
    han = [char for char in sample if "\u4e00" <= char <= "\u9fff"]
    latin = len(_PRINTABLE_LATIN.findall(sample))
    others = len(sample) - len(han) - latin
    punctuation = sum(char in "，。、；：？！“”‘’（）《》【】—…　" for char in sample)
    if not sample:
        return 0.0
    common = sum(char in _HAN_COMMON for char in han)
    # A Western letter with an accent and the one behind it look like a rare Chinese character within a word.
    lost = sum(char not in _HAN_COMMON for char in _HAN_IN_WORD.findall(sample))
    others += _ACCENTS_FOR_ONE * lost
    # Running Chinese has a quarter of its characters among the most common ones; wrong decodings have few.
    han_score = min(1.0, 4.0 * common / len(han)) if han else 0.0
    return (latin + punctuation + han_score * len(han) - 0.5 * max(0, others - punctuation)) / len(sample)


def encoding_warnings(encoding: str) -> tuple[str, ...]:
    """What the owner should know about how a text was decoded."""
    if encoding.startswith("utf") and " " not in encoding:
        return ()
    if encoding == "damaged UTF-8":
        return ("some bytes are no UTF-8 and became U+FFFD; the file is damaged, copy it again from its source",)
    return (f"decoded from {encoding}; save as UTF-8 to be sure",)
