"""The command line as an operator uses it, in a home of its own."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from agguard.cli.app import build
from agguard.errors import AgguardError
from agguard.paths import resolve

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

WIDTH = 80


class Printed(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """Standard output as one JSON document."""
        return json.loads(self.out)

    @property
    def words(self) -> str:
        """Everything, with the line breaks of a narrow terminal taken out."""
        return " ".join(f"{self.out} {self.err}".split())


class Desk:
    """Runs commands in this process.

    Args:
        home: The operator's home.
        patch: Sets the environment.
    """

    def __init__(self, home: Path, patch: pytest.MonkeyPatch) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.patch = patch
        for name in [name for name in os.environ if name.startswith("XDG_")]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("COLUMNS", str(WIDTH))
        patch.setenv("NO_COLOR", "1")
        patch.setenv("TERM", "dumb")
        patch.chdir(home)
        self.paths = resolve(environ=os.environ)

    def run(self, *arguments: str, status: int | None = 0) -> Printed:
        """Run a command; `status` is what it must end with, None for whatever.

        What a person reads must fit the terminal and carry no color.
        """
        from typer.testing import CliRunner

        found = CliRunner().invoke(build(), list(arguments))
        printed = Printed(found.exit_code, found.stdout, found.stderr)
        if isinstance(found.exception, AgguardError):
            printed = Printed(found.exception.exit_code, found.stdout, f"error: {found.exception}")
        elif found.exception and not isinstance(found.exception, SystemExit):
            raise found.exception
        assert "\x1b" not in printed.out + printed.err
        if status is not None:
            assert printed.status == status, printed
        return printed

    def data(self, *arguments: str, status: int = 0) -> Any:
        """Run a command with --json, and return what it says."""
        return self.run(*arguments, "--json", status=status).data

    def screen(self, *arguments: str, status: int = 0) -> str:
        """Run a command whose text is for people, and return it; no line is too long."""
        printed = self.run(*arguments, status=status)
        assert all(len(line) <= WIDTH for line in printed.out.splitlines()), printed.out
        return printed.out

    def configure(self, text: str) -> None:
        """Write the user's configuration."""
        os.makedirs(self.paths.config, exist_ok=True)
        with open(self.paths.config_file, "w", encoding="utf-8") as file:
            file.write(text)

    def configuration(self) -> str:
        """Return the user's configuration."""
        with open(self.paths.config_file, encoding="utf-8") as file:
            return file.read()
