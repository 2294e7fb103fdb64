"""Finds which stored documents have the title of those that are written and largely the same text. Blocking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from services.common.domain.document import DocumentMetadata
from services.retrieval.adapters.catalogue import Catalogue
from services.retrieval.domain.documents import StoredDocument
from services.retrieval.domain.families import title_key
from services.retrieval.domain.likeness import largely_the_same, same_thing
from services.retrieval.domain.minhash import signature
from services.retrieval.service.sources import Source

# Files of one title that a document is compared with, those modified last first.
_COMPARED = 64


@dataclass(frozen=True, slots=True)
class _Text:
    metadata: DocumentMetadata
    signature: bytes
    text: str | None  # None: in the catalogue


def with_twins(
    catalogue: Catalogue,
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
    if not wanted:
        return {key: _alike_to(source, ()) for key, source in sources.items()}
    groups = _stored_texts(catalogue, knowledge_base, stored, wanted, {*sources, *removals})
    result = {}
    for key, source in sources.items():
        links = []
        if keys[key]:
            mine = _Text(source.metadata, signature(source.text), source.text)
            others = groups[keys[key]]
            links = [
                (other.metadata.document_id, other.metadata.checksum)
                for other in others
                if _alike(catalogue, knowledge_base, mine, other)
            ]
            others.append(mine)  # of two that come together the later one bears the link
        result[key] = _alike_to(source, links)
    return result


def _stored_texts(
    catalogue: Catalogue,
    knowledge_base: str,
    stored: Mapping[str, StoredDocument],
    wanted: Collection[str],
    without: Collection[str],
) -> defaultdict[str, list[_Text]]:
    """Stored documents by title key, with their signatures."""
    groups: defaultdict[str, list[DocumentMetadata]] = defaultdict(list)
    for document_id, document in stored.items():
        if document_id not in without and (key := title_key(document.metadata)) in wanted:
            groups[key].append(document.metadata)
    latest = {
        key: sorted(members, key=lambda member: -member.file_modified)[:_COMPARED] for key, members in groups.items()
    }
    ids = [member.document_id for members in latest.values() for member in members]
    signatures = catalogue.signatures(knowledge_base, ids) if ids else {}
    found: defaultdict[str, list[_Text]] = defaultdict(list)
    for key, members in latest.items():
        found[key] = [_Text(member, signatures.get(member.document_id, b""), None) for member in members]
    return found


def _alike(catalogue: Catalogue, knowledge_base: str, one: _Text, other: _Text) -> bool:
    same = one.metadata.checksum == other.metadata.checksum  # a duplicate, and no version
    if same or not largely_the_same(one.signature, other.signature):
        return False
    return same_thing(*(_text_of(catalogue, knowledge_base, item) for item in (one, other)))


def _text_of(catalogue: Catalogue, knowledge_base: str, item: _Text) -> str:
    if item.text is not None:
        return item.text
    found = catalogue.text(knowledge_base, item.metadata.document_id)
    return found.text if found else ""


def _alike_to(source: Source, found: Collection[tuple[str, str]]) -> Source:
    links = tuple(sorted(found))
    if source.metadata.alike == links:
        return source
    return replace(source, metadata=replace(source.metadata, alike=links))
