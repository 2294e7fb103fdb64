"""Headings that a format does not mark as such but the genre shows: Article 17, CHAPTER III, 第三章."""

from __future__ import annotations

import re

_ROMAN = r"[IVXLC]{1,7}"
_NUMBER = rf"(?:\d{{1,4}}[a-z]?|{_ROMAN})"
_CHINESE = r"[一二三四五六七八九十百零〇\d]{1,6}"
_LEVELS: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(rf"(?:PART|Part|TITLE|Title)\s+{_NUMBER}|第{_CHINESE}编.{{0,40}}"), 1),
    (
        re.compile(rf"(?:CHAPTER|Chapter|ANNEX|Annex|APPENDIX|Appendix)\s+(?:{_NUMBER}|[A-Z])|第{_CHINESE}章.{{0,40}}"),
        2,
    ),
    (re.compile(rf"(?:SECTION|Section|Sec\.)\s+{_NUMBER}|第{_CHINESE}节.{{0,40}}"), 3),
    (re.compile(rf"(?:ARTICLE|Article|Art\.)\s+{_NUMBER}"), 4),
)
_SENTENCE_END = re.compile(r"[.;:,。；：，!?！？]$")
_TITLE_CHARACTERS = 120
_MARKS = ("#", "|", "-", "*", ">", "```", "1.")


def promote_headings(markdown: str) -> str:
    """``markdown`` with paragraphs that are nothing but such a line made headings.

    A short paragraph after it that is no sentence is taken as its title: ``#### Article 17 Right to erasure``.
    """
    blocks = re.split(r"\n{2,}", markdown)
    result: list[str] = []
    index = 0
    while index < len(blocks):
        level = _level(blocks[index])
        if not level:
            result.append(blocks[index])
            index += 1
            continue
        title = re.sub(r"\s+", " ", blocks[index].strip(" *_"))
        following = blocks[index + 1] if index + 1 < len(blocks) else ""
        if _is_title(following):
            title = f"{title} {re.sub(chr(10), ' ', following).strip(' *_')}"
            index += 1
        result.append(f"{'#' * level} {title}")
        index += 1
    return "\n\n".join(result)


def _level(block: str) -> int:
    text = block.strip().strip("*_").strip()
    if not text or len(text) > _TITLE_CHARACTERS or text.startswith(_MARKS):
        return 0
    for pattern, level in _LEVELS:
        if pattern.fullmatch(re.sub(r"\s+", " ", text)):
            return level
    return 0


def _is_title(block: str) -> bool:
    text = block.strip()
    if not text or len(text) > _TITLE_CHARACTERS or text.startswith(_MARKS) or _level(block):
        return False
    return not _SENTENCE_END.search(text) and not re.match(r"[\d(（]", text)
