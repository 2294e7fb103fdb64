"""Finds which stored documents have the title of those that are written and largely the same text. Blocking."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.versions.alike import title_key
from services.retrieval.domain.versions.likeness import Particulars, Relation, largely_the_same, particulars, relation
from services.retrieval.service.sources import Source

# Files of one title whose signatures are compared on either side of a document: the nearest by time.
_COMPARED = 64
# On either side, whose particulars are compared; and to how many it is linked, that the chain holds if some go.
_READ = 8
_LINKED = 4
# Texts whose particulars are kept, a few kilobytes each.
_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class _File:
    metadata: DocumentMetadata
    signature: bytes
    text: str | None  # None: in the catalogue


class Twins:
    """Links documents to their likes. Thread-safe; what a text is on is worked out once as long as it is kept."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._lock = Lock()
        self._kept: OrderedDict[str, Particulars] = OrderedDict()

    def linked(
        self,
        knowledge_base: str,
        sources: Mapping[str, Source],
        stored: Mapping[str, StoredDocument],
        removals: Collection[str] = (),
    ) -> dict[str, Source]:
        """``sources`` with what they are alike to, among themselves and among ``stored`` without ``removals``.

        Raises:
            Unavailable: the catalogue does not answer.
        """
        keys = {key: title_key(source.metadata) for key, source in sources.items()}
        wanted = set(keys.values()) - {""}
        groups = self._stored_files(knowledge_base, stored, wanted, {*sources, *removals}) if wanted else {}
        result = {}
        for key, source in sources.items():
            found: dict[Relation, list[tuple[str, str]]] = defaultdict(list)
            if keys[key]:
                mine, others = _File(source.metadata, source.signature, source.text), groups[keys[key]]
                for side in _sides(mine, others):
                    for other, what in self._likes(knowledge_base, mine, side):
                        found[what].append((other.metadata.document_id, other.metadata.checksum))
                others.append(mine)  # of two that come together the later one bears the link
            result[key] = _with_links(source, found[Relation.VERSIONS], found[Relation.UNCLEAR])
        return result

    def _likes(self, knowledge_base: str, mine: _File, side: Sequence[_File]) -> Iterator[tuple[_File, Relation]]:
        """The likes of a document among those to one side of it, the nearest first."""
        like = [
            other
            for other in side[:_COMPARED]
            if other.metadata.checksum != mine.metadata.checksum  # a duplicate, and no version
            and largely_the_same(mine.signature, other.signature)
        ]
        linked = 0
        for other in like[:_READ]:
            what = relation(self._particulars(knowledge_base, mine), self._particulars(knowledge_base, other))
            if what is not Relation.OTHER_THINGS:
                linked += 1
                yield other, what
            if linked == _LINKED:
                return

    def _stored_files(
        self,
        knowledge_base: str,
        stored: Mapping[str, StoredDocument],
        wanted: Collection[str],
        without: Collection[str],
    ) -> defaultdict[str, list[_File]]:
        """Stored documents by title key, with their signatures."""
        groups: defaultdict[str, list[DocumentMetadata]] = defaultdict(list)
        for document_id, document in stored.items():
            if document_id not in without and (key := title_key(document.metadata)) in wanted:
                groups[key].append(document.metadata)
        ids = [member.document_id for members in groups.values() for member in members]
        signatures = self._catalogue.signatures(knowledge_base, ids) if ids else {}
        found: defaultdict[str, list[_File]] = defaultdict(list)
        for key, members in groups.items():
            found[key] = [_File(member, signatures.get(member.document_id, b""), None) for member in members]
        return found

    def _particulars(self, knowledge_base: str, file: _File) -> Particulars:
        checksum = file.metadata.checksum
        with self._lock:
            kept = self._kept.get(checksum)
            if kept is not None:
                self._kept.move_to_end(checksum)
                return kept
        text = file.text
        if text is None:
            found = self._catalogue.text(knowledge_base, file.metadata.document_id)
            text = found.text if found else ""
        made = particulars(text)
        with self._lock:
            self._kept[checksum] = made
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return made


def _sides(mine: _File, others: Sequence[_File]) -> tuple[list[_File], list[_File]]:
    """Those modified before ``mine`` or with it, and those after, the nearest first."""
    time = mine.metadata.file_modified
    ordered = sorted(others, key=lambda other: (abs(other.metadata.file_modified - time), other.metadata.document_id))
    before = [other for other in ordered if other.metadata.file_modified <= time]
    return before, [other for other in ordered if other.metadata.file_modified > time]


def _with_links(source: Source, sure: Collection[tuple[str, str]], unsure: Collection[tuple[str, str]]) -> Source:
    alike, perhaps = tuple(sorted(sure)), tuple(sorted(unsure))
    metadata = source.metadata
    if (metadata.alike, metadata.perhaps_alike) == (alike, perhaps):
        return source
    return replace(source, metadata=replace(metadata, alike=alike, perhaps_alike=perhaps))
