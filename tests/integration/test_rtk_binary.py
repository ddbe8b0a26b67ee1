"""The version of rtk is asked once, and again only when the program has changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agguard_builtin.rtk.binary import version


class Program:
    """A program named rtk that counts how often it is asked.

    Args:
        folder: Where it lies.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "rtk"
        self._asked = folder / "asked"

    def write(self, says: str) -> None:
        self.path.write_text(f"#!/bin/sh\necho x >> '{self._asked}'\nprintf '%s\\n' '{says}'\n")
        self.path.chmod(0o755)

    @property
    def asked(self) -> int:
        return len(self._asked.read_text().splitlines()) if self._asked.exists() else 0


@pytest.fixture
def program(tmp_path: Path) -> Program:
    made = Program(tmp_path)
    made.write("rtk 1.1.0")
    return made


def test_a_version_is_asked_once(program: Program, tmp_path: Path) -> None:
    """The folder that remembers need not exist: nobody else makes it."""
    cache = tmp_path / "none" / "yet"
    assert [version(str(program.path), str(cache)) for _ in range(3)] == [(1, 1, 0)] * 3
    assert program.asked == 1


def test_a_changed_program_is_asked_again(program: Program, tmp_path: Path) -> None:
    """By its time or size."""
    assert version(str(program.path), str(tmp_path)) == (1, 1, 0)
    program.write("rtk 12.0.34")
    assert version(str(program.path), str(tmp_path)) == (12, 0, 34)
    os.utime(program.path, (1, 1))
    version(str(program.path), str(tmp_path))
    assert program.asked == 3


@pytest.mark.parametrize(
    "says", ["", "rtk", "rtk 1.1", "rtk 1.1.0-beta", "react toolkit 1.1.0", "0.4.2", "rtk v1.1.0"]
)
def test_another_tool_of_that_name_is_none(program: Program, tmp_path: Path, says: str) -> None:
    """There is one on npm; that it is none is remembered, too."""
    program.write(says)
    assert version(str(program.path), str(tmp_path)) == ()
    assert version(str(program.path), str(tmp_path)) == ()
    assert program.asked == 1


def test_a_memory_that_cannot_be_used_costs_another_question(
    program: Program, tmp_path: Path
) -> None:
    """A file in the folder's place, and a memory that is no JSON."""
    (tmp_path / "file").write_text("")
    assert version(str(program.path), str(tmp_path / "file" / "below")) == (1, 1, 0)
    (tmp_path / "rtk.json").write_text("{")
    assert version(str(program.path), str(tmp_path)) == (1, 1, 0)
    assert version(str(program.path), "") == (1, 1, 0)
    assert program.asked == 3
