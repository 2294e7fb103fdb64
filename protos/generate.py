"""Generates Python code, type stubs and a descriptor image from the contracts in this folder.

Used by ``make protos`` and by the build hook, so that an installation never lacks or carries stale stubs.
"""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path

PROTO_ROOT = Path(__file__).resolve().parent
IMAGE_NAME = "image.binpb"


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


def generate(output: Path, proto_root: Path = PROTO_ROOT) -> Path:
    """Generates everything into ``output`` and returns the path of the descriptor image.

    Raises:
        GenerationError: if protoc reports an error (it has printed it to stderr).
    """
    from grpc_tools import protoc

    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    sources = sorted(str(p) for p in proto_root.rglob("*.proto"))
    image = output / IMAGE_NAME
    arguments = [
        "protoc",
        f"-I{proto_root}",
        *(f"-I{p}" for p in include_paths()),
        "--include_imports",
        "--include_source_info",
        f"--descriptor_set_out={image}",
        f"--python_out={output}",
        f"--grpc_python_out={output}",
    ]
    plugins = _mypy_plugins()
    if len(plugins) == 2:
        arguments += [*plugins, f"--mypy_out={output}", f"--mypy_grpc_out=async_only:{output}"]
    if protoc.main([*arguments, *sources]) != 0:
        raise GenerationError("protoc refused the contracts; its message stands above")
    (output / "trirag" / "py.typed").touch()
    return image


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PROTO_ROOT.parent / "gen"
    print(f"generated {generate(target)}")
