"""Known names (packs, gazetteer) found in a text in time independent of how many names there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from services.perception.domain.rules import KnownName
from services.perception.domain.text import NormalisedText, is_cjk, normalise

_KEY = 2


@dataclass(frozen=True, slots=True)
class FoundName:
    """A known name at characters ``start`` to ``end`` (exclusive) of the normalised text."""

    name: KnownName
    start: int
    end: int


class NameIndex:
    """Names by their first characters; a position is compared only with names that begin like it."""

    def __init__(self, names: Iterable[KnownName], traditional: Mapping[str, str] | None = None) -> None:
        by_key: dict[str, dict[str, KnownName]] = {}
        for name in names:
            text = _folded(normalise(name.name, traditional).text)
            if len(text) >= _KEY:
                by_key.setdefault(text[:_KEY], {}).setdefault(text, name)
        self._by_key = {
            key: sorted(members.items(), key=lambda item: (-len(item[0]), item[0])) for key, members in by_key.items()
        }

    def find(self, text: NormalisedText) -> list[FoundName]:
        """Known names in ``text``, the longest at each place, none inside another."""
        folded = _folded(text.text)
        found: list[FoundName] = []
        at = 0
        while at < len(folded) - 1:
            hit = self._at(folded, text.text, at) if folded[at : at + _KEY] in self._by_key else None
            if hit is None:
                at += 1
                continue
            found.append(hit)
            at = hit.end
        return found

    def _at(self, folded: str, text: str, at: int) -> FoundName | None:
        if not _boundary(text, at):
            return None
        for spelling, name in self._by_key[folded[at : at + _KEY]]:
            end = at + len(spelling)
            if folded.startswith(spelling, at) and _boundary(text, end) and _case_fits(name, text[at:end]):
                return FoundName(name, at, end)
        return None


def _folded(text: str) -> str:
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else text


def _boundary(text: str, at: int) -> bool:
    """No Latin word or number may be cut; Chinese has no blanks to tell words apart."""
    if at in (0, len(text)):
        return True
    before, after = text[at - 1], text[at]
    if is_cjk(before) or is_cjk(after):
        return True
    return not (before.isalnum() and after.isalnum())


def _case_fits(name: KnownName, found: str) -> bool:
    """A name that is also a common word (``WHO``, ``Target``) is only meant when written the same way."""
    return not name.case or found == name.name
