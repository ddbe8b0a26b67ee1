"""A hook that is killed at any point leaves a ledger that is whole and agrees with itself."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from fakes.family import COORDINATOR, REPORT, bound, idle, spawn, statuses, verified, worker

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakes.guarded import Guarded

    Payload = tuple[str, dict[str, Any]]

KILLS = int(os.environ.get("TEST_KILLS", "20"))
"""How many hooks are killed; more of them on demand."""


def kill(guarded: Guarded, event: str, payload: dict[str, Any], after: float) -> bool:
    """Start the registered command and kill all of it after some seconds; say whether it lived."""
    handler = guarded.host._handler(event, payload.get("toolCall", {}).get("name", ""))
    environ = {**guarded.host.environ, "ANTIGRAVITY_CONVERSATION_ID": payload["conversationId"]}
    with subprocess.Popen(
        ["sh", "-c", handler["command"]],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=os.path.dirname(guarded.host.hooks),
        env=environ,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        process.stdin.write(json.dumps(payload).encode())
        process.stdin.close()
        time.sleep(after)
        lived = process.poll() is None
        if lived:
            os.killpg(process.pid, signal.SIGKILL)
    return lived


def spawning(guarded: Guarded) -> Payload:
    """A primary starts two subagents: two items, two tokens, events and a decision."""
    entries = [{"Prompt": "a", "Role": "executor"}, {"Prompt": "b", **COORDINATOR}]
    return "PreToolUse", guarded.primary().calls("invoke_subagent", {"Subagents": entries})


def claiming(guarded: Guarded) -> Payload:
    """A child is seen for the first time: a claim, a binding, an event."""
    parent = guarded.primary()
    (prompt,) = spawn(guarded, parent, {"Prompt": "Work."})
    child = guarded.child(parent, prompt)
    return "PreToolUse", child.calls("run_command", {"CommandLine": "make"})


def ending(guarded: Guarded) -> Payload:
    """A child stops."""
    child = worker(guarded, guarded.primary())
    child.says(REPORT)
    return "Stop", child.stop()


def settling(guarded: Guarded) -> Payload:
    """A parent learns of two ends, and starts another subagent in the same hook."""
    parent = guarded.primary()
    for child in (worker(guarded, parent), worker(guarded, parent)):
        idle(parent, child)
    entries = [{"Prompt": "c", "Role": "executor"}]
    return "PreToolUse", parent.calls("invoke_subagent", {"Subagents": entries})


def sending(guarded: Guarded) -> Payload:
    """A parent gives a finished child a second task."""
    parent = guarded.primary()
    child = worker(guarded, parent)
    guarded.stop(child, REPORT)
    return "PreToolUse", parent.calls("send_message", {"Recipient": child.name, "Message": "More."})


SCENES: tuple[Callable[[Guarded], Payload], ...] = (spawning, claiming, ending, settling, sending)


@pytest.mark.timeout(60 + 6 * KILLS)
def test_a_killed_hook_leaves_a_sound_ledger(guarded: Guarded) -> None:
    """No token is claimed by nobody, no item is without its token, and the file is whole."""
    usual = min(guarded.view(guarded.primary()).seconds for _ in range(3))
    moments = random.Random(time.time_ns())  # noqa: S311 - not for secrets
    lived = 0
    for number in range(KILLS):
        scene = SCENES[number % len(SCENES)]
        event, payload = scene(guarded)
        # The interpreter starts first; what matters happens in the second half.
        after = moments.uniform(0.4, 1.2) * usual
        lived += kill(guarded, event, payload, after)
        assert verified(guarded) == [], f"{scene.__name__} killed after {after:.4f} s"
    assert lived > 0, "no hook was killed: they all were faster"


@pytest.mark.parametrize("after", [0.2, 0.5, 0.8, 1.0])
def test_after_a_kill_the_same_hook_does_its_work(guarded: Guarded, after: float) -> None:
    """Whatever was stored before: a claim is repeated, and nothing is done twice."""
    usual = min(guarded.view(guarded.primary()).seconds for _ in range(3))
    parent = guarded.primary()
    call = parent.calls("invoke_subagent", {"Subagents": [{"Prompt": "p", "Role": "executor"}]})
    kill(guarded, "PreToolUse", call, after * usual)
    (prompt,) = guarded.fire("PreToolUse", call).prompts
    child = guarded.child(parent, prompt)
    run = child.calls("run_command", {"CommandLine": "make"})
    kill(guarded, "PreToolUse", run, after * usual)

    assert guarded.fire("PreToolUse", run).decision == "allow"
    found = bound(guarded, child)
    assert found is not None
    assert found.parent == parent.name
    child.says(REPORT)
    kill(guarded, "Stop", child.stop(), after * usual)
    guarded.fire("Stop", child.stop())
    assert statuses(guarded, child) == ["TERMINATED"]
    assert verified(guarded) == []
