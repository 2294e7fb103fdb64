"""Full stops that end an abbreviation, not a sentence."""

from __future__ import annotations

import re

from services.validation.domain.reading.citation_marks import CITATION


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ABBREVIATIONS = _words(
    "e.g i.e approx vs dr mr mrs ms prof ltd inc corp co art arts sec secs no nos fig figs eq ch chap para "
    "paras vol st jr sr cf etc al ed eds est dept u.s u.k u.n e.u a.m p.m ca resp incl excl max min jan feb "
    "mar apr jun jul aug sep sept oct nov dec rev ver app pp viz op ph.d m.sc b.sc cl reg regs subsec tel ext "
    "govt gen col lt sgt messrs mt ft hr hrs sq v bros"
)
# These may also close a sentence: they do when the next word starts with a capital letter.
_OPEN_ABBREVIATIONS = _words("etc al a.m p.m u.s u.k u.n e.u inc ltd co corp jr sr ft hr hrs incl ph.d min max v bros")
# In brackets before a year: (b. 1960), (d. 2001), (c. 1450).
_OF_LIFE = ("b", "d", "c", "r", "fl")
# Before a digit these introduce a numbered name; elsewhere "no." is the word "no".
_NUMBERED = _words("no nos fig figs art arts sec secs eq ch chap para paras vol cl reg regs ver rev pp")
_LAST_WORD = re.compile(r"[A-Za-z][A-Za-z.]*$")


def is_abbreviation(line: str, start: int, i: int, rest: str) -> bool:
    """The full stop at ``i`` of a sentence that begins at ``start`` ends an abbreviation; ``rest`` is what follows."""
    near = max(start, i - _LONGEST_ABBREVIATION)
    word = _LAST_WORD.search(line[near:i])
    if not word:
        # "1. Item" inside a line: a number alone at the start of a sentence is a marker, not a sentence.
        return i - start <= 8 and bool(re.fullmatch(r"\s*\d{1,3}", line[start:i])) and bool(rest)
    token = word.group().lower().rstrip(".")
    before = line[near : near + word.start()][-1:]
    if not rest or CITATION.match(rest):
        return False
    if len(token) == 1 and line[near : near + word.start()].rstrip()[-1:].isdigit():
        return False  # a unit: 12 V.
    if token in _NUMBERED and token not in ("rev", "ver"):
        return rest[:1].isdigit() or (token not in ("no",) and rest[:1] in "§IVXivx")
    if token in _OPEN_ABBREVIATIONS:
        return not (rest[:1].isupper() and _starts_sentence(rest))
    if token in _ABBREVIATIONS:
        return True
    if token in _OF_LIFE and before == "(":
        return rest[:1].isdigit()
    # Initials: "J. Smith", "the A.V. Club", "founded the F.A. when".
    dotted = "." in token and all(len(part) == 1 for part in token.split("."))
    if not (dotted or len(token) == 1) or not word.group().isupper() or before not in ("", " ", "(", '"'):
        return False
    return not _starts_sentence(rest) if rest[:1].isupper() else dotted and rest[:1].islower()


_LONGEST_ABBREVIATION = 16
_SENTENCE_STARTERS = _words(
    "the a an it its this that these those they he she we you i in on at for from by with after before when if "
    "while all each every no not there their both however therefore thus then also as otherwise only once "
    "until since"
)


def _starts_sentence(rest: str) -> bool:
    first = re.match(r"[A-Za-z]+", rest)
    return bool(first) and first.group().lower() in _SENTENCE_STARTERS  # type: ignore[union-attr]
