"""An agent stops when a test run has passed since its last edit.

What the agent says about tests is prose; what counts is its transcript, which no agent's tool can
write: the commands it ran, and their exit status. Edits by shell are seen as agguard classifies
them, and noted in agguard's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING

from agguard import Decision, Effect, Record, Session, Stop, StopVerdict, hookimpl
from agguard.transcript.turns import turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agguard.transcript.calls import Call

agguard_hookspec = 1
agguard_settings = {
    "commands": {
        "type": "list",
        "default": [
            *("pytest", "python -m pytest", "tox", "nox", "npm test", "npm run test", "yarn test"),
            *("pnpm test", "cargo test", "go test", "make test", "make check", "mvn test"),
        ],
        "meaning": "commands that run tests, by their first words",
        "stricter": "shrink",
    },
}

EDITS = (
    *("write_to_file", "replace_file_content", "multi_replace_file_content", "sed_file"),
    *("notebook_edit",),
)
MASKS = re.compile(r"\|\||[;|\n`!<>]|\$\(|(?<!&)&(?!&)")
"""What can hide a test's exit status: only commands joined by `&&` are proof."""

LEADING = re.compile(r"(?:cd [\w./~-]+ && )?(?:\w+=\S* )*(?:uv run |poetry run |rtk )?")


@hookimpl
def judge_stop(stop: Stop, session: Session) -> StopVerdict | None:
    """Send an agent back whose last edit no passing test run has followed."""
    if not session.transcript or stop.error or not stop.fully_idle:
        return None
    commands = session.section("plugins").get("tests-first", {}).get("commands", ())
    done = turn(session.transcript).calls
    edited = max([_last_edit(done, session), *_noted(session, {c.step for c in done})], default=-1)
    if edited < 0 or _last_pass(done, commands) > edited:
        return None
    return StopVerdict.go_on(
        "tests-first: no test run has passed since your last edit; run the tests by a plain "
        f"command such as `{commands[0] if commands else 'pytest'}`, and mend what fails"
    )


@hookimpl
def observe(record: Record) -> None:
    """Note commands that write files, which the transcript does not call edits."""
    call, outcome, session = record.call, record.outcome, record.session
    if record.event != "PreToolUse" or not call or not outcome or call.name != "run_command":
        return
    if outcome.decision < Decision.DENY and outcome.effect & Effect.WRITE and session.cache_dir:
        path = _notes(session)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{call.step}\n")


def _last_edit(done: Sequence[Call], session: Session) -> int:
    """Return the step of the last edit that took place; artifacts are no code."""
    steps = [
        call.step
        for call in done
        if call.name in EDITS
        and not _is_artifact(call, session)
        and not (call.result and (call.result.denied or call.result.error))
    ]
    return max(steps, default=-1)


def _is_artifact(call: Call, session: Session) -> bool:
    target = str(call.args.get("TargetFile", ""))
    return bool(session.artifact_dir) and target.startswith(session.artifact_dir + os.sep)


def _last_pass(done: Sequence[Call], commands: Iterable[str]) -> int:
    steps = [
        call.step
        for call in done
        if call.name == "run_command"
        and call.result
        and call.result.exit_code == 0
        and is_test(str(call.args.get("CommandLine", "")), commands)
    ]
    return max(steps, default=-1)


def is_test(line: str, commands: Iterable[str]) -> bool:
    """Whether the exit status of a command line is the one of a test run."""
    if MASKS.search(line):
        return False
    leading = LEADING.match(line.strip())
    words = line.strip()[leading.end() if leading else 0 :].split()
    return any(words[: len(one.split())] == one.split() for one in commands)


def _notes(session: Session) -> str:
    name = hashlib.sha256(session.conversation.encode("utf-8", "replace")).hexdigest()[:24]
    return os.path.join(session.cache_dir, "tests-first", name)


def _noted(session: Session, steps: set[int]) -> list[int]:
    """Return the noted steps that belong to this turn."""
    try:
        with open(_notes(session), encoding="utf-8") as file:
            return [int(line) for line in file if line.strip().isdigit() and int(line) in steps]
    except OSError:
        return []
