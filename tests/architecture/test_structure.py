"""The structure of the source: layers, sizes, purity, and what may print."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
MODULES = sorted(SOURCE.rglob("*.py"))

LONGEST = 400
"""Lines that a module may have."""

PURE = [
    "agguard/model",
    "agguard/shell",
    "agguard/hosts/antigravity",
    "agguard/dispatch/combine.py",
    "agguard/dispatch/contract.py",
    "agguard/ledger/fsm.py",
    "agguard/pipeline/rights.py",
    "agguard/pipeline/keeping.py",
    "agguard_builtin/delegation/policy.py",
    "agguard_builtin/delegation/tools.py",
    "agguard/pipeline/setbacks.py",
    "agguard/pipeline/words.py",
    "agguard/install/governance.py",
    "agguard_builtin/attention/checks.py",
    "agguard_builtin/attention/guard.py",
    "agguard_builtin/attention/markers.py",
    "agguard_builtin/attention/reminder.py",
    "agguard_builtin/escalation",
    "agguard_builtin/handoff",
    "agguard_builtin/rtk/rewrite.py",
]
"""Modules, or folders of them, that decide and do no input or output."""

IMPURE_NAMES = {"open", "print", "input", "exec", "eval", "breakpoint"}
IMPURE_MODULES = {"os", "time", "subprocess", "socket", "sqlite3", "shutil", "tempfile", "random"}
IMPURE_ALLOWED = {"agguard/model/token.py": {"os"}, "agguard/shell/places.py": {"os"}}
"""`token` makes random tokens; `places` joins paths."""

NOT_PURE = {"agguard/shell/table.py"}
"""It reads the table that is shipped beside it."""

PRINTS = ("agguard/cli", "agguard/pipeline/streams.py")
"""Where something may be written to standard output."""


def name(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def pure() -> Iterator[Path]:
    for entry in PURE:
        found = SOURCE / entry
        every = found.rglob("*.py") if found.is_dir() else [found]
        yield from (path for path in every if name(path) not in NOT_PURE)


def test_the_layers_hold() -> None:
    """import-linter keeps every contract of pyproject.toml."""
    pytest.importorskip("importlinter")
    from importlinter.cli import lint_imports

    before = Path.cwd()
    os.chdir(ROOT)
    try:
        assert lint_imports(is_debug_mode=False, show_timings=False, verbose=False) == 0
    finally:
        os.chdir(before)


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_is_not_too_long(path: Path) -> None:
    """A reader can hold a module in mind."""
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST


def test_the_median_module_is_short() -> None:
    """Most modules fit two screens."""
    sizes = sorted(len(p.read_text(encoding="utf-8").splitlines()) for p in MODULES)
    assert sizes[len(sizes) // 2] <= 130


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_no_module_is_a_drawer(path: Path) -> None:
    """Names such as `utils` say nothing about what is inside."""
    assert path.stem not in {"utils", "util", "helpers", "helper", "common", "misc", "base"}


@pytest.mark.parametrize("path", list(pure()), ids=name)
def test_a_deciding_module_does_no_io(path: Path) -> None:
    """Facts are gathered at the edges and handed in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    allowed = IMPURE_ALLOWED.get(name(path), set())
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in IMPURE_NAMES, f"{name(path)}:{node.lineno}"
        if isinstance(node, ast.Import):
            found = {alias.name.partition(".")[0] for alias in node.names}
            assert not found & IMPURE_MODULES - allowed, f"{name(path)}:{node.lineno}"
        if isinstance(node, ast.ImportFrom) and node.module:
            assert node.module.partition(".")[0] not in IMPURE_MODULES - allowed


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_only_the_edges_print(path: Path) -> None:
    """A decision that prints cannot be inspected or combined."""
    if name(path).startswith(PRINTS):
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    prints = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert prints == []


def test_every_module_can_be_imported_first() -> None:
    """No import order is needed, and none warns; each is tried in a fresh interpreter's child."""
    names = [
        name(path)[:-3].replace("/", ".").removesuffix(".__init__")
        for path in MODULES
        if path.name != "__main__.py"
    ]
    code = """
import os, sys
for name in sys.argv[1:]:
    pid = os.fork()
    if not pid:
        try:
            __import__(name)
        except BaseException as error:
            print(name, repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        print("failed:", name)
"""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *names],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )
    assert done.stdout == ""


def test_the_public_names_are_these() -> None:
    """What `agguard` exports is what an author needs, and every name resolves."""
    import agguard

    for public in agguard.__all__:
        assert getattr(agguard, public) is not None
    assert sorted(agguard.__all__) == agguard.__all__
    assert not hasattr(agguard, "nothing_of_that_name")


def test_no_committed_file_names_a_machine_path() -> None:
    """A clone says nothing about where it was made."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    home = "/" + "root/"
    for line in listed.stdout.splitlines():
        path = ROOT / line
        if path.is_file():
            text = path.read_bytes()
            assert home.encode() not in text, line
            assert ("/" + "work/").encode() not in text, line
