"""The ledger's driver is Python's own, whatever it was loaded with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"


def python(code: str) -> str:
    """Run code in a process that has imported nothing yet, and return what it prints."""
    start = f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", start + code],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


LOAD = "from agguard.ledger import driver\nloaded = driver.load()\n"


def test_it_is_loaded_without_functools() -> None:
    """Nor does a stand-in stay behind for whoever imports functools next."""
    assert (
        python(f"{LOAD}print(sorted({{'functools', 'collections'}} & sys.modules.keys()))") == "[]"
    )
    later = "import functools\nprint(functools.__file__.endswith('functools.py'), functools.reduce)"
    assert python(LOAD + later).startswith("True <built-in function reduce>")


@pytest.mark.parametrize("first", ["", "import functools\n", "import sqlite3\n"], ids=len)
def test_it_works_whoever_came_first(first: str) -> None:
    """Statements are kept and used again, and `sqlite3` is the same driver."""
    code = (
        f"{first}{LOAD}link = loaded.connect(':memory:', cached_statements=2)\n"
        "found = [link.execute(f'SELECT {n % 5}').fetchone()[0] for n in range(200)]\n"
        "import sqlite3\n"
        "print(found == [n % 5 for n in range(200)], sqlite3.Error is loaded.Error)"
    )
    assert python(code) == "True True"


def test_a_driver_that_wants_more_gets_all_of_it() -> None:
    """A Python whose driver takes something else from functools is served by functools itself."""
    code = (
        "from agguard.ledger import driver\n"
        "bare = type(sys)\n"
        "driver._stand_in = lambda: bare('functools')\n"
        "loaded = driver.load()\n"
        "print(loaded.connect(':memory:').execute('SELECT 1').fetchone())\n"
        "print('functools' in sys.modules)"
    )
    assert python(code) == "(1,)\nTrue"
