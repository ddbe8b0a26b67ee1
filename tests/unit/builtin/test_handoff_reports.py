"""Reports of subagents: what is one, what is said about what is none, and what would pass."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from agguard.model.report.check import problems
from agguard.model.report.correction import corrected, skeleton
from agguard.model.report.reading import read
from agguard.model.report.schema import PROPERTIES, ROLES, STATUSES, role_of, schema
from agguard.model.session import Role, Session

GOOD: dict[str, Any] = {
    "status": "completed",
    "summary": "Renamed it.",
    "files_modified": ["app.py"],
    "verify_cmd": "pytest -q",
}
FAILED = {
    **GOOD,
    "status": "failed",
    "failure_kind": "test",
    "failing_command": "pytest -q",
    "exit_code": 1,
    "diagnostic": "2 tests fail",
}
BLOCKED = {**GOOD, "status": "blocked", "verify_cmd": "", "question": "Which database?"}

TEXTS = st.one_of(
    st.sampled_from([*STATUSES, "", " ", "\n", "\x1f", "\x85", "done", "pytest", "s" * 5000]),
    st.text(max_size=20),
    st.just("x" * 5001),
)
SCALARS = st.one_of(
    TEXTS, st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from([0, 1, 1.0, -0.0])
)
VALUES = st.one_of(
    SCALARS, st.lists(SCALARS, max_size=4), st.dictionaries(TEXTS, SCALARS, max_size=2)
)
DOCUMENTS = st.one_of(
    VALUES,
    st.fixed_dictionaries(
        {},
        optional={
            name: st.one_of(VALUES, st.sampled_from(["completed", "failed", "blocked", 1, None]))
            for name in [*PROPERTIES, "more"]
        },
    ),
    st.builds(
        lambda base, changes, gone: {
            name: value for name, value in {**base, **changes}.items() if name not in gone
        },
        st.sampled_from([GOOD, FAILED, BLOCKED]),
        st.dictionaries(st.sampled_from([*PROPERTIES]), VALUES, max_size=3),
        st.sets(st.sampled_from([*PROPERTIES]), max_size=3),
    ),
)


@pytest.mark.parametrize("role", ROLES)
def test_a_schema_is_a_valid_schema(role: str) -> None:
    """Draft 2020-12, by the library's own meta-schema, and JSON as it stands."""
    Draft202012Validator.check_schema(schema(role))
    assert json.loads(json.dumps(schema(role))) == schema(role)
    assert schema(role)["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


@given(document=DOCUMENTS, role=st.sampled_from(ROLES))
def test_our_checker_finds_what_the_library_finds(document: object, role: str) -> None:
    """The same problems, at the same places, by the same keywords."""
    theirs = sorted(
        (str(list(error.absolute_path)), str(error.validator), error.message.partition("'")[2][:6])
        if error.validator == "required"
        else (str(list(error.absolute_path)), str(error.validator), "")
        for error in Draft202012Validator(schema(role)).iter_errors(document)
    )
    ours = sorted(
        (str(list(found.path)), found.keyword, f"{found.member}'"[:6] if found.member else "")
        for found in problems(document, schema(role))
    )
    assert ours == theirs


@given(document=DOCUMENTS, role=st.sampled_from(ROLES), prose=TEXTS)
def test_a_correction_always_passes(document: object, role: str, prose: str) -> None:
    """It is the report that was meant, and valid."""
    found = corrected(document, role, prose)

    assert problems(found, schema(role)) == []
    if isinstance(document, dict) and not problems(document, schema(role)):
        assert found == document


@given(text=st.one_of(st.text(), st.builds(json.dumps, DOCUMENTS)), role=st.sampled_from(ROLES))
def test_reading_never_raises_and_a_valid_report_is_exactly_valid_json(
    text: str, role: str
) -> None:
    """Standing and problems agree with the library on every text."""
    report = read(text, role)
    try:
        document = json.loads(text.lstrip("\ufeff"))
        valid = Draft202012Validator(schema(role)).is_valid(document)
    except (ValueError, RecursionError):
        valid = False

    assert (report.standing == "valid") == valid
    assert bool(report.correction) == bool(report.problems)
    assert all(problem.startswith("$") for problem in report.problems)


@pytest.mark.parametrize("document", [GOOD, FAILED, BLOCKED], ids=lambda one: one["status"])
def test_a_report_of_each_status_is_read(document: dict[str, Any]) -> None:
    """White space and a byte order mark around it are no text."""
    report = read(f"\ufeff {json.dumps(document, indent=2)}\n", "executor")

    assert (report.standing, report.status) == ("valid", document["status"])
    assert report.document == document


WRAPPED = [
    f"Sure thing! Here is what I did: {json.dumps(GOOD)}",
    f"```json\n{json.dumps(GOOD, indent=1)}\n```",
    f"{json.dumps(GOOD)}\nLet me know!",
    f"{json.dumps(GOOD)}{json.dumps(GOOD)}",
    f"I used {{braces}} first. {json.dumps(GOOD)}",
]


@pytest.mark.parametrize("text", WRAPPED)
def test_wrapping_is_refused_with_the_object_alone_as_the_correction(text: str) -> None:
    """What is right already is kept word for word."""
    report = read(text, "executor")

    assert report.problems[0].startswith("$ has text around the JSON object")
    assert report.status == ""
    assert report.correction == f"Send this and no other text: {json.dumps(GOOD)}"


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "$.status is missing"),
        ({**GOOD, "status": "done"}, "$.status is 'done', expected one of 'completed', 'failed'"),
        ({**GOOD, "status": 1}, "$.status is an integer, expected one of"),
        ({**GOOD, "summary": " "}, "$.summary is blank"),
        ({**GOOD, "summary": "x" * 5001}, "$.summary has 5001 characters, expected 5000"),
        ({**GOOD, "files_modified": "app.py"}, "$.files_modified is a string, expected array"),
        (
            {**GOOD, "files_modified": ["a", 1]},
            "$.files_modified[1] is an integer, expected string",
        ),
        ({**GOOD, "verify_cmd": ""}, "$.verify_cmd is blank"),
        ({**GOOD, "status": "failed"}, "$.failure_kind is missing"),
        ({**FAILED, "exit_code": "1"}, "$.exit_code is a string, expected integer or null"),
        ({**FAILED, "exit_code": 1.5}, "$.exit_code is a number, expected integer or null"),
        ({**FAILED, "exit_code": True}, "$.exit_code is a boolean, expected integer or null"),
        ({**GOOD, "status": "blocked"}, "$.question is missing"),
        ([GOOD], "$ is an array, expected one object"),
        (None, "$ is null, expected one object"),
    ],
    ids=str,
)
def test_a_problem_names_its_place(document: object, said: str) -> None:
    """Messages begin with the `$.path`."""
    assert any(
        problem.startswith(said) for problem in read(json.dumps(document), "executor").problems
    )


@pytest.mark.parametrize(
    "document",
    [
        {**GOOD, "more": {"anything": [1]}},
        {**GOOD, "files_modified": []},
        {**GOOD, "summary": "x" * 5000},
        {**FAILED, "exit_code": None, "failing_command": "", "verify_cmd": ""},
        {**FAILED, "exit_code": -9},
    ],
    ids=str,
)
def test_what_is_harmless_is_left_alone(document: dict[str, Any]) -> None:
    """More members, no files, no command where none could be run."""
    assert read(json.dumps(document), "executor").problems == ()


def test_who_cannot_execute_need_not_prove_by_a_command() -> None:
    """A coordinator and a read-only worker run none."""
    for role in ("coordinator", "researcher"):
        assert read('{"status": "completed", "summary": "s"}', role).standing == "valid"
    assert read('{"status": "completed", "summary": "s"}', "executor").standing == "invalid"
    assert role_of(Session("c", Role.WORKER)) == "executor"
    assert role_of(Session("c", Role.WORKER, read_only=True)) == "researcher"
    assert role_of(Session("c", Role.COORDINATOR, 1)) == "coordinator"


def test_a_large_report_is_corrected_by_its_changed_members() -> None:
    """Repeating it would fill the context that a report is to spare."""
    document = {**GOOD, "summary": "long " * 400}
    del document["verify_cmd"]

    (said,) = [read(json.dumps(document), "executor").correction]
    assert said == (
        "Send the JSON object and no other text, with these members: "
        '"verify_cmd": "the command that proves it"'
    )
    assert (
        "alone"
        in read(f"ok {json.dumps({**GOOD, 'summary': 'long ' * 400})}", "executor").correction
    )


@pytest.mark.parametrize("status", STATUSES)
def test_a_skeleton_passes_as_form(status: str) -> None:
    """What it claims is looked up as any claim is."""
    assert read(skeleton("executor", status), "executor").status == status


def test_deep_and_huge_texts_are_no_reports() -> None:
    """They end in a problem, not in an error."""
    assert read("[" * 200_000, "executor").standing == "invalid"
    assert read("{" * 200_000, "executor").standing == "invalid"
    assert read('{"a":' * 100_000, "executor").standing == "invalid"
    assert read(" " * (1 << 20) + "{}", "executor").standing == "invalid"
