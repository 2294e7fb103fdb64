"""Archives as the files they hold, archives inside archives included. Blocking and lazy: one file at a time."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from services.retrieval.adapters.parsers.archives import Member, UnpackBudget, members
from services.retrieval.adapters.parsers.registry import archive_of, check_archive_content
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.rejection import DocumentRejected, Reason
from services.retrieval.domain.sidecar import Sidecar, SidecarError, parse_sidecar
from services.retrieval.service.items import BrokenItem, FileItem

SIDECAR_NAME = "meta.yaml"


def unpack(item: FileItem, config: IngestConfig) -> Iterator[FileItem | BrokenItem]:
    """The files of an archive, named by the archive's path and their own.

    Metadata comes from the ``meta.yaml`` at the top of the archive, over what the archive itself was given; a
    ``document_id`` of the archive cannot be that of every file and is left out.
    """
    budget = UnpackBudget(config.limits, len(item.content))
    yield from _unpack(item, config, budget, depth=1)


def _unpack(item: FileItem, config: IngestConfig, budget: UnpackBudget, depth: int) -> Iterator[FileItem | BrokenItem]:
    shared = {name: value for name, value in item.fields.items() if name != "document_id"}
    try:
        if depth > config.limits.archive_depth:
            raise DocumentRejected(
                Reason.ARCHIVE_BOMB,
                f"archives are nested more than {config.limits.archive_depth} deep; unpack it and ingest the folder",
            )
        check_archive_content(item.content, item.path)
        sidecar = _sidecar(item, config)
        empty = True
        for member in members(item.content, item.path, budget):
            if member.path == SIDECAR_NAME:
                continue
            empty = False
            yield from _member(item, member, {**shared, **sidecar.fields_for(member.path)}, config, budget, depth)
        if empty:
            raise DocumentRejected(Reason.EMPTY_FILE, "the archive holds no file to ingest; hidden ones do not count")
    except DocumentRejected as rejection:
        yield BrokenItem(item.path, rejection, item.fields)


def _member(
    item: FileItem, member: Member, fields: dict[str, str], config: IngestConfig, budget: UnpackBudget, depth: int
) -> Iterator[FileItem | BrokenItem]:
    path = f"{item.path}/{member.path}"
    if member.problem is not None:
        yield BrokenItem(path, member.problem, fields)
        return
    file = FileItem(path, member.content, fields, member.modified)
    if archive_of(path) is None:
        yield file
    else:
        yield from _unpack(file, config, budget, depth + 1)


def _sidecar(item: FileItem, config: IngestConfig) -> Sidecar:
    """The archive's own sidecar, empty if it has none."""
    # Looked for in a pass of its own, for a TAR has its files in any order. One that is damaged before the sidecar was
    # found is refused whole: files without their access groups must not get in.
    budget = UnpackBudget(config.limits, len(item.content))
    found = next(members(item.content, item.path, budget, only=SIDECAR_NAME), None)
    if found is None or found.problem is not None:
        return Sidecar()
    try:
        return parse_sidecar(yaml.safe_load(found.content.decode("utf-8-sig")), name=f"{item.path}/{SIDECAR_NAME}")
    except (SidecarError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise DocumentRejected(
            Reason.INVALID_METADATA, f"the archive's {SIDECAR_NAME} cannot be used: {' '.join(str(error).split())}"
        ) from None
