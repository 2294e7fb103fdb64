"""Rows of collections beside the one in use, and what documents have of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, literal, select, true, update

from services.retrieval.adapters import catalogue_schema as t
from services.retrieval.domain.embedding import EmbedderIdentity
from services.retrieval.domain.ports import SideCollection


def sides_of(connection: Connection, name: str) -> list[SideCollection]:
    """The collections beside the one in use."""
    table = t.side_collections
    rows = connection.execute(select(table).where(table.c.knowledge_base == name)).all()
    return [
        SideCollection(
            row.knowledge_base,
            row.role,
            row.collection,
            EmbedderIdentity(row.embedder_name, row.embedder_revision, row.dimension, row.max_tokens),
            row.owner,
            row.started_at,
            row.updated_at,
            row.report,
        )
        for row in rows
    ]


def side_of(connection: Connection, name: str, role: str) -> SideCollection:
    """The one of a role, which is there."""
    return next(side for side in sides_of(connection, name) if side.role == role)


def update_of(name: str, role: str) -> Any:
    """An update of the one of a role."""
    table = t.side_collections
    return update(table).where(table.c.knowledge_base == name, table.c.role == role)


def update_exactly(side: SideCollection, owner: str) -> Any:
    """An update that comes to nothing if ``owner`` does not work on this very collection any more."""
    table = t.side_collections
    return update_of(side.knowledge_base, side.role).where(
        table.c.collection == side.collection, table.c.owner == owner
    )


def side_row(
    name: str, role: str, collection: str, embedder: EmbedderIdentity, now: float, owner: str
) -> dict[str, Any]:
    """The row of one on which ``owner`` begins to work; empty: nobody."""
    return {
        "knowledge_base": name,
        "role": role,
        "collection": collection,
        "embedder_name": embedder.name,
        "embedder_revision": embedder.revision,
        "dimension": embedder.dimension,
        "max_tokens": embedder.max_tokens,
        "owner": owner,
        "started_at": now,
        "updated_at": now,
        "closing_until": 0.0,
        "report": None,
    }


def used_values(side: SideCollection) -> dict[str, Any]:
    """What a knowledge base's row says once ``side`` is in use."""
    return {
        "collection": side.collection,
        "embedder_name": side.embedder.name,
        "embedder_revision": side.embedder.revision,
        "dimension": side.embedder.dimension,
        "max_tokens": side.embedder.max_tokens,
    }


def note_documents(connection: Connection, name: str, collection: str) -> None:
    """What the collection that leaves use holds: every document as it is now."""
    table = t.side_revisions
    documents = select(
        literal(collection), t.documents.c.revision, literal(name), t.documents.c.chunk_count, true()
    ).where(t.documents.c.knowledge_base == name)
    columns = ["collection", "revision", "knowledge_base", "chunk_count", "whole"]
    connection.execute(delete(table).where(table.c.collection == collection))
    connection.execute(insert(table).from_select(columns, documents))


def take_over_documents(connection: Connection, side: SideCollection, fingerprints: Mapping[str, str]) -> None:
    """Documents get the chunk counts of the collection that comes into use, and their fingerprints."""
    table, documents = t.side_revisions, t.documents
    count = (
        select(table.c.chunk_count)
        .where(table.c.collection == side.collection, table.c.revision == documents.c.revision)
        .scalar_subquery()
    )
    mine = documents.c.knowledge_base == side.knowledge_base
    connection.execute(update(documents).where(mine).values(chunk_count=count))
    connection.execute(delete(table).where(table.c.collection == side.collection))
    if fingerprints:
        connection.execute(
            update(documents)
            .where(mine, documents.c.document_id == bindparam("of_document"))
            .values(fingerprint=bindparam("renewed")),
            [{"of_document": key, "renewed": value} for key, value in fingerprints.items()],
        )
