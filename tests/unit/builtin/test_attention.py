"""The attention guard: what counts as an account of the work, and whose stop is judged at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.model.call import Stop
from agguard.model.effect import WORK, Effect
from agguard.model.session import Role, Session
from agguard.model.verdict import StopVerdict
from agguard_builtin.attention.guard import judge

MARKER = "Summary of skills used:"
WORKED = Stop(reason="NO_TOOL_CALL", work=Effect.WRITE, last_message="Done.")


def sent_back(stop: Stop, role: Role = Role.PRIMARY, **settings: object) -> bool:
    verdict = judge(stop, Session("c", role, settings={"attention": settings}))
    assert verdict is None or verdict.again
    return verdict is not None


ACCOUNTS = [
    "Summary of skills used: delegation",
    "Summary of skills used:",
    "Summary of skills used: none\n\nDone.",
    "Done.\n\nSummary of skills used: delegation",
    "Done.\r\nSummary of skills used: delegation\r\n",
    "summary of skills used: delegation",
    "SUMMARY OF SKILLS USED: DELEGATION",
    "  Summary of skills used: delegation",
    "\tSummary of skills used: delegation",
    "**Summary of skills used:** delegation",
    "**Summary of skills used**: delegation",
    "__Summary of skills used:__ delegation",
    "*Summary of skills used:* delegation",
    "# Summary of skills used: delegation",
    "### Summary of skills used:\n- delegation",
    "> Summary of skills used: delegation",
    "> **Summary of skills used:** delegation",
    "- Summary of skills used: delegation",
    "* **Summary of skills used:** delegation",
    "1. Summary of skills used: delegation",
    "2) Summary of skills used: delegation",
    "`Summary of skills used:` delegation",
    "~~Summary of skills used:~~ delegation",
    "Summary  of   skills used: delegation",
    "Summary of skills used: delegation.\nSummary of skills used: again",
]

NO_ACCOUNTS = [
    "",
    "Done.",
    "Summary",
    "Summary of skills:",
    "Summary of skills used",
    "Skills used: delegation",
    "I would write the Summary of skills used: later",
    "No summary of skills used: there is none",
    "Summary of\nskills used: delegation",
    "Summary of skills unused: delegation",
    "Summaryofskillsused: delegation",
    "Zusammenfassung: keine",
]


@pytest.mark.parametrize("message", ACCOUNTS)
def test_an_account_is_recognized_in_every_dress(message: str) -> None:
    """Markdown, headings, lists, quotes, blanks and letter case do not matter."""
    assert not sent_back(WORKED.replace(last_message=message))


@pytest.mark.parametrize("message", NO_ACCOUNTS)
def test_what_is_no_account_is_sent_back(message: str) -> None:
    """The marker has to open a line of the last message."""
    assert sent_back(WORKED.replace(last_message=message))


@pytest.mark.parametrize(
    ("effect", "back"),
    [(Effect(0), False), (Effect.READ, False), (Effect.MESSAGE, False), (Effect.NETWORK, False)]
    + [(Effect.CONTROL, False), (Effect.UNKNOWN, False)]
    + [(flag, True) for flag in Effect if flag & WORK]
    + [(Effect.READ | Effect.EXECUTE, True), (Effect.READ | Effect.NETWORK, False)],
)
def test_only_work_has_to_be_accounted_for(effect: Effect, back: bool) -> None:
    """Spawning, writing and executing; a question and its answer are none of these."""
    assert sent_back(WORKED.replace(work=effect)) == back


@pytest.mark.parametrize("role", list(Role))
def test_only_a_primary_is_asked(role: Role) -> None:
    """Children report to their parents in another form, and nobody knows an unknown one."""
    assert sent_back(WORKED, role) == (role == Role.PRIMARY)


@pytest.mark.parametrize("reason", ["", "NO_TOOL_CALL", "model_stop"])
def test_an_end_that_the_agent_chose_is_judged(reason: str) -> None:
    """In the words of new and of old documents."""
    assert sent_back(WORKED.replace(reason=reason))


@pytest.mark.parametrize(
    "stop",
    [
        WORKED.replace(reason="ERROR"),
        WORKED.replace(reason="USER_CANCELED"),
        WORKED.replace(reason="MAX_INVOCATIONS"),
        WORKED.replace(reason="MAX_FORCED_INVOCATIONS"),
        WORKED.replace(reason="MAX_TOKEN_BUDGET_EXCEEDED"),
        WORKED.replace(reason="TERMINAL_STEP_TYPE"),
        WORKED.replace(reason="OF_TOMORROW"),
        WORKED.replace(error="the model is gone"),
        WORKED.replace(fully_idle=False),
        WORKED.replace(last_message=None),
    ],
    ids=repr,
)
def test_an_end_that_it_did_not_choose_is_left_alone(stop: Stop) -> None:
    """Nor is one whose last words are not known: it could never satisfy anybody."""
    assert not sent_back(stop)


def test_it_can_be_switched_off() -> None:
    """`[attention] mode = "off"`."""
    assert not sent_back(WORKED, mode="off")
    assert sent_back(WORKED, mode="on")


@pytest.mark.parametrize(
    ("markers", "message", "back"),
    [
        ([], "Done.", False),
        (["Verified:"], "Done.", True),
        (["Verified:"], f"{MARKER} x", True),
        (["Verified:"], "**Verified:** yes", False),
        ([MARKER, "Verified:"], f"{MARKER} x", True),
        ([MARKER, "Verified:"], f"Verified: y\n{MARKER} x", False),
        (["Geprüft:"], "GEPRÜFT: ja", False),
    ],
)
def test_the_markers_are_the_operators(markers: list[str], message: str, back: bool) -> None:
    """All of them are needed, and none means that nothing is asked."""
    assert sent_back(WORKED.replace(last_message=message), markers=markers) == back


def test_the_reason_names_the_line_that_is_missing() -> None:
    """And what belongs into it."""
    verdict = judge(WORKED, Session("c", Role.PRIMARY))
    assert isinstance(verdict, StopVerdict)
    assert repr(MARKER) in verdict.reason
    assert "not verified because" in verdict.reason


@given(st.text())
def test_no_message_breaks_it(message: str) -> None:
    """Whatever the model says, it is an account or it is none."""
    assert sent_back(WORKED.replace(last_message=message)) in (True, False)


@given(st.text(alphabet="*_`#> -\t", max_size=6), st.text(alphabet="*_` ", max_size=4))
def test_dress_around_the_marker_never_matters(before: str, after: str) -> None:
    """Any mix of emphasis, quotes and headings."""
    assert not sent_back(WORKED.replace(last_message=f"Done.\n{before}{MARKER}{after} x"))
