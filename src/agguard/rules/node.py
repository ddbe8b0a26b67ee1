"""YAML as a tree of nodes, read with PyYAML: the only module that imports it."""

from __future__ import annotations

import re

SCALAR = "scalar"
MAPPING = "mapping"
SEQUENCE = "sequence"
ALIAS = "alias"

_BOUNDARY = re.compile(r"^(---|\.\.\.|%)", re.MULTILINE)
_SLASH = re.compile(r"(?<!\\)(?:\\\\)*\\/")
_ESCAPES = 100
"""Escaped apostrophes that are put right, each with another parse."""

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

    text = data.decode("utf-8", "replace")
    try:
        root = _parsed(text, data)
        if _BOUNDARY.search(text):
            _look_ahead(text)
        return root
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = str(error.problem or error.context or "not YAML")
        raise YamlRefusedError(problem, mark.line + 1 if mark else 1) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        if isinstance(error, YamlRefusedError):
            raise
        reason = str(getattr(error, "reason", "")) or str(error).partition("\n")[0]
        raise YamlRefusedError(reason) from error


def _parsed(text: str, data: bytes) -> Node | None:
    r"""Parse a document, with go-yaml's escapes: it takes `\'` and refuses `\/`."""
    from yaml.scanner import ScannerError

    for _ in range(_ESCAPES):
        try:
            return _root(_events(data), text if r"\/" in text else "")
        except ScannerError as error:
            at = _foreign_escape(error, text)
            if at < 0:
                raise
            text = f"{text[:at]}\\x27{text[at + 2 :]}"
            data = text.encode()
    msg = "too many escaped apostrophes"
    raise YamlRefusedError(msg)


def _foreign_escape(error: Any, text: str) -> int:  # noqa: ANN401 - PyYAML's error
    r"""Return where the `\'` stands that an error is about, or -1."""
    if "unknown escape character" not in str(error.problem) or error.problem_mark is None:
        return -1
    at = int(error.problem_mark.index)
    for start in (at, at - 1):  # libyaml points at the backslash, PyYAML behind it
        if text[start : start + 2] == r"\'":
            return start
    return -1


def _look_ahead(text: str) -> None:
    """Scan the two tokens behind the first document, as go-yaml's parser does.

    It looks two tokens ahead for the sake of comments, and so refuses a first document over
    what follows it. libyaml does not, and this needs a scanner whose queue can be seen:
    PyYAML's own, whose opinion of the first document does not count.
    """
    import yaml

    scanner = yaml.SafeLoader(text)
    opening = (yaml.DocumentStartToken, yaml.DirectiveToken)
    begun = False  # whether a token of the first document was seen
    at = end = 0  # the next token to look at; the one that ends the first document
    while not scanner.done and not 0 < end < len(scanner.tokens) - 2:
        try:
            scanner.fetch_more_tokens()
        except yaml.MarkedYAMLError:
            if end:
                raise
            return
        _refuse_directive(scanner.tokens[-1])
        for token in scanner.tokens[at:] if not end else ():
            if isinstance(token, yaml.DocumentEndToken) or (begun and isinstance(token, opening)):
                end = at
                break
            begun = begun or not isinstance(token, yaml.StreamStartToken | yaml.DirectiveToken)
            at += 1


def _refuse_directive(token: Any) -> None:  # noqa: ANN401 - PyYAML's token
    """Refuse what libyaml's scanner does and PyYAML's passes over."""
    import yaml

    if isinstance(token, yaml.DirectiveToken) and token.name not in ("YAML", "TAG"):
        msg = f"unknown directive {token.name!r}"
        raise YamlRefusedError(msg, token.start_mark.line + 1)


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


def _root(events: Iterator[Any], text: str) -> Node | None:
    """Build the tree; `text` is given where double-quoted scalars are to be looked at."""
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
        if text and name == "ScalarEvent" and event.style == '"':
            _refuse_escaped_slash(text[event.start_mark.index : event.end_mark.index], node)
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


def _refuse_escaped_slash(source: str, node: Node) -> None:
    if _SLASH.search(source):
        msg = r"found unknown escape character \/"
        raise YamlRefusedError(msg, node.line)


def _anchor(node: Node, event: Any, anchors: dict[str, Node]) -> None:  # noqa: ANN401 - see _node
    if node.kind == ALIAS:
        if node.value not in anchors:
            msg = f"unknown anchor {node.value!r}"
            raise YamlRefusedError(msg, node.line)
        node.target = anchors[node.value]
    elif event.anchor is not None:
        anchors[event.anchor] = node
