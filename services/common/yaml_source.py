"""The one reader of YAML: it remembers lines, so that an error can name the place, and never drops a value unsaid."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import yaml

YamlPath = tuple[str | int, ...]

# Characters that aliases (*name) may repeat, and how many more for each character of the text: enough to name a list
# of groups in every line; a few lines of aliases of aliases would stand for more than any memory holds.
_MOST_REPEATED, _MORE_REPEATED = 100_000, 10
# Levels of lists and mappings in one another; nothing that is read here has ten.
_DEEPEST = 64
_TOO_DEEP = f"more than {_DEEPEST} lists and mappings stand in one another; write it flatter"

# The C parser reads a rule pack ten times as fast, and takes a "?" inside a list that the Python one does not.
if not yaml.__with_libyaml__:
    raise ImportError("PyYAML was built without libyaml; install its wheel: pip install --only-binary :all: pyyaml")
_Base: Any = yaml.CSafeLoader


class YamlError(ValueError):
    """The text is not YAML; ``line`` counts from 1, 0 if unknown."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class _Loader(_Base):  # type: ignore[misc]
    """YAML 1.1 in which only ``true`` and ``false`` are booleans: ``on``, ``off``, ``yes`` and ``no`` are words."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """The value of a node; one that looks like a date or number and is none is an error with its line."""
        try:
            return super().construct_object(node, deep=deep)
        except YamlError:
            raise
        except (ValueError, AttributeError, ArithmeticError) as error:
            said = f"{str(node.value)[:40]!r} cannot be read ({error}); if it is text, put it in quotes"
            raise YamlError(said, node.start_mark.line + 1) from None


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:bool"]
    for first, resolvers in _Base.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), ["t", "f"])


def parse_yaml(text: str, *, aliases: bool = True) -> tuple[Any, dict[YamlPath, int]]:
    """The values, and the line (from 1) of every path such as ``("routes", 0, "when")``.

    ``aliases`` False refuses what names a value again (``*name``).

    Raises:
        YamlError: the text is not YAML, a key stands twice, aliases repeat too much, or a date or number is none.
    """
    try:
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None, {}
            lines = _Lines(_MOST_REPEATED + _MORE_REPEATED * len(text) if aliases else 0)
            lines.walk(node, (), aliased=False)
            return loader.construct_document(node), lines.found
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part) or str(error)
        # The end of the text is told as the line behind its last one.
        raise YamlError(said, min(mark.line + 1, len(text.splitlines())) if mark else 0) from None
    except yaml.YAMLError as error:
        raise YamlError(str(error).splitlines()[0], 0) from None
    except RecursionError:  # only the parser in Python, where there is none in C
        raise YamlError(_TOO_DEEP, 0) from None
    except UnicodeEncodeError as error:
        raise YamlError(f"half a character: {error.reason}", 0) from None


def line_of(lines: dict[YamlPath, int], path: Sequence[str | int]) -> int:
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


class _Lines:
    """Goes through the nodes of a document before they become values."""

    def __init__(self, repeated: int) -> None:
        self.found: dict[YamlPath, int] = {}
        self._seen: set[int] = set()
        self._most = repeated
        self._left = repeated

    def walk(self, node: yaml.Node, path: YamlPath, *, aliased: bool) -> None:
        """Notes the lines of a node and of all below it. Raises YamlError."""
        aliased = aliased or id(node) in self._seen
        self._seen.add(id(node))
        if len(path) > _DEEPEST:
            raise YamlError(_TOO_DEEP, node.start_mark.line + 1)
        if aliased:
            self._count(node)
        self.found[path] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            names: set[str] = set()
            for key, value in node.value:
                name = str(key.value)
                if name in names:
                    raise YamlError(f"the key {name!r} stands twice", key.start_mark.line + 1)
                names.add(name)
                self.walk(value, (*path, name), aliased=aliased)
                self.found[(*path, name)] = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                self.walk(value, (*path, index), aliased=aliased)

    def _count(self, node: yaml.Node) -> None:
        self._left -= 1 + (len(node.value) if isinstance(node, yaml.ScalarNode) else 0)
        if self._left < 0:
            problem = f"repeat more than {self._most:,} characters" if self._most else "are not read"
            raise YamlError(f"aliases (*name) {problem}: write it out", node.start_mark.line + 1)
