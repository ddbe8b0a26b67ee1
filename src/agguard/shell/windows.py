"""Command lines of cmd.exe and PowerShell: one command of plain words, or nothing.

Their grammars are not ours to know; what has no metacharacter of either means the same in both.
"""

from __future__ import annotations

from agguard.shell.scanner import pattern

# No quotes, variables, wildcards, operators, escapes, arrays or comments of either shell.
PLAIN_LINE = r"[ \t]*[A-Za-z0-9_./\\:=+-]+(?:[ \t]+[A-Za-z0-9_./\\:=+-]+)*[ \t]*\r?\n?"

# Programs that are the same on Windows as elsewhere; the rest is not judged there.
SHARED = frozenset(
    """aws az cargo cd docker dotnet echo gcloud gh git glab go helm hostname java jq kubectl mvn
    node npm pip poetry python rg ruby rustc rustup terraform tofu uv whoami""".split()
)


def plain_words(text: str) -> tuple[str, ...] | None:
    """Return the words of a line that is a single command of plain words, else None."""
    return tuple(text.split()) if pattern(PLAIN_LINE).fullmatch(text) else None
