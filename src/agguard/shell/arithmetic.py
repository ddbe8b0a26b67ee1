"""Arithmetic runs commands: `x='a[$(rm y)]'; (( x ))` evaluates the subscript.

So a variable may stand in arithmetic only where everything that the line ever assigns to it is a
number. What the line does not assign comes from the user's environment.
"""

from __future__ import annotations

from agguard.shell.scanner import pattern
from agguard.shell.syntax import Command, Compound, Piece, Script, Word, scripts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*"
NUMBER = r"[+-]?[0-9]+\Z"
SEQUENCE = r"[0-9{},.+-]*"
"""What `{1..3}` and `{1,2}` are made of."""
POSITIONAL = r"\$\{?[0-9@*]"
SUBSCRIPT = r"\w\[[^\[\]\n]*(?:\$\(|`)"
COMPARISONS = frozenset({"-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
ASSIGNING = frozenset(
    {
        "declare",
        "export",
        "getopts",
        "let",
        "local",
        "mapfile",
        "printf",
        "read",
        "readarray",
        "readonly",
        "typeset",
        "unset",
        "vared",
    }
)
MOVING = frozenset({"cd", "chdir", "popd", "pushd", "eval", "source", ".", "command", "builtin"})
EVALUATING = frozenset({"eval", "source", ".", "trap"})
COUNTING = frozenset({"wc", "date", "nproc", "id"})


def unsafe_names(script: Script) -> frozenset[str] | None:
    """Return the variables to which a script assigns anything but numbers, anywhere.

    None when that cannot be told, because the script evaluates text.
    """
    found: set[str] = set()
    for node in nodes_of(script):
        if isinstance(node, Command):
            if node.words and node.words[0].text in EVALUATING:
                return None
            found.update(_unsafe_assignments(node))
        elif node.name and not (node.words and all(map(_is_number, node.words))):
            found.add(node.name)
        for piece in pieces_of(node):
            if piece.kind == "variable" and "=" in piece.operator:
                found.add(piece.text)
    return frozenset(found)


def assigned_names(script: Script) -> frozenset[str]:
    """Return the variables to which a script assigns anything, anywhere."""
    found: set[str] = set()
    for node in nodes_of(script):
        if isinstance(node, Command):
            found.update(changed_names(node))
        elif node.name:
            found.add(node.name)
    return frozenset(found)


def changed_names(command: Command) -> Iterator[str]:
    """Yield the variables that a command assigns to, by itself or as `read` does."""
    for assignment in command.assignments:
        yield assignment.name
    yield from _named(command, numbers=True)


def moves(script: Script) -> bool:
    """Tell whether a script may change the folder of its shell."""
    for node in script.nodes:
        if isinstance(node, Command):
            if node.words and (node.words[0].text is None or node.words[0].text in MOVING):
                return True
        elif node.kind not in ("subshell", "coproc") and any(map(moves, node.clauses)):
            return True
    return False


def runs_as_subscript(text: str) -> bool:
    """Tell whether a text has a subscript with a substitution, which arithmetic would run."""
    return pattern(SUBSCRIPT).search(text) is not None


def _unsafe_assignments(command: Command) -> Iterator[str]:
    for assignment in command.assignments:
        values = assignment.elements or (assignment.value,)
        if not all(map(_is_number, values)):
            yield assignment.name
    for word in command.words[1:]:  # `env x=value sh -c …`
        name, equals, value = (word.text or "").partition("=")
        if equals and not pattern(NUMBER).match(value):
            yield name
    yield from _named(command, numbers=False)


def _named(command: Command, *, numbers: bool) -> Iterator[str]:
    """Yield the names that a command such as `read` or `export` assigns to."""
    if command.words and command.words[0].text in ASSIGNING | {"builtin", "command"}:
        for word in command.words[1:]:
            name, _, value = (word.text or "").partition("=")
            if numbers or not pattern(NUMBER).match(value):
                yield from pattern(IDENTIFIER).findall(name)
            for piece in word.pieces:
                yield from pattern(IDENTIFIER).findall(piece.text)


def _is_number(word: Word) -> bool:
    if word.text is not None:
        return pattern(NUMBER).match(word.text) is not None
    return all(
        piece.kind == "arithmetic"
        or (piece.kind in ("text", "brace") and pattern(SEQUENCE).fullmatch(piece.text))
        for piece in word.pieces
    )


def nodes_of(script: Script) -> Iterator[Command | Compound]:
    """Yield every node of a script, nested ones included."""
    for node in script.nodes:
        yield node
        for inner in scripts_of(node):
            yield from nodes_of(inner)


def pieces_of(node: Command | Compound) -> Iterator[Piece]:
    """Yield every piece directly in a node, parts of pieces included."""
    words = list(node.words)
    if isinstance(node, Command):
        for assignment in node.assignments:
            words += [assignment.value, *(assignment.elements or ())]
            yield from _flat(assignment.index or ())
    else:
        yield from _flat(node.pieces)
    for redirect in node.redirects:
        words.append(redirect.target)
        if redirect.body is not None:
            yield from _flat(redirect.body.pieces)
    for word in words:
        if word.pieces:
            yield from _flat(word.pieces)


def _flat(pieces: tuple[Piece, ...]) -> Iterator[Piece]:
    for piece in pieces:
        yield piece
        if piece.parts:
            yield from _flat(piece.parts)


def hazard(node: Command | Compound, text: str, unsafe: frozenset[str] | None) -> str:
    """Say what in a node evaluates text as arithmetic that may hold commands; nothing if none."""
    for piece in pieces_of(node):
        if piece.kind == "variable" and _runs_value(piece, unsafe):
            return f"an expansion that evaluates the value of {piece.text!r}"
        if piece.kind == "arithmetic" or _evaluates(piece):
            parts = piece.parts
            source = text[parts[0].start : parts[-1].end] if parts else ""
            if not _harmless(source, parts, unsafe):
                return f"arithmetic with an unknown value in {source!r}"
    if isinstance(node, Command):
        for assignment in node.assignments:
            source = text[assignment.start : assignment.value.start]
            if assignment.index and not _harmless(source, assignment.index, unsafe):
                return f"a subscript with an unknown value in {source!r}"
    elif node.kind == "[[":
        return _conditional_hazard(node.words, text, unsafe)
    return ""


def _runs_value(piece: Piece, unsafe: frozenset[str] | None) -> bool:
    """Tell whether `${x@P}` or `${!x}` evaluates what a variable holds."""
    indirect = piece.operator.startswith("!") and piece.operator not in ("!*", "!@", "![")
    return piece.operator.endswith("@P") or (
        indirect and (unsafe is None or piece.text in unsafe or piece.text.isdigit())
    )


def _evaluates(piece: Piece) -> bool:
    """Tell whether an expansion has a subscript or an offset, or evaluates its value."""
    operator = piece.operator
    return piece.kind == "variable" and (
        ("[" in operator and any(part.text not in "@*" for part in piece.parts))
        or operator.removeprefix("[") == ":"
    )


def _harmless(source: str, parts: tuple[Piece, ...], unsafe: frozenset[str] | None) -> bool:
    names = pattern(IDENTIFIER).findall(source)
    if pattern(POSITIONAL).search(source) or (unsafe is None and names):
        return False
    if unsafe is not None and not unsafe.isdisjoint(names):
        return False
    return all(_counts(part) for part in _flat(parts) if part.kind in ("command", "process"))


def _counts(piece: Piece) -> bool:
    """Tell whether a substitution prints numbers."""
    nodes = piece.script.nodes if piece.script else ()
    last = nodes[-1] if nodes else None
    return (
        isinstance(last, Command)
        and bool(last.words)
        and last.words[0].text in COUNTING
        and all(word.text is not None for word in last.words)
    )


def _conditional_hazard(words: tuple[Word, ...], text: str, unsafe: frozenset[str] | None) -> str:
    for number, word in enumerate(words):
        if word.text in COMPARISONS:
            operands = words[max(0, number - 1) : number] + words[number + 1 : number + 2]
        elif word.text in ("-v", "-R"):
            operands = words[number + 1 : number + 2]
            if any(operand.text is None or "[" in operand.text for operand in operands):
                return "a test of a variable that is not known"
            continue
        else:
            continue
        for operand in operands:
            source = text[operand.start : operand.end]
            if "[" in source or not _harmless(source, operand.pieces, unsafe):
                return f"a comparison with an unknown value in {source!r}"
    return ""
