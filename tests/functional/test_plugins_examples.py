"""The example packages pass their own tests, installed beside agguard as a user would have them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agguard import hookspecs
from agguard.plugins.scaffold import scaffold

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path.name for path in (ROOT / "examples").glob("agguard-*"))

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the registered command is run with sh")

INFO = """Metadata-Version: 2.1
Name: {name}
Version: 0.1.0
"""


def installed(package: Path, folder: Path) -> Path:
    """Put a package's modules and its entry point where an installer puts them."""
    import tomllib

    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    site = folder / "site"
    for module in (package / "src").iterdir():
        shutil.copytree(module, site / module.name)
    info = site / f"{project['name'].replace('-', '_')}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(INFO.format(name=project["name"]))
    points = project["entry-points"]["agguard"].items()
    lines = [f"{name} = {target}" for name, target in points]
    (info / "entry_points.txt").write_text("\n".join(["[agguard]", *lines, ""]))
    return site


def passes(package: Path, tmp_path: Path) -> None:
    """Run a package's tests in an interpreter that has it installed."""
    tests = tmp_path / "checkout"
    shutil.copytree(package, tests, ignore=shutil.ignore_patterns("src", "__pycache__"))
    site = installed(package, tmp_path)
    make = [sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")]
    subprocess.run(make, check=True, timeout=120)
    (packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    here = [str(site), str(ROOT / "src"), *(x for x in sys.path if x.endswith("site-packages"))]
    (packages / "what_is_installed.pth").write_text("\n".join(here) + "\n")
    command = [
        str(tmp_path / "venv" / "bin" / "python"),
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
    ]
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [*command, "-o", "pythonpath="],
        cwd=tests,
        env=kept,
        check=False,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_passes_its_own_tests(name: str, tmp_path: Path) -> None:
    """Each is a complete package on the public interface alone."""
    passes(ROOT / "examples" / name, tmp_path)


def test_there_are_four_examples() -> None:
    """The list above is not empty by accident."""
    assert EXAMPLES == [
        "agguard-plainlog",
        "agguard-secrets",
        "agguard-terraform",
        "agguard-tests-first",
    ]


@pytest.mark.parametrize("hooks", [("judge_tool",), hookspecs.HOOKS], ids=["one", "all"])
def test_a_new_package_passes_its_own_tests_and_every_check(
    tmp_path: Path, hooks: tuple[str, ...]
) -> None:
    """At once: tests, ruff with our rules, and mypy strict."""
    scaffold(str(tmp_path), "friday-rules", hooks)
    package = tmp_path / "agguard-friday-rules"
    passes(package, tmp_path / "run")
    for check in (["ruff", "check"], ["ruff", "format", "--check"], ["mypy"], ["mypy", "src"]):
        if shutil.which(check[0], path=os.path.dirname(sys.executable)) is None:
            continue
        environ = {**os.environ, "MYPYPATH": str(ROOT / "src")}
        done = subprocess.run(
            [sys.executable, "-m", *check, "."]
            if check[0] == "ruff"
            else [sys.executable, "-m", *check],
            cwd=package,
            env=environ,
            check=False,
            capture_output=True,
            text=True,
            timeout=200,
        )
        assert done.returncode == 0, done.stdout + done.stderr
