"""Our block and the real engine's, byte for byte, on generated trees.

40 seeds are drawn by the commit's hash, so that every commit meets other trees and a failure can
be repeated. `AGGUARD_ORACLE_SEEDS=1000` compares seeds 0 to 999, `AGGUARD_ORACLE_SEEDS=7-9` those.
No seed is left out. Where the first comparison fails the engine is asked again, and only a
difference between its own two answers is taken as its doing.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from agguard.rules.engine import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "engine"
DRAWN = 40


def _present(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


pytestmark = [
    pytest.mark.engine,
    pytest.mark.skipif(not _present("google.antigravity"), reason="needs google-antigravity"),
    pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not there"),
    pytest.mark.filterwarnings("ignore"),  # the SDK's own
]


def _commit() -> str:
    if sha := os.environ.get("GITHUB_SHA"):
        return sha
    done = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "no commit"


def _seeds() -> list[int]:
    asked = os.environ.get("AGGUARD_ORACLE_SEEDS", "")
    first, dash, last = asked.partition("-")
    if dash:
        return list(range(int(first), int(last) + 1))
    if asked:
        return list(range(int(asked)))
    return sorted(random.Random(_commit()).sample(range(1_000_000), DRAWN))  # noqa: S311


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"shared_{name}", SHARED / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def leftovers() -> Iterator[None]:
    """Collect the SDK's unclosed pipes here, where their warnings are expected."""
    yield
    gc.collect()


@pytest.mark.parametrize("seed", _seeds())
def test_the_block_is_the_engines(seed: int, tmp_path: Path) -> None:
    trees, engine = _module("rules_trees"), _module("engine")
    workspace, home, cwd = trees.write(trees.tree(seed), tmp_path / "tree")
    ours = render(str(cwd), str(home), product="sdk").block
    answers = [engine.Engine(workspace, home).user_rules(cwd)]
    if ours != answers[0]:
        answers.append(engine.Engine(workspace, home).user_rules(cwd))
    if len(set(answers)) == 1:
        assert ours == answers[0], trees.tree(seed)["features"]
    assert ours in answers, "the engine gave two blocks, and ours is neither"
