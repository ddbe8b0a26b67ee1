"""sed scripts: whether one only selects, substitutes and prints (GNU manual, section 3.2)."""

from __future__ import annotations

from agguard.shell.scanner import pattern

ALONE = frozenset("pdDPgGhHxnN=zF")
NUMBERED = frozenset("lqQ")
LABELED = frozenset(":btT")
TEXTUAL = frozenset("aic")
SEPARATORS = frozenset(" \t\n;{}")
NUMBER = r"[0-9]+(?:~[0-9]+)?|\$"
STEP = r"[+~][0-9]+"
FLAGS = r"[gpiImM0-9]*"
LABEL = r"[ \t]*\w*"
BEHIND = r"[ \t]*(?=[;\n}#]|\Z)"
CLASS = r"\[\^?[^\[](?:[^\[\]]|\[:[a-z]+:\])*\]|\[\^?(?:\[:[a-z]+:\])(?:[^\[\]]|\[:[a-z]+:\])*\]"
TEXT = r"(?s)(?:[^\\\n]|\\.)*"


class _Unclear(Exception):  # noqa: N818 - not an error but an answer
    """The script is not understood."""


def only_reads(script: str) -> bool:
    """Tell whether a script neither writes nor runs anything; in doubt it does.

    The commands `w`, `W`, `e`, `r`, `R` and the flags `w` and `e` of `s` are what is looked for;
    a delimiter inside brackets, which versions of sed read differently, is in doubt.
    """
    position = 0
    try:
        while position < len(script):
            if script[position] in SEPARATORS:
                position += 1
            else:
                position = _command(script, _addresses(script, position))
    except (_Unclear, IndexError):
        return False
    return True


def _addresses(script: str, position: int) -> int:
    """Go behind `1,/x/ !`."""
    behind = _address(script, position)
    if behind > position:
        behind = _matched(r"[ \t]*", script, behind)
        if script.startswith(",", behind):
            second = _matched(r",[ \t]*", script, behind)
            behind = _address(script, second)
            if behind == second:
                behind = _matched(STEP, script, second)
    return _matched(r"[ \t]*!*[ \t]*", script, behind)


def _address(script: str, position: int) -> int:
    character = script[position]
    if character == "/":
        return _matched(r"[IM]*", script, _delimited(script, position, in_pattern=True))
    if character == "\\":
        return _matched(r"[IM]*", script, _delimited(script, position + 1, in_pattern=True))
    match = pattern(NUMBER).match(script, position)
    return match.end() if match else position


def _command(script: str, position: int) -> int:
    """Go behind one command; raise where it is not a harmless one."""
    if position >= len(script) or script[position] in SEPARATORS - {"{"}:
        raise _Unclear
    letter = script[position]
    position += 1
    if letter == "{":
        return position
    if letter == "#":
        return _matched(r"[^\n]*", script, position)
    if letter in TEXTUAL:
        return _matched(TEXT, script, position)
    if letter in ("s", "y"):
        position = _delimited(script, position, in_pattern=True) - 1
        position = _delimited(script, position, in_pattern=False)
        position = _matched(FLAGS if letter == "s" else "", script, position)
    elif letter in NUMBERED:
        position = _matched(r"[ \t]*[0-9]*", script, position)
    elif letter in LABELED:
        position = _matched(LABEL, script, position)
    elif letter not in ALONE:
        raise _Unclear
    return _matched(BEHIND, script, position)


def _delimited(script: str, position: int, *, in_pattern: bool) -> int:
    """Go from a delimiter behind the next one that is not escaped."""
    delimiter = script[position]
    if delimiter.isalnum() or delimiter in "\\\n []":
        raise _Unclear
    position += 1
    while script[position] != delimiter:
        character = script[position]
        if character == "\\":
            position += 1
        elif character == "\n":
            raise _Unclear
        elif character == "[" and in_pattern:
            position = _class_end(script, position, delimiter)
        position += 1
    return position + 1


def _class_end(script: str, position: int, delimiter: str) -> int:
    """Go to the `]` that closes a bracket expression without the delimiter in it."""
    match = pattern(CLASS).match(script, position)
    if match is None or delimiter in match[0]:
        raise _Unclear
    return match.end() - 1


def _matched(expression: str, script: str, position: int) -> int:
    match = pattern(expression).match(script, position)
    if match is None:
        raise _Unclear
    return match.end()
