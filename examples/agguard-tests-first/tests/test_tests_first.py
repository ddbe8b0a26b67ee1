"""Sessions as the engine records them, and whether the agent may stop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from agguard_tests_first import is_test

from agguard import Stop
from agguard.doctor.stage import Conversation, Stage
from agguard.testing import (
    Guards,
    assert_continued,
    assert_left_alone,
    calls,
    check_never_fails,
)

if TYPE_CHECKING:
    from pathlib import Path

    from agguard.testing import Home, Result


@pytest.fixture
def talk(tmp_path: Path) -> Conversation:
    found = Stage(str(tmp_path)).conversation()
    found.user("Mend it.")
    return found


def edit(talk: Conversation) -> None:
    talk.calls("write_to_file", {"TargetFile": "/w/app.py", "CodeContent": "x"})
    talk.result("CODE_ACTION", "Created file.")


def run(talk: Conversation, line: str, code: int = 0) -> None:
    talk.calls("run_command", {"CommandLine": line, "Cwd": "/w"})
    talk.result("RUN_COMMAND", f"The command exited with code {code}.")


def stop(guards: Guards, talk: Conversation) -> Result:
    talk.says("All tests pass.")
    return guards.stop(Stop(last_message="All tests pass."), "worker", transcript=talk.transcript)


def test_an_edit_without_a_test_run_is_sent_back(guards: Guards, talk: Conversation) -> None:
    """Whatever the agent says."""
    edit(talk)
    assert_continued(stop(guards, talk), by="tests-first", because="run the tests")


def test_a_passing_run_after_the_edit_is_enough(guards: Guards, talk: Conversation) -> None:
    """The next edit needs another one."""
    edit(talk)
    run(talk, "python -m pytest -q")
    assert_left_alone(stop(guards, talk), by="tests-first")
    edit(talk)
    assert_continued(stop(guards, talk), by="tests-first")


@pytest.mark.parametrize(
    ("line", "code"),
    [("pytest", 1), ("pytest || true", 0), ("pytest; true", 0), ("echo pytest", 0), ("ls", 0)],
)
def test_what_proves_nothing_does_not_count(
    guards: Guards, talk: Conversation, line: str, code: int
) -> None:
    """A failed run, a hidden status, another command."""
    edit(talk)
    run(talk, line, code)
    assert_continued(stop(guards, talk), by="tests-first")


def test_who_edited_nothing_may_stop(guards: Guards, talk: Conversation) -> None:
    """Nor does an edit count that was denied."""
    run(talk, "ls")
    talk.calls("write_to_file", {"TargetFile": "/w/app.py", "CodeContent": "x"})
    talk.record("MODEL", "CODE_ACTION", status="ERROR", error="denied by pre-tool hook: no")
    assert_left_alone(stop(guards, talk), by="tests-first")


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("pytest tests", True),
        ("cd app && pytest", True),
        ("CI=1 uv run pytest -x", True),
        ("npm test", True),
        ("npm install", False),
        ("pytest | tail", False),
        ("pytest & ", False),
        ("true && pytest", False),
        ("pytest $(rm x)", False),
    ],
)
def test_which_lines_are_test_runs(line: str, wanted: bool) -> None:
    """Only those whose exit status is the tests' own."""
    assert is_test(line, ("pytest", "npm test")) is wanted


def test_no_payload_makes_it_fail(guards: Guards) -> None:
    """Hosts drift."""
    check_never_fails(guards, by="tests-first")


def test_an_edit_by_shell_counts(agguard_home: Home) -> None:
    """In real processes: the worker's command is noted when it is allowed, and its stop judged."""
    worker = agguard_home.worker()
    agguard_home.call(worker, calls.run("sed -i s/a/b/ app.py", agguard_home.workspace))
    worker.result("RUN_COMMAND", "The command exited with code 0.")
    assert_continued(agguard_home.stop(worker, "Done."), by="tests-first")
