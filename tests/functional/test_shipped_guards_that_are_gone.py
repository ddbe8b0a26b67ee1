"""The shipped guards are damaged behind our back: what they would have judged is denied.

Each is a real hook of a copy of the package, with a manifest that has to be made anew.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the command is run with sh here")

SOURCE = Path(__file__).parents[2] / "src"

SCRIPT = """
import json, os, sys
copy, folder, damage, config = sys.argv[1:]
sys.path.insert(0, copy)
from agguard.testing import Home, calls

home = Home(folder, config)
plugin = os.path.join(copy, "agguard_builtin", "plugin.py")
with open(plugin) as file:
    whole = file.read()

def asked():
    os.remove(os.path.join(home.paths.state, "manifest.json"))
    return called()

def called():
    primary = home.primary()
    app = calls.write(os.path.join(home.workspace, "app.py"))
    plan = calls.write(os.path.join(primary.folder, "plan.md"))
    return [home.call(primary, one).answer for one in (app, plan)]

found = [asked()]
if damage == "gone":
    os.remove(plugin)
else:
    with open(plugin, "w") as file:
        file.write({"empty": "", "broken": whole + "def (:", "leaves": "raise SystemExit"}[damage])
found.append(asked())
with open(plugin, "w") as file:
    file.write(whole)
found.append(called())
print(json.dumps(found))
"""


@pytest.mark.parametrize("damage", ["gone", "empty", "broken", "leaves"])
def test_a_call_that_the_shipped_guards_cannot_judge_is_denied_until_they_are_back(
    damage: str, tmp_path: Path
) -> None:
    """Denied whatever it is, and mended without a command when the file is."""
    before, without, after = _played(damage, tmp_path, "")

    assert [one["decision"] for one in before] == ["deny", "allow"]
    assert [one["decision"] for one in without] == ["deny", "deny"]
    assert all("agguard doctor" in one["reason"] for one in without)
    assert after[0]["decision"] == "deny"
    assert "invoke_subagent" in after[0]["reason"]
    assert after[1] == before[1]


def test_where_the_user_has_blocked_them_their_damage_changes_nothing(tmp_path: Path) -> None:
    """Being without them was chosen."""
    before, without, after = _played("broken", tmp_path, '[plugins]\nblock = ["builtin"]\n')

    assert before == without == after
    assert [one["decision"] for one in before] == ["allow", "allow"]


def _played(damage: str, folder: Path, config: str) -> list[list[dict[str, Any]]]:
    copy = folder / "copy"
    shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(copy), str(folder / "home"), damage, config],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert not done.returncode, done.stderr
    found: list[list[dict[str, Any]]] = json.loads(done.stdout)
    return found
