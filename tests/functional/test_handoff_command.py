"""`agguard handoff`, run as a person or a script runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from agguard.model.report.schema import ROLES, schema

ROOT = Path(__file__).parents[2]
GOOD = '{"status": "completed", "summary": "s", "files_modified": [], "verify_cmd": "pytest"}'


def agguard(*arguments: str, text: str | bytes = "") -> subprocess.CompletedProcess[str]:
    given = text.encode() if isinstance(text, str) else text
    done = subprocess.run(
        [sys.executable, "-m", "agguard", "handoff", *arguments],
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    return subprocess.CompletedProcess(done.args, done.returncode, out, err)


@pytest.mark.parametrize("role", ROLES)
def test_the_schema_is_printed_for_any_library(role: str) -> None:
    """Draft 2020-12, and the very one that hooks check by."""
    printed = json.loads(agguard("schema", role).stdout)
    Draft202012Validator.check_schema(printed)
    assert printed == schema(role)


def test_a_valid_report_is_valid(tmp_path: Path) -> None:
    """From a file and from standard input."""
    path = tmp_path / "a report.json"
    path.write_text(GOOD, encoding="utf-8")
    for done in (agguard("check", str(path)), agguard("check", "-", text=GOOD)):
        assert (done.returncode, done.stdout, done.stderr) == (0, "valid\n", "")


def test_an_invalid_one_is_told_by_its_paths_and_what_would_pass() -> None:
    """One problem in a line, the correction last; the status says it, too."""
    corrected = {
        "status": "completed",
        "summary": "Sure!",
        "files_modified": [],
        "verify_cmd": "the command that proves it",
    }
    done = agguard("check", "-", text='Sure! {"status": "done", "summary": ""}')
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "$ has text around the JSON object: 'Sure!'",
        "$.files_modified is missing",
        "$.verify_cmd is missing",
        "$.status is 'done', expected one of 'completed', 'failed', 'blocked'",
        "$.summary is blank",
        f"Send this and no other text: {json.dumps(corrected)}",
    ]


def test_it_can_be_read_by_programs_and_for_other_roles() -> None:
    """`--json`, `--role`."""
    short = '{"status": "completed", "summary": "s"}'
    done = agguard("check", "-", "--json", text=short)
    assert json.loads(done.stdout)["problems"] == [
        "$.files_modified is missing",
        "$.verify_cmd is missing",
    ]
    assert agguard("check", "-", "--role", "coordinator", text=short).stdout == "valid\n"
    assert json.loads(agguard("check", "-", "--json", text=GOOD).stdout)["standing"] == "valid"


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    """A missing file, an unknown role, bytes that are no text."""
    missing = agguard("check", str(tmp_path / "none.json"))
    assert missing.returncode == 2
    assert "cannot read" in missing.stderr
    assert agguard("schema", "nobody").returncode == 2
    assert agguard("check", "-", text=b"\xff\xfe").returncode == 1
    assert agguard("check", "-").returncode == 1
