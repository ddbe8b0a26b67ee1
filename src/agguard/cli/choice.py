"""Options and arguments that take one of a few words, refused as every other mistake is.

typer's own refusal shows how it came about ("Value error, ..."), in other words in each version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agguard.cli import output
from agguard.config.suggest import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from enum import StrEnum


def of(name: str, kind: type[StrEnum]) -> dict[str, Any]:
    """Return the arguments for typer of a parameter that takes a word of `kind`.

    Args:
        name: What messages call the parameter: an option as it is typed, or an argument's name.
        kind: Its words.
    """
    words = [one.value for one in kind]

    def parse(text: str) -> StrEnum:
        return kind(known(name, text, words))

    parse.__name__ = "|".join(words)  # older versions of typer show it as the type
    return {"parser": parse, "autocompletion": completed(words)}


def completed(words: Sequence[str]) -> Callable[[str], list[str]]:
    """Return the completion of a parameter that takes one of some words."""

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def known(name: str, text: str, words: Sequence[str]) -> str:
    """Return a word that is among those allowed; any other one ends the command.

    Args:
        name: What messages call the parameter.
        text: What somebody wrote.
        words: What is allowed.
    """
    if text not in words:
        meant = nearest(text, words)
        hint = f"; did you mean {meant!r}?" if meant else ""
        output.fail(f"{name} is {text!r}, expected one of {', '.join(words)}{hint}")
    return text
