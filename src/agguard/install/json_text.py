"""A JSON object as text with the exact span of each member, so that one can be changed alone.

The values are read by the standard library's scanner in C; only the outermost object is walked
here (5 MB with 70,000 hooks: 0.7 s). What is not ours is never rewritten, so it keeps its bytes:
key order, indentation, line ends, duplicate keys, escapes.
"""

from __future__ import annotations

import json
import re

from agguard.errors import RegistrationError
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING_OR_CONSTANT = re.compile(r'"(?:[^"\\]|\\.)*"|-?Infinity|NaN', re.DOTALL)


class Member(Value):
    """One key and its value; offsets count characters, `value_end` is the one after the last."""

    key: str
    key_start: int
    key_end: int
    value_start: int
    value_end: int
    value: object


class Document(Value):
    """A text that is one JSON object; `opening` and `closing` are the offsets of its braces."""

    text: str
    opening: int
    closing: int
    members: tuple[Member, ...]


def scan(text: str, name: str = "hooks.json") -> Document:
    """Read a text that must be one strict JSON object, as the host does (contract, section 1.2).

    Args:
        text: The file's text; bytes that are not UTF-8 come as lone surrogates and stay so.
        name: What to call it in messages.

    Raises:
        RegistrationError: It is not strict JSON, with line and column, or not an object.
    """
    try:
        return _Scanner(text).document()
    except RecursionError:
        msg = f"{name} is nested too deeply to be read: expected an object of named hooks"
        raise RegistrationError(msg) from None
    except _NotAnObject as error:
        msg = f"{name} holds {error}: expected an object of named hooks"
        raise RegistrationError(msg) from None
    except _Refused as error:
        line, column = position(text, error.offset)
        msg = f"{name} is not strict JSON at line {line}, column {column}: {error}"
        raise RegistrationError(msg) from None


def position(text: str, offset: int) -> tuple[int, int]:
    """Return line and column of an offset, both counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


class _NotAnObject(Exception):  # noqa: N818 - never leaves this module
    """The text is JSON, but something else than an object."""


class _Refused(Exception):  # noqa: N818 - never leaves this module
    """The text is not strict JSON."""

    def __init__(self, why: str, offset: int) -> None:
        super().__init__(why)
        self.offset = offset


class _Scanner:
    """Walks the outermost object of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.decoder = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_integer)

    def document(self) -> Document:
        start = self.space(0)
        if self.text[start : start + 1] != "{":
            self.refuse_other(start)
        members: list[Member] = []
        at = self.space(start + 1)
        while self.text[at : at + 1] != "}":
            member, at = self.member(at)
            members.append(member)
        self.end(self.space(at + 1))
        return Document(self.text, start, at, tuple(members))

    def member(self, at: int) -> tuple[Member, int]:
        """Read a member and what parts it from the next; return where the next or `}` starts."""
        if self.text[at : at + 1] != '"':
            self.refuse(at, "expected a name in double quotes")
        key, key_end = self.value(at)
        colon = self.space(key_end)
        if self.text[colon : colon + 1] != ":":
            self.refuse(colon, "expected ':'")
        start = self.space(colon + 1)
        value, end = self.value(start)
        after = self.space(end)
        if self.text[after : after + 1] == ",":
            after = self.space(after + 1)
            if self.text[after : after + 1] == "}":
                self.refuse(after, "a comma must not stand before '}'")
        elif self.text[after : after + 1] != "}":
            self.refuse(after, "expected ',' or '}'")
        return Member(str(key), at, key_end, start, end, value), after

    def value(self, at: int) -> tuple[object, int]:
        try:
            value, end = self.decoder.raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            self.refuse(error.pos, error.msg[:1].lower() + error.msg[1:])
        except _Refused as error:
            raise _Refused(str(error), self.constant(at)) from None
        return value, end

    def constant(self, at: int) -> int:
        """Find the NaN or Infinity that the decoder met somewhere after `at`."""
        for found in _STRING_OR_CONSTANT.finditer(self.text, at):
            if found[0][0] != '"':
                return found.start()
        return at

    def space(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def end(self, at: int) -> None:
        if at != len(self.text):
            self.refuse(at, "expected nothing after the object")

    def refuse_other(self, start: int) -> NoReturn:
        if start == len(self.text):
            self.refuse(start, "it is empty")
        value, end = self.value(start)
        self.end(self.space(end))
        kinds = {list: "a list", str: "a string", bool: "a truth value", type(None): "null"}
        raise _NotAnObject(kinds.get(type(value), "a number"))

    def refuse(self, at: int, why: str) -> NoReturn:
        """Say what a person most likely did, rather than what the decoder expected."""
        if self.text[at : at + 1] == "\ufeff":
            why = "a byte order mark; save the file as UTF-8 without one"
        elif self.text[at : at + 2] in {"//", "/*"} or self.text[at : at + 1] == "#":
            why = "a comment; the host refuses files with comments"
        elif self.text[at : at + 1] in set("]}") and self.before(at) == ",":
            why = f"a comma must not stand before {self.text[at]!r}"
        elif self.text[at : at + 1] == "'":
            why = "single quotes; JSON takes double quotes only"
        raise _Refused(why, at)

    def before(self, at: int) -> str:
        return self.text[:at].rstrip(" \t\n\r")[-1:]


def _refuse_constant(name: str) -> NoReturn:
    msg = f"{name} is not a JSON value"
    raise _Refused(msg, 0)


def _integer(digits: str) -> int | float:
    """Read an integer; Python refuses to convert more than 4300 digits, the host reads 64 bits."""
    return int(digits) if len(digits) <= len(str(-(1 << 63))) else float(digits)
