"""What a report claims against what the record bears out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agguard.model.report.reading import read
from agguard.pipeline.claims import unproven
from agguard.transcript.calls import Call, Result
from agguard.transcript.turns import Turn

FOLDER = "/home/u/.gemini/antigravity/brain/kid"


def said(role: str = "executor", **fields: Any) -> Any:
    base = {"status": "completed", "summary": "s", "files_modified": ["app.py"]}
    return read(json.dumps({**base, "verify_cmd": "pytest -q", **fields}), role)


def edit(step: int, path: str = "/w/app.py", name: str = "write_to_file", **result: Any) -> Call:
    key = "target_file" if name == "sed_file" else "TargetFile"
    return Call(name, {key: path}, step, Result(step, "CODE_ACTION", "DONE", **result))


def run(step: int, line: str = "pytest -q", code: int | None = 0, **result: Any) -> Call:
    found = Result(step, "RUN_COMMAND", "DONE", code, **result)
    return Call("run_command", {"CommandLine": line, "Cwd": "/w"}, step, found)


def doubts(*calls: Call, since: int = -1, problem: str = "", **report: Any) -> str:
    found = unproven(said(**report), Turn(calls=calls, problem=problem), since, FOLDER)
    return "; ".join(found)


BORNE_OUT: dict[str, tuple[Call, ...]] = {
    "edit and proof": (edit(1), run(3)),
    "through rtk": (edit(1), run(3, "rtk pytest -q")),
    "at the end of a chain": (edit(1), run(3, "cd /w && pytest -q")),
    "a failure before the success": (edit(1), run(3, code=1), run(5)),
    "another command fails after it": (edit(1), run(3), run(5, "ls", 1)),
    "by sed_file": (edit(1, name="sed_file"), run(3)),
    "by redirection": (run(1, "echo x > app.py"), run(3)),
    "by redirection elsewhere": (run(1, "cd / && echo x > /w/app.py"), run(3)),
    "in place": (run(1, "sed -i s/a/b/ app.py"), run(3)),
    "by an edit in the same line": (run(3, "sed -i s/a/b/ app.py && pytest -q"),),
    "by a patch in the same line": (edit(1), run(3, "git apply a.patch; cd /w && pytest -q")),
    "by a URI": (edit(1, "file:///w/app.py"), run(3)),
    "in a folder below": (edit(1, "/w/src/app.py"), run(3)),
    "notes afterwards": (edit(1), run(3), edit(5, f"{FOLDER}/walkthrough.md")),
    "an edit that was denied afterwards": (edit(1), run(3), edit(5, denied="no")),
    "an edit that failed afterwards": (edit(1), run(3), edit(5, error="no such file")),
    "the last of several edits": (edit(1), run(3), edit(5), run(7)),
}


@pytest.mark.parametrize("calls", BORNE_OUT.values(), ids=BORNE_OUT)
def test_what_was_done_is_borne_out(calls: tuple[Call, ...]) -> None:
    """However it was spelled."""
    assert doubts(*calls) == ""


DOUBTED: dict[str, tuple[tuple[Call, ...], str]] = {
    "nothing was done": ((), "which it did not write; verify_cmd 'pytest -q' is not among"),
    "never run": ((edit(1), run(3, "ls")), "is not among the commands that it ran"),
    "only shown": ((edit(1), run(3, "echo pytest -q")), "is not among the commands that it ran"),
    "silenced": ((edit(1), run(3, "pytest -q || true")), "is not among the commands that it ran"),
    "failed": ((edit(1), run(3, code=2)), "ended with exit status 2"),
    "failed at last": ((edit(1), run(3), run(5, code=1)), "ended with exit status 1"),
    "still running": ((edit(1), run(3, code=None)), "has no known exit status"),
    "denied": ((edit(1), run(3, denied="no")), "is not among the commands that it ran"),
    "before the edit": ((run(1), edit(3)), "was not run after its last edit (step 3)"),
    "before a write by the shell": (
        (edit(1), run(3), run(5, "echo x >> app.py")),
        "was not run after its last edit (step 5)",
    ),
    "before files that nobody names change": (
        (edit(1), run(3), run(5, "git stash pop")),
        "was not run after its last edit (step 5)",
    ),
    "another file": ((edit(1, "/w/other.py"), run(3)), "names 'app.py', which it did not write"),
    "a file whose name ends alike": ((edit(1, "/w/myapp.py"), run(3)), "names 'app.py', which"),
    "only read": ((run(1, "cat app.py"), run(3)), "names 'app.py', which it did not write"),
    "only denied": ((edit(1, denied="no"), run(3)), "names 'app.py', which it did not write"),
}


@pytest.mark.parametrize(("calls", "what"), DOUBTED.values(), ids=DOUBTED)
def test_what_was_not_done_is_doubted(calls: tuple[Call, ...], what: str) -> None:
    """Each claim by itself."""
    assert what in doubts(*calls)


def test_an_absolute_name_means_that_file() -> None:
    """And letter case is what file systems make of it."""
    assert doubts(edit(1), run(3), files_modified=["/w/app.py"]) == ""
    assert doubts(edit(1), run(3), files_modified=["/W/App.py"]) == ""
    assert "'/x/app.py'" in doubts(edit(1), run(3), files_modified=["/x/app.py"])
    assert doubts(edit(1), run(3), files_modified=["./app.py", "w/app.py"]) == ""
    assert doubts(run(3), files_modified=[]) == ""


def test_a_former_task_proves_nothing_about_this_one() -> None:
    """What stands before the step at which it began does not count."""
    assert "is not among" in doubts(edit(1), run(3), since=4)
    assert doubts(edit(1), run(3), edit(5), run(7), since=4) == ""


def test_a_record_with_holes_proves_nothing() -> None:
    """An edit may stand in what was lost."""
    assert "could not be read whole (no transcript)" in doubts(
        edit(1), run(3), problem="no transcript"
    )


@pytest.mark.parametrize(
    "report",
    [
        {"role": "coordinator"},
        {"role": "researcher"},
        {"status": "blocked", "question": "q"},
        {
            "status": "failed",
            "failure_kind": "k",
            "failing_command": "",
            "exit_code": None,
            "diagnostic": "d",
        },
    ],
    ids=str,
)
def test_only_a_success_of_somebody_who_executes_is_looked_up(report: dict[str, Any]) -> None:
    """A failure that is claimed is believed."""
    assert doubts(**report) == ""
