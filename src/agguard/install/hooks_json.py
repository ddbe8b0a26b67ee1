"""The text of hooks.json with our entry put in, replaced or taken out: text in, text out.

Our entry is appended, in the file's own style, and taking it out again gives back what stood
there before. Nothing here reads or writes a file.
"""

from __future__ import annotations

import json
import re

from agguard.errors import RegistrationError
from agguard.install.entry import NAME, runs_launcher
from agguard.install.json_text import Document, scan
from agguard.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.install.json_text import Member

_INDENTED = re.compile(r"[\[{][ \t]*\r?\n([ \t]*)")


class Style(Value):
    """How a file is laid out, as far as it shows."""

    gap: str = "\n  "
    """What stands before a member: a line end and its indentation, or nothing, or blanks."""
    unit: str = "  "
    colon: str = ": "

    @property
    def newline(self) -> str:
        """The line end of the gap; empty when the file is written on one line."""
        head, feed, _ = self.gap.rpartition("\n")
        return ("\r" if head.endswith("\r") else "") + feed


def read(text: str, name: str = "hooks.json") -> Document:
    """Read the text of a hooks file; a blank one is an object without members.

    Args:
        text: The text; bytes that are not UTF-8 come as lone surrogates.
        name: What to call the file in messages.

    Raises:
        RegistrationError: `text` is not one strict JSON object.
    """
    return scan(text, name) if text.strip(" \t\r\n") else Document("", 0, 0, ())


def entries(document: Document, name: str = NAME) -> tuple[object, ...]:
    """Return the value of each member called `name`; the host takes the last."""
    return tuple(member.value for member in document.members if member.key == name)


def with_entry(document: Document, entry: object, name: str = NAME) -> str:
    """Return the text with an entry put in, once.

    A text that already says the same stays as it is, whatever its layout. A blank one becomes a
    new file, for the host refuses an empty one.
    """
    if not document.text:
        return "{" + _member(name, entry, Style()) + "\n}\n"
    ours = [member for member in document.members if member.key == name]
    if len(ours) > 1:
        return with_entry(read(_without(document, ours[0])), entry, name)
    if not ours:
        return _appended(document, name, entry)
    text, old = document.text, ours[0]
    if is_same(old.value, entry):
        return text
    return text[: old.value_start] + _value(entry, _style(text, old)) + text[old.value_end :]


def without_entry(
    document: Document, name: str = NAME, which: Callable[[object], bool] = lambda _: True
) -> str:
    """Return the text without the entries called `name` of some kind; the rest keeps its bytes.

    Args:
        document: The file.
        name: The key.
        which: Tells by its value whether an entry goes.
    """
    found = [one for one in document.members if one.key == name and which(one.value)]
    if not found:
        return document.text
    return without_entry(read(_without(document, found[-1])), name, which)


def strange_entry(document: Document, name: str = NAME) -> str:
    """Return the text of the entry called `name` that counts when it is not ours; else ''."""
    named = [member for member in document.members if member.key == name]
    if not named or runs_launcher(named[-1].value):
        return ""
    return document.text[named[-1].value_start : named[-1].value_end]


def with_former(document: Document, former: str, name: str = NAME) -> str:
    """Return the text with a former entry, given as text, in the place of ours.

    Raises:
        RegistrationError: `former` is not one JSON value.
    """
    ours = next(
        one for one in document.members[::-1] if one.key == name and runs_launcher(one.value)
    )
    text = document.text[: ours.value_start] + former + document.text[ours.value_end :]
    found = read(text)
    if [one.key for one in found.members] != [one.key for one in document.members]:
        msg = f"the entry {name!r} that was there before is not kept as it was"
        raise RegistrationError(msg)
    return text


def is_same(one: object, other: object) -> bool:
    """Whether two values are the same for the host: 30.0 is not 30 there, it loses the file."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _appended(document: Document, name: str, entry: object) -> str:
    text = document.text
    if document.members:
        last = document.members[-1]
        member = _member(name, entry, _style(text, last))
        return f"{text[: last.value_end]},{member}{text[last.value_end :]}"
    newline = "\r\n" if "\r\n" in text else "\n"
    inside = _member(name, entry, Style(gap=f"{newline}  ")) + newline
    return text[: document.opening + 1] + inside + text[document.closing :]


def _without(document: Document, member: Member) -> str:
    """Cut a member out together with the comma that is its own."""
    text, members = document.text, document.members
    at = members.index(member)
    if at:
        return text[: members[at - 1].value_end] + text[member.value_end :]
    if len(members) > 1:
        return text[: member.key_start] + text[members[1].key_start :]
    return text[: document.opening + 1] + text[document.closing :]


def _style(text: str, member: Member) -> Style:
    """Read the style off a member: the last one, which ours will follow, or ours itself."""
    head = text[: member.key_start]
    gap = head[len(head.rstrip(" \t\r\n")) :]
    colon = text[member.key_end : member.value_start]
    return Style(
        gap, _unit(text, member, gap.rpartition("\n")[2]), ": " if "\n" in colon else colon
    )


def _unit(text: str, member: Member, indent: str) -> str:
    """Return one step of indentation: what the member's content adds, else its own."""
    inner = _INDENTED.match(text, member.value_start, member.value_end)
    if inner and inner[1].startswith(indent) and inner[1] != indent:
        return inner[1][len(indent) :]
    return indent


def _member(name: str, entry: object, style: Style) -> str:
    return style.gap + json.dumps(name) + style.colon + _value(entry, style)


def _value(entry: object, style: Style) -> str:
    """Write a value in the style of the file around it."""
    if not style.newline:
        blank = " " if style.colon.endswith(" ") else ""
        return json.dumps(entry, separators=(f",{blank}", f":{blank}"))
    text = json.dumps(entry, indent=style.unit, separators=(",", style.colon))
    return text.replace("\n", style.newline + style.gap.rpartition("\n")[2])
