"""YAML that remembers its lines, so that an error in a file can name the place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import yaml


class YamlError(ValueError):
    """The text is not YAML; ``line`` counts from 1, 0 if unknown."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def parse_yaml(text: str) -> tuple[Any, dict[tuple[str | int, ...], int]]:
    """The values, and the line (from 1) of every path such as ``("routes", 0, "when")``.

    Raises:
        YamlError: the text is not YAML, or a key stands twice.
    """
    lines: dict[tuple[str | int, ...], int] = {}
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        if node is not None:
            _walk(node, (), lines)
        return yaml.safe_load(text), lines
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlError(error.problem or str(error), mark.line + 1 if mark else 0) from None
    except yaml.YAMLError as error:
        raise YamlError(str(error).splitlines()[0], 0) from None


def line_of(lines: dict[tuple[str | int, ...], int], path: Sequence[str | int]) -> int:
    """Line of a path, or of the nearest part of it that exists; 0 if there is none."""
    for length in range(len(path), -1, -1):
        found = lines.get(tuple(path[:length]))
        if found is not None:
            return found
    return 0


def dotted(path: Sequence[str | int]) -> str:
    """``routes[2].when`` for ("routes", 2, "when")."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else (f".{part}" if text else part)
    return text


def _walk(node: yaml.Node, path: tuple[str | int, ...], lines: dict[tuple[str | int, ...], int]) -> None:
    lines[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                raise YamlError(f"the key {name!r} stands twice", key.start_mark.line + 1)
            seen.add(name)
            _walk(value, (*path, name), lines)
            lines[(*path, name)] = key.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            _walk(value, (*path, index), lines)
