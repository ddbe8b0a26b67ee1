"""Bytes to a TOML table with positions, or to the problem that they are."""

from __future__ import annotations

import codecs
import re
import tomllib

from agguard.config.keys import dotted
from agguard.config.mistake import explained
from agguard.config.problem import Problem
from agguard.config.scan import scan
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agguard.config.outline import Outline, Path

_MANY_DIGITS = re.compile(r"[0-9_]{4301}")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


class Document(Value):
    """A parsed file.

    Args:
        file: its path, for problems.
        table: what it holds; empty when it could not be parsed.
        outline: where everything stands.
        problems: why it could not be parsed, or what is wrong with its encoding.
    """

    file: str
    table: dict[str, Any]
    outline: Outline
    problems: tuple[Problem, ...] = ()

    def problem(self, offset: int, message: str, key: str = "", meant: str = "") -> Problem:
        """Return a problem at an offset of the text."""
        return Problem(self.file, *self.outline.place(offset), message, key, meant)


def parse(data: bytes, file: str) -> Document:
    """Parse the bytes of a file; never raises."""
    nothing = Document(file, {}, scan(""))
    problems: tuple[Problem, ...] = ()
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        message = "the file begins with a byte order mark; save it as UTF-8 without one"
        problems = (Problem(file, 1, 1, message),)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return nothing.replace(problems=(_not_utf8(data, file, error),))
    document = nothing.replace(outline=scan(text), problems=problems)
    table, problem = _parsed(document)
    return document.replace(table=table, problems=(*problems, *([problem] if problem else [])))


def _parsed(document: Document) -> tuple[dict[str, Any], Problem | None]:
    outline = document.outline
    if outline.refusal:
        return {}, document.problem(outline.lost, outline.refusal)
    if twice := _set_twice(document):
        return {}, twice
    try:
        return tomllib.loads(_until(outline)), None
    except tomllib.TOMLDecodeError as error:
        return {}, _not_toml(document, str(error))
    except ValueError:
        # Python converts at most 4300 digits; every other bad value is a TOMLDecodeError.
        digits = _MANY_DIGITS.search(outline.text)
        message = "a number has too many digits; expected at most 4300"
        return {}, document.problem(digits.start() if digits else 0, message)


def _until(outline: Outline) -> str:
    """Return the text up to the line where the scanner was lost, where the parser is lost too.

    What follows has not been checked for the parser's worst cases.
    """
    if outline.lost < 0:
        return outline.text
    end = outline.text.find("\n", outline.lost)
    return outline.text if end < 0 else outline.text[:end]


def _set_twice(document: Document) -> Problem | None:
    seen: dict[Path, int] = {}
    arrays = {header.path for header in document.outline.headers if header.array}
    for entry in document.outline.entries:
        if any(entry.path[:depth] in arrays for depth in range(1, len(entry.path))):
            continue
        if entry.path in seen:
            key = dotted(str(part) for part in entry.path)
            line, _ = document.outline.place(seen[entry.path])
            same = line == document.outline.place(entry.start)[0]
            keep = "keep one of the two" if same else f"keep this line or line {line}"
            message = f"{key!r} is set a second time, expected once; {keep}"
            return document.problem(entry.start, message, key)
        seen[entry.path] = entry.start
    return None


def _not_toml(document: Document, reason: str) -> Problem:
    found = _PLACE.search(reason)
    end = document.outline.place(len(_until(document.outline)))
    line, column = (int(found[1]), int(found[2])) if found and found[1] else end
    message = explained(document.outline, line, _PLACE.sub("", reason))
    return Problem(document.file, line, column, message)


def _not_utf8(data: bytes, file: str, error: UnicodeDecodeError) -> Problem:
    before = data.rfind(b"\n", 0, error.start) + 1
    column = len(data[before : error.start].decode()) + 1
    message = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
    return Problem(file, data.count(b"\n", 0, error.start) + 1, column, message)
