"""YAML as a tree of nodes, read with PyYAML: the only module that imports it."""

from __future__ import annotations

SCALAR = "scalar"
MAPPING = "mapping"
SEQUENCE = "sequence"
ALIAS = "alias"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class YamlRefusedError(ValueError):
    """The host's YAML reader refuses the text; `line` counts from 1 within it."""

    def __init__(self, problem: str, line: int = 1) -> None:
        super().__init__(problem)
        self.problem = problem
        self.line = line


class Node:
    """One node, before any meaning is given to it: go-yaml's rules are in `fields`."""

    __slots__ = ("items", "kind", "line", "quoted", "tag", "target", "value")

    def __init__(self, kind: str, value: str, tag: str, line: int, *, quoted: bool = False) -> None:
        self.kind = kind
        self.value = value  # a scalar's text, an alias's name, else empty
        self.tag = tag  # as written, resolved through %TAG; empty for none
        self.line = line
        self.quoted = quoted
        self.items: list[Node] = []  # a mapping's keys and values by turns
        self.target: Node | None = None


def document(data: bytes) -> Node | None:
    """Return the root of the first document; None for an empty one.

    Raises:
        YamlRefusedError: a YAML error, invalid UTF-8, a control character, an unknown alias.
    """
    import yaml

    try:
        return _root(_events(data))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = str(error.problem or error.context or "not YAML")
        raise YamlRefusedError(problem, mark.line + 1 if mark else 1) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        if isinstance(error, YamlRefusedError):
            raise
        reason = str(getattr(error, "reason", "")) or str(error).partition("\n")[0]
        raise YamlRefusedError(reason) from error


def _events(data: bytes) -> Iterator[Any]:
    """Yield the events up to the first document's end."""
    import yaml

    loader = _parser()(data)
    try:
        while loader.check_event():
            event = loader.get_event()
            yield event
            if isinstance(event, yaml.DocumentEndEvent):
                return
    finally:
        loader.dispose()


def _parser() -> Callable[[bytes], Any]:
    """Return libyaml's parser where PyYAML has it: go-yaml is a port of libyaml."""
    import yaml

    try:
        from yaml._yaml import CParser
    except ImportError:
        return yaml.BaseLoader
    return CParser


def _root(events: Iterator[Any]) -> Node | None:
    anchors: dict[str, Node] = {}
    top = Node(SEQUENCE, "", "", 1)
    open_nodes = [top]
    for event in events:
        name = type(event).__name__
        if name in ("MappingEndEvent", "SequenceEndEvent"):
            open_nodes.pop()
            continue
        node = _node(name, event)
        if node is None:
            continue
        _anchor(node, event, anchors)
        open_nodes[-1].items.append(node)
        if name in ("MappingStartEvent", "SequenceStartEvent"):
            open_nodes.append(node)
    return top.items[0] if top.items else None


def _node(name: str, event: Any) -> Node | None:  # noqa: ANN401 - PyYAML's events have no base type
    if not hasattr(event, "anchor"):
        return None
    line = event.start_mark.line + 1
    if name == "AliasEvent":
        return Node(ALIAS, event.anchor, "", line)
    tag = event.tag or ""
    if name == "ScalarEvent":
        event.value.encode()  # a lone surrogate is a ValueError: libyaml refuses it, PyYAML not
        return Node(SCALAR, event.value, tag, line, quoted=bool(event.style))
    return Node(MAPPING if name == "MappingStartEvent" else SEQUENCE, "", tag, line)


def _anchor(node: Node, event: Any, anchors: dict[str, Node]) -> None:  # noqa: ANN401 - see _node
    if node.kind == ALIAS:
        if node.value not in anchors:
            msg = f"unknown anchor {node.value!r}"
            raise YamlRefusedError(msg, node.line)
        node.target = anchors[node.value]
    elif event.anchor is not None:
        anchors[event.anchor] = node
