"""One file per outside thing: YAML packs, spaCy, jieba, gazetteers, file watching."""

from services.perception.adapters.lean_imports import import_lean

import_lean()
