"""What a closing message must hold, whatever it is dressed in. Pure."""

from __future__ import annotations

EMPHASIS = {ord(mark): None for mark in "*_`~"}
UNVERIFIED = "not verified because"
UNDONE = "not done because"
"""Words with which an agent says honestly that something is missing (peers, row 80)."""


def lacking(message: str, markers: tuple[str, ...]) -> list[str]:
    """Return the markers that a message does not hold, in order.

    Args:
        message: The agent's last words.
        markers: What is asked for. `a | b` is satisfied by either of its alternatives.

    A marker counts at the beginning of a line; case, Markdown emphasis and all that may dress the
    beginning of a line (headings, quotes, bullets, numbers, boxes to tick, pictures) do not matter.
    A heading with something below it may leave a final colon out. A marker without words counts
    anywhere, and an empty one asks for nothing.
    """
    lines = [plain(line) for line in message.splitlines()]
    return [marker for marker in markers if not _is_held(marker, lines, message)]


def admits(message: str, *admissions: str) -> bool:
    """Whether a message holds one of these admissions, and a reason behind it."""
    text = " ".join(plain(line) for line in message.splitlines())
    return any(_goes_on(text.partition(words)) for words in admissions)


def plain(line: str) -> str:
    """Return a line in lower case, without emphasis and without what dresses its beginning."""
    words = " ".join(line.translate(EMPHASIS).replace("\uff1a", ":").casefold().split())
    words = words.replace(" :", ":")
    while (shorter := _unnumbered(_undressed(words))) != words:
        words = shorter
    return words


def _is_held(marker: str, lines: list[str], message: str) -> bool:
    wanted = [one.strip() for one in marker.split("|") if one.strip()]
    return not wanted or any(
        _begins(plain(one), lines) if _is_word(one) else one in message for one in wanted
    )


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


def _undressed(words: str) -> str:
    """Return a line from its first letter or digit on."""
    start = next((place for place, sign in enumerate(words) if sign.isalnum()), len(words))
    return words[start:]


def _unnumbered(words: str) -> str:
    """Return a line without the number, or the letter, of a list, and without the cross of one."""
    head, _, rest = words.partition(" ")
    number = head[:-1]
    is_one = head[-1:] in (".", ")", "]") and (number.isdecimal() or len(number) == 1)
    return rest if is_one else words


def _goes_on(parts: tuple[str, str, str]) -> bool:
    """Whether a reason follows the words."""
    return bool(parts[1]) and _is_word(parts[2])


def _is_word(text: str) -> bool:
    return any(sign.isalnum() for sign in text)
