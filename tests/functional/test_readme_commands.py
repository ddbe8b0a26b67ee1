"""Every `agguard` command that README shows in a console block is run, in README's order."""

from __future__ import annotations

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from fakes.terminal import in_terminal

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
ENDLESS = {"--watch", "--follow"}
"""Left out here: such a command ends when its reader does."""
STANDS_FOR = {"KEY": "rtk.mode", "NAME": "builtin", "FILE": "report.json"}
"""What README leaves to its reader."""
OF_A_PACKAGE = [["plugins", "trust", "friday"], ["plugins", "info", "friday"]]
"""These need the package installed, which the scaffold's own test does."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal")


def shown() -> list[list[str]]:
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for line in block.splitlines():
            for part in line.partition(" #")[0].split("&&"):
                words = shlex.split(part)
                if words[:1] == ["agguard"] and words[1:] not in OF_A_PACKAGE:
                    found.append([STANDS_FOR.get(w, w) for w in words[1:] if w not in ENDLESS])
    return found


def test_the_readme_shows_commands() -> None:
    """The pattern above still finds them."""
    assert len(shown()) > 15


def test_commands_of_the_readme_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each ends with status 0, or with 1 where its answer is no: nothing is there yet to find."""
    (tmp_path / "app").mkdir()
    for folder in (tmp_path, tmp_path / "app"):
        (folder / "AGENTS.md").write_text("Be kind.\n")
    monkeypatch.chdir(tmp_path)
    environ = {**os.environ, "HOME": str(tmp_path / "home")}
    wrong = [
        f"agguard {' '.join(words)}: status {done.status}\n{done.text}"
        for words in shown()
        if (done := in_terminal(*words, environ=environ)).status not in {0, 1}
        or "Traceback" in done.text
    ]
    assert not wrong, "\n".join(wrong)
