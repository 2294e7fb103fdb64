"""Archives as the files they hold, archives inside archives included. Blocking and lazy: one file at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from services.common.yaml_source import YamlError, parse_yaml
from services.retrieval.adapters.parsers.archives import Member, UnpackBudget, is_named, members
from services.retrieval.adapters.parsers.registry import archive_of, check_archive_content
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason
from services.retrieval.domain.sidecar import Sidecar, parse_sidecar
from services.retrieval.service.items import BrokenItem, FileItem

SIDECAR_NAME = "meta.yaml"


def unpack(item: FileItem, config: IngestConfig) -> Iterator[FileItem | BrokenItem]:
    """The files of an archive, named by the archive's path and their own.

    Metadata comes from the nearest ``meta.yaml`` at or above a file inside its archive, as in folders, over what the
    archive itself was given; a ``document_id`` of the archive cannot be that of every file and is left out. An archive
    with a ``meta.yaml`` that cannot be used is refused whole: its files may be restricted.
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
        sidecars = _sidecars(item, config)
        empty = True
        for member in members(item.content, item.path, budget):
            if is_named(member.path, SIDECAR_NAME):
                continue
            empty = False
            yield from _member(item, member, {**shared, **_fields(member.path, sidecars)}, config, budget, depth)
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


def _fields(path: str, sidecars: Mapping[str, Sidecar]) -> dict[str, str]:
    """What the nearest sidecar says of the file; only that one counts, and its globs count from its folder."""
    folder = path.rpartition("/")[0]
    while folder and folder not in sidecars:
        folder = folder.rpartition("/")[0]
    nearest = sidecars.get(folder, Sidecar())
    return nearest.fields_for(path[len(folder) :].removeprefix("/"))


def _sidecars(item: FileItem, config: IngestConfig) -> dict[str, Sidecar]:
    """The archive's sidecars by their folder, "" for its top.

    Raises:
        DocumentRejected: INVALID_METADATA if one cannot be used, or the archive is damaged.
    """
    # Looked for in a pass of its own, for a TAR has its files in any order. One that is damaged is refused whole:
    # files without their access groups must not get in.
    budget = UnpackBudget(config.limits, len(item.content))
    found: dict[str, Sidecar] = {}
    for member in members(item.content, item.path, budget, only=SIDECAR_NAME):
        folder = member.path.rpartition("/")[0]
        if folder in found:
            raise _unusable(member.path, "the archive holds it more than once; pack the one that is meant")
        found[folder] = _parsed(member)
    return found


def _parsed(member: Member) -> Sidecar:
    if member.problem is not None:
        raise _unusable(member.path, member.problem.message)
    try:
        return parse_sidecar(parse_yaml(member.content.decode("utf-8-sig"))[0], name=member.path)
    except YamlError as error:
        place = f"line {error.line}: " if error.line else ""
        raise _unusable(member.path, f"{place}{error}; correct it and pack the archive again") from None
    except ValueError as error:  # no UTF-8, or the sidecar's own
        raise _unusable(member.path, f"{error}; correct it and pack the archive again") from None


def _unusable(path: str, problem: str) -> DocumentRejected:
    return DocumentRejected(
        Reason.INVALID_METADATA, f"the archive's {path} cannot be used, so none of its files is stored: {problem}"
    )
