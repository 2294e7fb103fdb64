"""What the given paths hold: files, JSONL of documents, the sidecar that describes each, and what is skipped."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cli.errors import UsageProblem
from cli.text_files import read_text
from services.common.yaml_source import YamlError, parse_yaml
from services.retrieval.domain.sidecar import Sidecar, SidecarError, parse_sidecar

SIDECAR_NAME = "meta.yaml"
JSONL_SUFFIXES = (".jsonl", ".ndjson")


@dataclass(frozen=True, slots=True)
class SidecarFile:
    """A sidecar and the folder that its globs count from."""

    path: Path
    sidecar: Sidecar

    def fields_for(self, file: Path, root: Path) -> dict[str, str]:
        """Metadata for a file: by its path below the sidecar's folder, or below ``root`` where it lies elsewhere."""
        absolute = _absolute(file)
        base = _absolute(self.path.parent)
        inside = absolute.relative_to(base) if absolute.is_relative_to(base) else file.relative_to(root)
        return self.sidecar.fields_for(inside.as_posix())


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to ingest. ``name`` is its path below the ingested folder, with ``/`` between the parts."""

    path: Path
    name: str
    fields: dict[str, str]

    @property
    def is_jsonl(self) -> bool:
        """True for a file of documents, one JSON object a line."""
        return self.path.suffix.lower() in JSONL_SUFFIXES

    @property
    def obstacle(self) -> str:
        """Why it cannot be read as a file, in words; opening a pipe would wait for its writer for ever."""
        if self.path.is_file():
            return ""
        if self.path.is_symlink() and not self.path.exists():
            return "is a link to something that does not exist; mend or delete the link"
        return "is a pipe, a socket or a device and no file; save its content as a file"


@dataclass(frozen=True, slots=True)
class Sources:
    """Everything found. ``hidden`` counts files whose name, or a folder's above them, starts with a dot."""

    files: tuple[SourceFile, ...]
    hidden: int
    sidecars: tuple[Path, ...]


def find_sources(paths: Sequence[Path], meta: Path | None = None) -> Sources:
    """The files of ``paths``, folders recursively and in order; symbolic links to folders are not followed.

    Without ``meta`` each path takes the nearest ``meta.yaml``: in the folder itself, else in the folders above
    up to the one that holds a version-control folder.

    Raises:
        UsageProblem: a path does not exist, a sidecar is malformed, there is nothing to ingest, or files of two
            folders would become one document.
    """
    files: dict[Path, SourceFile] = {}
    hidden = 0
    sidecars: dict[Path, SidecarFile] = {}
    given = _load(meta) if meta is not None else None
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise UsageProblem(f"{path}: there is no such file or folder")
        root = path if path.is_dir() else path.parent
        found, skipped = _walk(path) if path.is_dir() else ([path], 0)
        hidden += skipped
        for file in found:
            sidecar = given or _nearest(file.parent, root, sidecars)
            fields = sidecar.fields_for(file, root) if sidecar else {}
            files.setdefault(_absolute(file), SourceFile(file, _name(file, root), fields))
    if not files:
        named = ", ".join(str(path) for path in paths)
        raise UsageProblem(f"{named}: holds no file to ingest" + (f" ({hidden} hidden ones skipped)" if hidden else ""))
    used = (given.path,) if given else tuple(sorted(s.path for s in sidecars.values()))
    return Sources(tuple(_told_apart(files.values())), hidden, used)


def _told_apart(files: Iterable[SourceFile]) -> Iterator[SourceFile]:
    """The files with names of their own: a document's id comes from its name where no metadata gives one."""
    named: dict[str, SourceFile] = {}
    for file in files:
        other = named.setdefault(file.name, file)
        if other is file:
            yield file
        elif file.is_jsonl or file.fields.get("document_id"):
            yield replace(file, name=_printable(file.path))
        else:
            raise UsageProblem(
                f"{other.path} and {file.path} would be one document, named {file.name}; "
                "ingest a folder that holds both, or give each a document_id in a sidecar"
            )


def _walk(folder: Path) -> tuple[list[Path], int]:
    """Files in order, and the number of hidden ones; a sidecar is no document."""
    found: list[Path] = []
    hidden = 0
    for base, folders, names in os.walk(folder):
        below = Path(base)
        for name in [name for name in folders if name.startswith(".")]:
            hidden += sum(len(inner) for _, _, inner in os.walk(below / name))
            folders.remove(name)
        folders.sort()
        for name in sorted(names):
            if name.startswith("."):
                hidden += 1
            elif name != SIDECAR_NAME:
                found.append(below / name)
    return found, hidden


def _nearest(folder: Path, root: Path, known: dict[Path, SidecarFile]) -> SidecarFile | None:
    """The closest sidecar at or above ``folder``; ``known`` keeps those read already."""
    above_root = False
    current = _absolute(folder)
    top = _absolute(root)
    while True:
        candidate = current / SIDECAR_NAME
        if candidate in known:
            return known[candidate]
        if candidate.is_file():
            known[candidate] = _load(candidate)
            return known[candidate]
        above_root = above_root or current == top
        if current.parent == current or (above_root and (current / ".git").exists()):
            return None
        current = current.parent


def _load(path: Path) -> SidecarFile:
    text = read_text(path, "a readable sidecar file")
    try:
        content, _ = parse_yaml(text)
        return SidecarFile(path, parse_sidecar(content, name=str(path)))
    except SidecarError as error:
        raise UsageProblem(str(error)) from None
    except YamlError as error:
        raise UsageProblem(f"{path}:{error.line or 1}: is not YAML: {error}") from None


def _absolute(path: Path) -> Path:
    # Path.resolve() would follow a symbolic link out of the folder whose sidecar describes it.
    return Path(os.path.abspath(path))  # noqa: PTH100


def _name(file: Path, root: Path) -> str:
    return _printable(file.relative_to(root))


def _printable(path: Path) -> str:
    # A name in another encoding than UTF-8 cannot travel; its odd bytes become U+FFFD.
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")
