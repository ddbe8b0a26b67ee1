"""Hosts that close, drop or never read the stderr of a hook: it answers all the same."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fakes.distribution import Packages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fakes.guarded import Guarded

NOISY = """
@hookimpl
def judge_tool(call):
    if call.name == "run_command":
        sys.stderr.write("noise " * 30_000)
        sys.stderr.flush()
        {then}
"""

THEN = {"and denies": "return Verdict.deny('noisy objects')", "and dies": "os._exit(1)"}


@pytest.fixture(params=["closed", "dropped", "never read"])
def stderr(request: pytest.FixtureRequest) -> Iterator[Callable[[], None]]:
    """What is called in the new process, to leave it with a stderr that takes nothing."""
    reads, writes = os.pipe()
    if request.param == "never read":
        os.set_blocking(writes, False)
        while True:
            try:
                os.write(writes, b"x" * 4096)
            except BlockingIOError:
                break
        os.set_blocking(writes, True)
    elif request.param == "dropped":
        os.close(reads)
    yield (lambda: os.close(2)) if request.param == "closed" else (lambda: _give(writes))
    os.close(writes)
    if request.param != "dropped":
        os.close(reads)


def _give(descriptor: int) -> None:
    os.dup2(descriptor, 2)


@pytest.mark.parametrize("then", THEN.values(), ids=THEN)
def test_guards_are_heard(
    guarded: Guarded, tmp_path: Path, stderr: Callable[[], None], then: str
) -> None:
    """Not even those that write more than a pipe holds stop the hook, or hide another's deny."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    packages = Packages(tmp_path / "site")
    packages.add("noisy", NOISY.format(then=then))
    packages.add("zzz", NOISY.format(then="return Verdict.deny('zzz objects')"))
    packages.build(guarded)
    found = guarded.run(guarded.worker(), "make", before=stderr)

    assert found.decision == "deny"
    assert found.said[-1] == "zzz objects"
    assert ("noisy objects" in found.said) == ("Verdict" in then)


def test_without_third_parties_a_call_is_judged_as_ever(
    guarded: Guarded, stderr: Callable[[], None]
) -> None:
    """What is denied is denied, and what is allowed is not asked about."""
    primary = guarded.primary()

    assert "plans and delegates" in guarded.run(primary, "make", before=stderr).reason
    assert guarded.view(primary, before=stderr).answer == {"decision": "allow"}
