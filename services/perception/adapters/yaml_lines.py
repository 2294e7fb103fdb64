"""YAML with the line of every value, for rule packs.

Apart from ``services.common.yaml_source`` because packs are large (the C parser reads them ten times as fast) and
full of words: ``on``, ``off``, ``yes`` and ``no`` must stay words.
"""

from __future__ import annotations

import re
from typing import Any

import yaml

Path = tuple[str | int, ...]

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_Base):  # type: ignore[misc]
    """YAML 1.1 in which only ``true`` and ``false`` are booleans."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in _Base.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])


class DuplicateKeyError(yaml.MarkedYAMLError):
    """A mapping names a key twice; plain YAML loading would silently keep the last."""


class AliasError(yaml.MarkedYAMLError):
    """A value is named again by an alias; a few lines of aliases can stand for more than any memory holds."""


def load(text: str) -> tuple[Any, dict[Path, int]]:
    """The data of a YAML document, and the 1-based line of every path in it.

    Raises:
        yaml.YAMLError: for text that is not YAML, or a mapping with a key twice.
    """
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None, {}
        lines: dict[Path, int] = {}
        _walk(node, (), lines, set())
        return loader.construct_document(node), lines
    finally:
        loader.dispose()


def _walk(node: yaml.Node, path: Path, lines: dict[Path, int], seen_nodes: set[int]) -> None:
    if id(node) in seen_nodes:
        raise AliasError(problem="aliases (*name) are not read: write it out", problem_mark=node.start_mark)
    seen_nodes.add(id(node))
    lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                raise DuplicateKeyError(problem=f"key {key.value!r} appears twice", problem_mark=key.start_mark)
            seen.add(key.value)
            _walk(value, (*path, key.value), lines, seen_nodes)
            lines[(*path, key.value)] = key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _walk(item, (*path, index), lines, seen_nodes)
