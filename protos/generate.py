"""Generates Python code, type stubs and a descriptor image from the contracts in this folder.

Used by ``make protos`` and by the build hook, so that an installation never lacks or carries stale stubs.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

PROTO_ROOT = Path(__file__).resolve().parent
IMAGE_NAME = "image.binpb"
#: Details attached to errors: the JSON transcoder prints only those whose types are in the image.
ERROR_DETAIL_PROTOS = ("google/rpc/status.proto", "google/rpc/error_details.proto")


class GenerationError(RuntimeError):
    """protoc refused the contracts."""


def include_paths() -> list[Path]:
    """Folders that hold google/protobuf (grpcio-tools) and google/api, google/rpc, google/type."""
    import google.api
    import grpc_tools

    well_known = Path(grpc_tools.__file__).parent / "_proto"
    common_protos = Path(next(iter(google.api.__path__))).parent.parent
    return [well_known, common_protos]


def _mypy_plugins() -> list[str]:
    """protoc plugin arguments for the type-stub generators that are installed beside this Python."""
    folders = [Path(sysconfig.get_path("scripts")), *map(Path, sys.path)]
    found = []
    for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc"):
        candidates = [f / name for f in folders] + [Path(shutil.which(name) or "/nonexistent")]
        plugin = next((c for c in candidates if c.is_file()), None)
        if plugin is not None:
            found.append(f"--plugin={name}={plugin}")
    return found


def build_image(image: Path, proto_root: Path = PROTO_ROOT) -> None:
    """Writes the descriptor image (with imports and source info) for buf and for Envoy's JSON transcoder.

    Raises:
        GenerationError: if protoc reports an error (it has printed it to stderr).
    """
    options = ["--include_imports", "--include_source_info", f"--descriptor_set_out={image}"]
    _protoc(proto_root, [*options, *_contracts(proto_root), *ERROR_DETAIL_PROTOS])


def generate(output: Path, proto_root: Path = PROTO_ROOT) -> Path:
    """Generates everything into ``output`` and returns the path of the descriptor image.

    Raises:
        GenerationError: if protoc reports an error (it has printed it to stderr).
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=output.parent))
    try:
        options = [f"--python_out={fresh}", f"--grpc_python_out={fresh}"]
        plugins = _mypy_plugins()
        if len(plugins) == 2:
            options += [*plugins, f"--mypy_out=quiet:{fresh}", f"--mypy_grpc_out=quiet,async_only:{fresh}"]
        _protoc(proto_root, [*options, *_contracts(proto_root)])
        build_image(fresh / IMAGE_NAME, proto_root)
        (fresh / "trirag" / "py.typed").touch()
        fresh.chmod(0o755)
        # Swapped in whole: whoever imports meanwhile sees the old tree or the new one, never half of one.
        stale = fresh.with_name(fresh.name + "-stale")
        if output.exists():
            output.rename(stale)
        fresh.rename(output)
        shutil.rmtree(stale, ignore_errors=True)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return output / IMAGE_NAME


def _contracts(proto_root: Path) -> list[str]:
    return sorted(str(p) for p in proto_root.rglob("*.proto"))


def _protoc(proto_root: Path, arguments: list[str]) -> None:
    from grpc_tools import protoc

    includes = [f"-I{proto_root}", *(f"-I{p}" for p in include_paths())]
    if protoc.main(["protoc", *includes, *arguments]) != 0:
        raise GenerationError("protoc refused the contracts; its message stands above")


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PROTO_ROOT.parent / "gen"
    print(f"generated {generate(target)}")
