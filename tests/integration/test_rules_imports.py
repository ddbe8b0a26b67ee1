"""What the rules engine brings into a hook's process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FORBIDDEN = {
    "pathlib", "typing", "dataclasses", "inspect", "logging", "asyncio", "tomllib", "subprocess",
    "importlib.metadata", "platformdirs", "typer", "rich", "pluggy", "yaml", "shlex", "urllib",
}  # fmt: skip
SOURCES = Path(__file__).resolve().parents[2] / "src"
PROGRAM = """
import json, sys
before = set(sys.modules)
from agguard.rules.engine import render
render(sys.argv[1], sys.argv[2], product="app")
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def imported(workspace: Path) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM, str(workspace), str(workspace / "home")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SOURCES), *_yaml_places()])},
    )
    return set(json.loads(done.stdout))


def _yaml_places() -> list[str]:
    import yaml

    return [str(Path(yaml.__file__).parent.parent)]


def test_without_frontmatter_nothing_costly_is_imported(tmp_path: Path) -> None:
    """PyYAML alone costs more than the rest of a hook."""
    (tmp_path / "AGENTS.md").write_text("plain\n@[d](d.md) @d.md\n")
    (tmp_path / "d.md").write_text("---\na: b\n---\nD")
    (tmp_path / ".agents/rules").mkdir(parents=True)
    (tmp_path / ".agents/rules/a.md").write_text("no frontmatter")
    assert imported(tmp_path) & FORBIDDEN == set()


def test_frontmatter_brings_in_pyyaml(tmp_path: Path) -> None:
    (tmp_path / ".agents/rules").mkdir(parents=True)
    (tmp_path / ".agents/rules/a.md").write_text("---\ntrigger: always_on\n---\n")
    assert "yaml" in imported(tmp_path)


@pytest.mark.parametrize("path", sorted((SOURCES / "agguard" / "rules").glob("*.py")), ids=str)
def test_only_one_module_imports_pyyaml(path: Path) -> None:
    text = path.read_text("utf-8")
    assert ("import yaml" in text or "from yaml" in text) == (path.name == "node.py")
