"""References to parts of documents (Article 17(2), 第三十二条, § 5, Section 4.2) and to standards (ISO 9001)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.values import numerals

_LEVELS = {
    "article": "article",
    "articles": "article",
    "art": "article",
    "arts": "article",
    "条": "article",
    "section": "section",
    "sections": "section",
    "sec": "section",
    "secs": "section",
    "§": "section",
    "§§": "section",
    "clause": "section",
    "cl": "section",
    "subsection": "section",
    "节": "section",
    "clauses": "section",
    "subsections": "section",
    "paragraph": "paragraph",
    "paragraphs": "paragraph",
    "para": "paragraph",
    "款": "paragraph",
    "chapter": "chapter",
    "chapters": "chapter",
    "ch": "chapter",
    "章": "chapter",
    "rule": "rule",
    "rules": "rule",
    "regulation": "rule",
    "requirement": "requirement",
    "requirements": "requirement",
    "control": "requirement",
    "annex": "annex",
    "appendix": "annex",
    "附件": "annex",
    "附录": "annex",
    "schedule": "annex",
    "table": "table",
    "表": "table",
    "figure": "figure",
    "fig": "figure",
    "图": "figure",
    "step": "step",
    "part": "part",
    "项": "item",
    "item": "item",
    "编": "part",
}
_WORDS = (
    r"articles?|arts?\.?|sections?|secs?\.?|subsections?|clauses?|cl\.|paragraphs?|para\.?|chapters?|ch\.|"
    r"rules?|requirements?|control|annex|appendix|schedule|table|figure|fig\.?"
)
_EN = Pattern(
    rf"(?:\b(?P<w>{_WORDS})(?:\s+|(?<=\.)|(?=\d))|(?P<s>§§?)\s*)"
    r"(?P<n>[A-Z]{0,2}-?\d+[A-Za-z]?(?:\.\d+)*|[A-Z](?![a-z])|[IVX]{1,5}(?![a-z]))"
    r"(?P<p>(?:\s?\([0-9a-zA-Z]{1,4}\))*)",
    re.IGNORECASE,
)
# Articles 13 and 14, Sections 4, 5 or 7.2: more numbers behind a plural.
_MORE = re.compile(
    r"\s?(?:,\s?(?:and|or)?|and|or|to|&|-)\s?(?P<n>\d+[A-Za-z]?(?:\.\d+)*)(?P<p>(?:\([0-9a-zA-Z]{1,4}\))*)(?![\d%]|,\d)",
    re.I,
)
_ZN = r"(?:\d+(?:\.\d+)*|[零〇一二三四五六七八九十百千]+)"
_ZH = Pattern(rf"第\s*(?P<n>{_ZN})\s*(?P<w>条|章|节|款|项|编)(?:之(?P<z>[一二三四五六七八九十]))?")
_ZH_BARE = Pattern(r"(?<![\d.第])(?<!第 )(?P<n>\d+(?:\.\d+)+)\s*(?P<w>条|款|节)(?![件文约目])")
_ZH_TABLE = Pattern(r"(?P<w>附件|附录|表|图)\s*(?P<n>\d+|[一二三四五六七八九十]+)(?![\d个张人])")
_LEADING = re.compile(r"^\s*(?P<n>\d+(?:\.\d+)+)\.?\s+(?=[A-Z\u4e00-\u9fff])")
_STANDARD = Pattern(
    r"(?<![A-Za-z0-9])(?P<body>ISO(?:/IEC)?|IEC|EN|DIN|GB/[TZ]|GB(?=[\s-]?\d{3})|IEEE|ASTM|ANSI|NIST(?:\s+SP)?|RFC|BS|"
    r"JIS|SAE|DO|MIL-STD|ETSI|ITU-T|UL|API|FIPS|CCAR|FAR|CS|OWASP|[A-Z]{2,3}/[TZ](?=\s?\d))"
    r"[\s-]*(?P<n>\d[A-Za-z0-9_./-]*(?:[:-]\d{4})?)"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference: ``level`` (article, section, ...) and ``path`` such as ``("17", "2")``."""

    level: str
    path: tuple[str, ...]
    start: int
    end: int

    def label(self) -> str:
        """A readable form: ``article 17(2)``."""
        return f"{self.level} {self.path[0]}" + "".join(f"({p})" for p in self.path[1:])


def find_references(text: str) -> list[Reference]:
    """Every reference in a normalised text, left to right; a chain 第十条第二款 is one reference."""
    found: list[Reference] = []
    taken: set[int] = set()
    for match in _STANDARD.finditer(text):
        name = re.sub(r"\s+", " ", match["body"]).upper()
        found.append(
            Reference("standard", (f"{name} {match['n'].rstrip('.-/')}".upper(),), match.start(), _trim(text, match))
        )
        taken.update(range(match.start(), match.end()))
    for match in _EN.finditer(text):
        if match.start() in taken:
            continue
        word = (match["w"] or match["s"]).lower().rstrip(".")
        path = _path(match)
        lettered = word in ("annex", "appendix", "schedule") and match["n"].isupper()  # but "to schedule a visit"
        if match["w"] and not any(c.isdigit() for c in match["n"]) and not lettered:
            continue
        found.append(Reference(_LEVELS[word], path, match.start(), match.end()))
        more = _MORE.match(text, match.end()) if word.endswith("s") or word == "§§" else None
        while more is not None:
            found.append(Reference(_LEVELS[word], _path(more), more.start("n"), more.end()))
            more = _MORE.match(text, more.end())
    found.extend(_chinese(text))
    found.sort(key=lambda reference: reference.start)
    return found


def _path(match: re.Match[str]) -> tuple[str, ...]:
    """The number and the marks in brackets behind it: 17(2)(a)."""
    return _split_number(match["n"]) + tuple(re.findall(r"\(([0-9a-zA-Z]+)\)", match["p"].lower()))


def leading_number(text: str) -> Reference | None:
    """The number that a passage starts with, as in ``4.2 Overtime pay``."""
    match = _LEADING.match(text)
    return Reference("section", (match["n"],), match.start("n"), match.end("n")) if match else None


def heads(text: str, reference: Reference) -> bool:
    """The reference opens a text as its heading or number; "Article 17 does not apply" only speaks of it."""
    return reference.start <= _OPENING and _SPOKEN_OF.match(text, reference.end) is None


# A heading mark and a space may stand before a provision that opens a line.
_OPENING = 4
_SPOKEN_OF = re.compile(
    r"\s*,|\s+(?:(?:also|only|thus|further|however)\s)?(?:do(?:es)?|is|are|was|were|has|have|had|shall|must|may|might|can"
    r"|could|will|would|should|need|appl(?:y|ies)|requires?|provides?|states?|says?|sets?|lays?|governs?|covers?|remains?"
    r"|refers?|defines?|allows?|permits?|prohibits?|gives?|grants?|contains?|deals?|concerns?|of|and|or|to|in|above|below"
    r"|thereof|hereof)\b"
    r"|(?:(?:之)?规定|中?所[称指列述规定]|的|不适用|适用于|不再|另有|明确|要求|和|与|及|、|或|至)"
)


def _trim(text: str, match: re.Match[str]) -> int:
    end = match.end()
    while text[end - 1] in ".-/":
        end -= 1
    return end


def _split_number(number: str) -> tuple[str, ...]:
    return (number.upper().rstrip("."),)


def _chinese(text: str) -> list[Reference]:
    found: list[Reference] = []
    for match in [*_ZH.finditer(text), *_ZH_BARE.finditer(text), *_ZH_TABLE.finditer(text)]:
        number = match["n"]
        if not number[0].isdigit():
            parsed = numerals.parse_chinese(number)
            if parsed is None:
                continue
            number = str(int(parsed.value))
        if "z" in match.groupdict() and match["z"]:
            number += f"-{match['z']}"
        level = _LEVELS[match["w"]]
        if found and found[-1].end == match.start() and level in ("paragraph", "item"):
            last = found.pop()
            found.append(Reference(last.level, (*last.path, number), last.start, match.end()))
            continue
        found.append(Reference(level, (number,), match.start(), match.end()))
    return found
