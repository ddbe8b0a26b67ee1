"""The blocks that the real engine gave for generated trees, without the engine.

`shared/engine/rules_expected.jsonl` holds them; `tests/engine` asks the engine itself.
"""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest

from agguard.rules.engine import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared" / "engine"
EXPECTED = SHARED / "rules_expected.jsonl"
LINES = EXPECTED.read_text("utf-8").splitlines() if EXPECTED.is_file() else []

pytestmark = [
    pytest.mark.skipif(not LINES, reason=f"{EXPECTED} is not there"),
    pytest.mark.skipif(sys.platform == "win32", reason="the trees need names and links of POSIX"),
]


@pytest.fixture(scope="module")
def trees() -> ModuleType:
    spec = importlib.util.spec_from_file_location("shared_rules_trees", SHARED / "rules_trees.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "line", [json.loads(line) for line in LINES], ids=lambda line: line["seed"]
)
def test_the_recorded_block_byte_for_byte(
    line: dict[str, Any], trees: ModuleType, tmp_path: Path
) -> None:
    """Equal as a whole, or in length, digest and both ends where it is long."""
    # Some trees cut or count bodies that hold absolute paths, and the recording was made below
    # a temporary folder of this length.
    root = tmp_path.parent / f"tree{line['seed']}"
    assert re.fullmatch(r"[A-Za-z0-9/_.-]+", str(root))
    workspace, home, cwd = trees.write(trees.tree(line["seed"]), root)
    rendered = render(str(cwd), str(home), product="sdk")
    block = trees.placed(rendered.block, workspace, home)
    assert trees.record(line["seed"], block) == line
