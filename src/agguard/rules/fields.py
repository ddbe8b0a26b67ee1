"""What a rule's frontmatter says, read as go-yaml v3 reads it into four string fields (4.5).

go-yaml refuses the whole document over one key given twice, and decodes only the fields it
knows; PyYAML's own constructors do neither, so the nodes are interpreted here. What the contract
does not say (merge keys, aliases) follows go-yaml's decoder and was compared with the engine.
"""

from __future__ import annotations

import re

from agguard.model.value import Value
from agguard.rules import node as yaml_node
from agguard.rules.node import ALIAS, MAPPING, SCALAR, SEQUENCE, YamlRefusedError
from agguard.rules.scalar import PREFIX, decoded
from agguard.rules.text import raw, trim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.rules.node import Node

NAMES = ("trigger", "description", "globs", "glob")
CRASH = "ends the host's engine with a panic"
LARGEST = 1024 * 1024
"""Characters of frontmatter beyond which it is refused: reading it would hold up a hook."""


class Fields(Value):
    """The four fields, empty where the frontmatter does not set them."""

    trigger: str = ""
    description: str = ""
    globs: str = ""
    glob: str = ""
    problem: str = ""
    """Why the frontmatter is refused, so that the rule is dropped; else empty."""
    line: int = 1
    """The line of the problem within the frontmatter, from 1."""


def read(head: str) -> Fields:
    """Read the YAML between the fences; never raises."""
    if len(head) > LARGEST:
        return Fields(problem=f"larger than {LARGEST} characters")
    text = trim(_quoted_globs(head))
    try:
        root = yaml_node.document(raw(text)) if text else None
        values = _Decoder().fields(root) if root is not None else {}
    except YamlRefusedError as error:
        lead = head[: len(head) - len(head.lstrip())].count("\n")
        line = min(error.line, text.count("\n") + 1)  # an unclosed bracket is missed at the end
        return Fields(problem=error.problem, line=line + lead)
    except RecursionError:
        return Fields(problem="nested too deeply")
    trigger = trim(values.get("trigger", ""))
    description = trim(values.get("description", ""))
    return Fields(trigger, description, values.get("globs", ""), values.get("glob", ""))


def _quoted_globs(head: str) -> str:
    r"""Quote a glob that begins with a star, as the engine does before it reads the YAML (4.5a).

    The engine's expression begins with `\s*` after `^`, which tries every line of a run of
    blank ones and takes quadratic time; the line's own indent gives the same text.
    """
    if "glob" not in head:
        return head
    spaces = r"[\t\n\f\r ]*"
    pattern = rf"^([\t\f\r ]*globs?{spaces}:{spaces})(\*.*)$"
    return re.sub(pattern, r'\1"\2"', head, flags=re.MULTILINE)


class _Decoder:
    """Decodes a document into the fields as go-yaml's `mappingStruct` and `merge` do."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.open: list[Node] = []  # the aliases that are being followed
        self.decoded = 0
        self.aliased = 0

    def fields(self, root: Node) -> dict[str, str]:
        """Return the fields that are set; raises YamlRefusedError."""
        if root.kind == SCALAR and decoded(root) is None:
            return {}
        self._mapping(root, None)
        return self.values

    def _mapping(self, node: Node, taken: set[str] | None) -> None:
        """Take a mapping's fields; `taken` holds the keys that a merge must not set again."""
        self._count(node)
        if node.kind == ALIAS:
            self._followed(node, taken)
            return
        if node.kind != MAPPING:
            msg = f"a {node.kind} where a mapping is needed"
            raise YamlRefusedError(msg, node.line)
        _unique(node)
        _survivable(node)
        merged = None
        done: set[str] = set()
        pairs = list(zip(node.items[::2], node.items[1::2], strict=True))
        for key, value in pairs:
            if _is_merge(key):
                merged = value
            elif (name := self._string(key)) is not None:
                if name in NAMES and name in done:  # through an alias: `_unique` looks at spelling
                    msg = f"key {name!r} is already set"
                    raise YamlRefusedError(msg, key.line)
                done.add(name)
                self._field(name, value, taken)
        if merged is not None:
            known = taken if taken is not None else _names(self, pairs)
            self._merge(merged, known)

    def _followed(self, node: Node, taken: set[str] | None) -> None:
        target = _target(node)
        if target in self.open:
            msg = f"anchor {node.value!r} holds itself"
            raise YamlRefusedError(msg, node.line)
        self.open.append(target)
        self._mapping(target, taken)
        self.open.pop()

    def _field(self, name: str, value: Node, taken: set[str] | None) -> None:
        if taken is not None:
            if name in taken:
                return
            taken.add(name)
        if name in NAMES:
            text = self._string(value)
            if text is not None:
                self.values[name] = text

    def _merge(self, merged: Node, taken: set[str]) -> None:
        sources = merged.items if merged.kind == SEQUENCE else [merged]
        for source in sources:
            target = _target(source)
            if target.kind != MAPPING:
                msg = "a merge needs a mapping or a list of mappings"
                raise YamlRefusedError(msg, source.line)
            self._mapping(source, taken)

    def _count(self, node: Node) -> None:
        """Refuse a bomb of aliases with go-yaml's own limits, as far as small documents go."""
        self.decoded += 1
        self.aliased += bool(self.open)
        many = self.aliased > 100 and self.decoded > 1_000  # noqa: PLR2004 - go-yaml's
        if many and self.aliased / self.decoded > 0.99:  # noqa: PLR2004 - go-yaml's
            msg = "the document contains excessive aliasing"
            raise YamlRefusedError(msg, node.line)

    def _string(self, node: Node) -> str | None:
        """Return a scalar's text, None for null; anything else is no string."""
        self._count(node)
        target = _target(node)
        if target.kind != SCALAR:
            msg = f"a {target.kind} where text is needed"
            raise YamlRefusedError(msg, node.line)
        return decoded(target)


def _survivable(node: Node) -> None:
    """Refuse what go-yaml panics over: a merge beside a key that is no scalar (seen)."""
    keys = [_target(key) for key in node.items[::2]]
    if any(map(_is_merge, keys)) and any(key.kind != SCALAR for key in keys):
        msg = f"a list or a map as a key beside << {CRASH}"
        raise YamlRefusedError(msg, node.line)


def _target(node: Node) -> Node:
    return node.target if node.kind == ALIAS and node.target is not None else node


def _names(decoder: _Decoder, pairs: list[tuple[Node, Node]]) -> set[str]:
    """Return the keys that stand in a mapping itself and win over merged ones."""
    found = (decoder._string(key) for key, _ in pairs)  # noqa: SLF001 - of this module
    return {name for name in found if name is not None}


def _is_merge(key: Node) -> bool:
    tagged = key.tag in ("", "!", PREFIX + "merge")
    plain = not key.quoted or key.tag == PREFIX + "merge"
    return key.kind == SCALAR and key.value == "<<" and tagged and plain


def _unique(node: Node) -> None:
    """Refuse a key given twice: go-yaml compares kind and text, whatever the quotes or tags."""
    seen: dict[tuple[str, str], int] = {}
    for key in node.items[::2]:
        name = (key.kind, key.value)
        if name in seen:
            msg = f"key {key.value!r} is already set on line {seen[name]}"
            raise YamlRefusedError(msg, key.line)
        seen[name] = key.line
