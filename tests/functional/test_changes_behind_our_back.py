"""What a script changes shows in the next reason; what the operator changes does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agguard import checksum

if TYPE_CHECKING:
    from fakes.guarded import Guarded

SOURCE = Path(__file__).parents[2] / "src"


def files(guarded: Guarded) -> dict[str, str]:
    return {
        "registration": guarded.paths.host.hooks,
        "launcher": os.path.join(guarded.paths.host.config, "agguard-hook"),
        "configuration": guarded.paths.config_file,
    }


@pytest.mark.parametrize("which", ["registration", "launcher", "configuration"])
def test_a_changed_file_is_named_in_the_next_reason(guarded: Guarded, which: str) -> None:
    """And in the ledger, as a fault of its own kind."""
    primary = guarded.primary()
    assert "changed outside" not in guarded.run(primary, "make").reason

    path = files(guarded)[which]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.write("\n")

    found = guarded.run(primary, "make")
    assert found.decision == "deny"
    assert f"{path!r} was changed outside agguard" in found.reason
    assert ("agguard", "integrity", "changed") in {fault[:3] for fault in guarded.faults()}


@pytest.mark.parametrize("megabytes", [5, 20])
def test_a_change_at_the_end_of_a_large_file_is_seen(megabytes: int, tmp_path: Path) -> None:
    """Our entry stands last in hooks.json, and what took its place may be of the same size."""
    path = tmp_path / "hooks.json"
    foreign = b'{"a": "' + b"x" * (megabytes << 20) + b'", "agguard": {"command": '
    path.write_bytes(foreign + b'"./agguard-hook"}}')
    before = checksum.of_file(str(path))
    assert checksum.of_file(str(path)) == before != ""
    path.write_bytes(foreign + b'"./another-hook"}}')
    assert checksum.of_file(str(path)) != before


def test_what_the_operator_changes_is_accepted(guarded: Guarded) -> None:
    """`agguard config set` is no change behind our back."""
    primary = guarded.primary()
    guarded.run(primary, "make")
    subprocess.run(
        [sys.executable, "-m", "agguard", "config", "set", "delegation.message", "Ask Ann."],
        check=True,
        env={**guarded.host.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
    )

    found = guarded.run(primary, "make")
    assert "Ask Ann." in found.reason
