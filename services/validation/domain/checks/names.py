"""Identifiers match to the letter, and a fact stays with the item that the evidence gives it to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.common.domain.verdict import IssueType, Lock, RemedyKind
from services.validation.domain.analysis import Term
from services.validation.domain.case import Case, Finding, Reading
from services.validation.domain.checks import register
from services.validation.domain.reading.evidence import Passage, Unit
from services.validation.domain.reading.names import Name, shape
from services.validation.domain.reading.series import in_series
from services.validation.domain.reading.text import lower, normalise, stem
from services.validation.domain.values.binding import names_agree
from services.validation.domain.values.numerals import parse_chinese
from services.validation.domain.wording.align import EXACT, SYNONYM, TRANSLATION, Bag, covered, in_span, match

_GAIN = 0.25
_ENOUGH = 0.6


@register(
    "names",
    Lock.TRACEABILITY,
    sees="identifiers and numbered names that the cited evidence lacks; a fact told of one item that the"
    " evidence tells of another",
    blind="names without digits exchanged inside one sentence (roles does), names that differ only in case",
)
def check(case: Case) -> Iterator[Finding]:
    """Yield ENTITY_MISMATCH."""
    for reading in case.reworded:
        yield from _unknown(case, reading)
        yield from _misattributed(case, reading)
        yield from _beside_a_rival(case, reading)
        yield from _of_another_document(case, reading)


def _unknown(case: Case, reading: Reading) -> Iterator[Finding]:
    """Names that do not stand in the cited passages."""
    low = case.bags.cited(reading.cited).low
    documents = " ".join(
        lower(normalise(f"{p.chunk.document.document_id} {p.chunk.document.version}"))
        for p in map(case.passage, reading.cited)
    )
    present = [n for u in case.units(reading.cited) for n in u.analysis.names if n.strict]
    present += [n for c in reading.cited for n in case.passage(c).title.names if n.strict]
    for name in reading.analysis.names:
        if not name.strict or stands_in(name, low, present) or stands_in(name, documents, []):
            continue
        if _is_label(name) and _number_stands(name, f"{low} {documents}"):
            continue
        rivals = [n for n in present if shape(n) == shape(name)]
        if not rivals and _translated(case, reading, name):
            continue
        versioned = _is_label(name) and any(case.passage(c).chunk.document.version for c in reading.cited)
        if not rivals and (_asked(case, name) or (_refers_to_document(name) and not versioned)):
            continue
        expected = rivals[0].surface if rivals else ""
        yield Finding(
            IssueType.ENTITY_MISMATCH, reading.index,
            f"{name.surface} is not in the cited"
            f" evidence" + (f"; it speaks of {expected}" if expected else ""), RemedyKind.REGENERATE,
            span=(name.start, name.end), citation=reading.cited[0], found=name.surface, expected=expected,
        )  # fmt: skip


def stands_in(name: Name, low: str, present: Sequence[Name]) -> bool:
    """True if the name stands in a text, spaces and hyphens aside."""
    if any(n.key == name.key for n in present):
        return True
    characters = [re.escape(c) for c in name.key if not c.isspace()]
    pattern = r"(?<![a-z0-9])" + r"[-_/. ]?".join(characters) + r"(?![a-z0-9])"
    return re.search(pattern, low) is not None or (name.kind == "numbered" and in_series(name.key, low))


def _asked(case: Case, name: Name) -> bool:
    return any(n.key == name.key for n in case.question.analysis.names)


def _refers_to_document(name: Name) -> bool:
    return name.kind == "numbered" and name.key.split(" ")[0] in (
        "step",
        "no",
        "number",
        "version",
        "edition",
        "option",
        "part",
    )


def _translated(case: Case, reading: Reading, name: Name) -> bool:
    """A numbered name of the other language, of which the evidence has the number: class 3 for 三级."""
    bag = case.bags.cited(reading.cited)
    if name.kind != "numbered" or bag.han == reading.analysis.han:
        return False
    number = re.search(r"\d+", name.key)
    told = {int(n) for n in re.findall(r"\d+", bag.low)}
    spelt = (parse_chinese(n) for n in re.findall(r"[一二三四五六七八九十]+", bag.low))
    return number is None or int(number.group()) in told | {int(v.value) for v in spelt if v is not None}


# Words that only say what a number labels: "release 5.2" of what the source calls Gateway 5.2 or has as its version.
_LABELS = frozenset(map(stem, ("release", "version", "edition", "revision", "firmware", "build", "issue", "update")))


_SHORT_LABEL = re.compile(r"[vr]\.?(?P<n>\d+(?:\.\d+)*)", re.I)


def _is_label(name: Name) -> bool:
    return (name.kind == "numbered" and name.key.split(" ")[0] in _LABELS) or bool(_SHORT_LABEL.fullmatch(name.surface))


def _number_stands(name: Name, text: str) -> bool:
    """The number of a label stands in a text, as a number of its own or after a letter (v5.2, R5.2)."""
    short = _SHORT_LABEL.fullmatch(name.surface)
    number = re.escape(short["n"] if short else name.key.split(" ", 1)[1])
    return re.search(rf"(?<![\d.])(?:(?<![a-z])[a-z])?{number}(?!\.?\d)", text) is not None


def _of_another_document(case: Case, reading: Reading) -> Iterator[Finding]:
    """The cited passage is of a sister document (washing machine for dishwasher) that the statement does not name."""
    if case.question.compares or len(reading.cited) != 1:
        return
    cited = case.passage(reading.cited[0])
    asked, told = case.bags.said(case.question.analysis), case.bags.said(reading.analysis)
    for other in case.passages:
        if other is cited or other.chunk.document.document_id == cited.chunk.document.document_id:
            continue
        if case.timeline(case.as_of or case.today).supersedes(cited, other):
            continue  # a successor may be called otherwise
        mine = _only_in(cited, case.title_bag(other))
        theirs = _only_in(other, case.title_bag(cited))
        if not mine or not theirs or covered(cited.title.terms, case.title_bag(other)) < _SISTERS:
            continue
        across = case.question.analysis.han != cited.title.han
        near = TRANSLATION if across else SYNONYM
        wanted = [t for t in theirs if match(t, asked) >= near]
        spoken = [t for t in mine if match(t, asked) >= near or match(t, told) >= (near if across else EXACT)]
        spoken = spoken or [t for t in mine if t.word.han and match(t, asked) > 0]  # 借阅, asked as 借
        spoken_names = {n.key for n in (*reading.analysis.names, *case.question.analysis.names)}
        named = {n.key for n in cited.title.names if n.strict} & spoken_names
        text = case.bags.cited([cited.citation])
        if wanted and all(match(t, text) >= SYNONYM for t in wanted):
            continue  # the cited passage speaks of what is asked about, whatever its title leaves out
        if wanted and not spoken and not named and _subject_before(case, reading, mine):
            yield Finding(
                IssueType.ENTITY_MISMATCH, reading.index, f"[{cited.citation}] is about"
                f" {mine[0].word.surface}, the question about {wanted[0].word.surface}", RemedyKind.RETRIEVE_MISSING,
                citation=cited.citation, found=cited.chunk.document.title, expected=other.chunk.document.title,
                queries=(case.question.text,),
            )  # fmt: skip
            return


# Sister documents share this much of their titles.
_SISTERS, _SHARED = 0.4, 0.6


def _only_in(passage: Passage, other: Bag) -> list[Term]:
    """The words that the passage's title has and the other title lacks."""
    return [t for t in passage.title.terms if t.weight >= 1 and match(t, other) < _SHARED]


def _subject_before(case: Case, reading: Reading, words: Sequence[Term]) -> bool:
    """No statement before this one has turned to the sister document by name."""
    return not any(match(t, Bag.of([r.analysis])) == EXACT for r in case.readings[: reading.index] for t in words)


def _misattributed(case: Case, reading: Reading) -> Iterator[Finding]:
    """A clause about E4072 whose words stand in the sentence about E4027."""
    carried: list[Name] = []
    for start, end in reading.analysis.clauses:
        own = [n for n in reading.analysis.names if n.strict and start <= n.start < end]
        carried = own or carried
        terms = in_span(reading.analysis.terms, start, end)
        if not carried or not terms or (len(terms) < 2 and not (reading.analysis.han and terms[0].weight >= 1)):
            continue
        scored = [
            (covered(terms, bag), unit, names)
            for unit in case.units(reading.cited)
            for bag, names in _told_of(case, unit)
        ]
        ours = max((s for s, _, names in scored if names_agree(carried, names) >= 0), default=0.0)
        share, unit = max(
            ((s, u) for s, u, names in scored if names_agree(carried, names) < 0 and not _below_table(case, u)),
            key=lambda x: x[0],
            default=(0.0, None),
        )
        if unit is not None and share >= _ENOUGH and share >= ours + _GAIN:
            yield _attributed_to(reading, carried[-1], unit, (start, end))


def _told_of(case: Case, unit: Unit) -> list[tuple[Bag, Sequence[Name]]]:
    """What a unit says of which names: clause by clause where its clauses open with different ones."""
    strict = [n for n in unit.analysis.names if n.strict]
    whole: list[tuple[Bag, Sequence[Name]]] = [(case.bags.unit(unit), unit.names)]
    if unit.headers or len({n.key for n in strict}) < _SEVERAL:
        return whole
    parts: list[tuple[Bag, Sequence[Name]]] = []
    start = 0
    for end in [*(m.end() for m in _PART.finditer(unit.analysis.low)), len(unit.analysis.low)]:
        names = [n for n in strict if start <= n.start < end]
        if len(names) != 1:
            return whole
        parts.append((Bag.of([case.analyser.analyse(unit.analysis.text[start:end])]), names))
        start = end
    return parts if len(parts) > 1 else whole


_PART = re.compile("[；;]")


def _beside_a_rival(case: Case, reading: Reading) -> Iterator[Finding]:
    """One of several names exchanged: WO-5518 told with valve V-3.4, where the sentence about it has V-3.2.

    The sentence that carries the statement has a name of the same shape that the statement lacks, and shares another
    name with it; the sentences with the statement's own name carry it clearly less.
    """
    names = [n for n in reading.analysis.names if n.strict]
    keys = {n.key for n in names}
    if len(keys) < _SEVERAL:
        return
    terms = reading.analysis.terms
    scored = [
        (covered(terms, case.bags.unit(u)), u, {n.key: shape(n) for n in u.analysis.names if n.strict})
        for u in case.units(reading.cited)
    ]
    for name in names:
        own = max((share for share, _, theirs in scored if name.key in theirs), default=None)
        if own is None:
            continue
        for share, unit, theirs in scored:
            rivals = [k for k, form in theirs.items() if k not in keys and form == shape(name)]
            if not rivals or name.key in theirs or not theirs.keys() & keys:
                continue
            if share >= _ENOUGH and share >= own + _GAIN:
                yield _attributed_to(reading, name, unit, (name.start, name.end))
                return


_SEVERAL = 2


def _below_table(case: Case, unit: Unit) -> bool:
    """A sentence without a name that stands below a table speaks of the whole table, not of its last row."""
    if unit.headers or any(n.strict for n in unit.analysis.names):
        return False
    before = [u for u in case.passage(unit.citation).units if u.index < unit.index]
    named = next((u for u in reversed(before) if u.headers or any(n.strict for n in u.analysis.names)), None)
    return named is not None and bool(named.headers)


def _attributed_to(reading: Reading, name: Name, unit: Unit, span: tuple[int, int]) -> Finding:
    expected = ", ".join(n.surface for n in unit.names)
    return Finding(
        IssueType.ENTITY_MISMATCH, reading.index, f"the evidence tells this of {expected}, not of"
                                                  f" {name.surface}", RemedyKind.REGENERATE,
        span=span, citation=unit.citation, evidence=(unit.start, unit.end), found=name.surface, expected=expected,
    )  # fmt: skip
