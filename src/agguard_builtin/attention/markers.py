"""What a closing message must hold, whatever it is dressed in. Pure."""

from __future__ import annotations

EMPHASIS = {ord(mark): None for mark in "*_`~"}
BULLETS = "#>-+•\u2013\u2014| \t"
UNVERIFIED = "not verified because"
UNDONE = "not done because"
"""Words with which an agent says honestly that something is missing (peers, row 80)."""


def lacking(message: str, markers: tuple[str, ...]) -> list[str]:
    """Return the markers that a message does not hold, in order.

    Args:
        message: The agent's last words.
        markers: What is asked for. `a | b` is satisfied by either of its alternatives.

    A marker counts at the beginning of a line; case, Markdown emphasis, headings, quotes and list
    bullets do not matter. A heading with something below it may leave a final colon out.
    """
    lines = [plain(line) for line in message.splitlines()]
    return [marker for marker in markers if not _is_held(marker, lines)]


def admits(message: str, *admissions: str) -> bool:
    """Whether a message holds one of these admissions, and a reason behind it."""
    text = " ".join(plain(line) for line in message.splitlines())
    return any(_goes_on(text.partition(words)) for words in admissions)


def plain(line: str) -> str:
    """Return a line in lower case, without emphasis, heading, quote and list marks."""
    words = " ".join(line.translate(EMPHASIS).replace("\uff1a", ":").casefold().split())
    while (shorter := _unnumbered(words.lstrip(BULLETS))) != words:
        words = shorter
    return words


def _is_held(marker: str, lines: list[str]) -> bool:
    return any(_begins(plain(one), lines) for one in marker.split("|"))


def _begins(wanted: str, lines: list[str]) -> bool:
    """Whether a line begins with a marker; as a heading of what follows it needs no colon."""
    if not wanted:
        return False
    name = wanted.removesuffix(":").rstrip()
    return any(
        (line.startswith(wanted) and not (line[len(wanted) :][:1].isalnum() and name == wanted))
        or (line == name and any(map(_is_word, lines[place + 1 :])))
        for place, line in enumerate(lines)
    )


def _unnumbered(words: str) -> str:
    """Return a line without the number of a numbered list."""
    digits = len(words) - len(words.lstrip("0123456789"))
    if digits and words[digits : digits + 2] in (". ", ") "):
        return words[digits + 2 :]
    return words


def _goes_on(parts: tuple[str, str, str]) -> bool:
    """Whether a reason follows the words."""
    return bool(parts[1]) and _is_word(parts[2])


def _is_word(text: str) -> bool:
    return any(sign.isalnum() for sign in text)
