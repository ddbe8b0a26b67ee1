"""Assertions whose messages show what every guard said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agguard.model.verdict import Decision
from agguard.quantity import counted

if TYPE_CHECKING:
    from agguard.testing.result import Result


def assert_denied(result: Result, *, by: str = "", because: str = "") -> None:
    """Fail unless the call is denied.

    Args:
        result: What came of the call.
        by: The guard that has to deny it, as `plugin` or `plugin.part`.
        because: A text that its reason holds.
    """
    _decided(result, Decision.DENY, by, because)


def assert_asked(result: Result, *, by: str = "", because: str = "") -> None:
    """Fail unless the user is asked, with `ask` or `force_ask`."""
    wanted = Decision.FORCE_ASK if result.decision == Decision.FORCE_ASK else Decision.ASK
    _decided(result, wanted, by, because)


def assert_continued(result: Result, *, by: str = "", because: str = "") -> None:
    """Fail unless a stop is sent back."""
    _require(result, result.event == "Stop", "it is no stop")
    _decided(result, Decision.DENY, by, because)


def assert_left_alone(result: Result, *, by: str = "") -> None:
    """Fail unless nothing was objected to, asked or changed.

    Args:
        result: What came of the event.
        by: Only this guard has to have left it alone.
    """
    objections = [one for one in result.said_by(by) if one.decision != Decision.ALLOW]
    _require(result, not objections, f"{by or 'a guard'} did not leave it alone")
    _require(result, not result.faults_of(by), "a guard failed")
    if not by:
        _require(result, result.decision <= Decision.ALLOW, "it is not allowed")
        _require(result, not result.overwrite, "arguments are changed")


def assert_rewritten(result: Result, to: str, *, by: str = "") -> None:
    """Fail unless the command becomes `to`."""
    found = result.overwrite.get("CommandLine")
    _require(result, found == to, f"the command becomes {found!r}, not {to!r}")
    _require(result, bool(result.said_by(by)), f"{by!r} rewrote nothing")


def assert_advised(result: Result, *, by: str = "", because: str = "") -> None:
    """Fail unless a guard lets it pass and says something to it."""
    _require(result, result.decision <= Decision.ALLOW, "it is not allowed")
    found = [one for one in result.said_by(by) if one.decision == Decision.ALLOW and one.text]
    held = any(because in one.text for one in found)
    _require(result, held, f"{by or 'nobody'!r} said nothing that holds {because!r}")


def assert_injected_once(result: Result, text: str, *, by: str = "") -> None:
    """Fail unless what agents are told holds `text` exactly once each.

    Args:
        result: What came of a spawn, or of a model call.
        text: What is to be told.
        by: The guard that has to have said something.
    """
    _require(result, bool(result.texts), "nothing was said to an agent")
    _require(result, not by or bool(result.said_by(by)), f"{by!r} said nothing")
    for one in result.texts:
        times = one.count(text)
        _require(result, times == 1, f"{text!r} stands {counted(times, 'time')} in {one!r}")


def assert_no_faults(result: Result, *, by: str = "") -> None:
    """Fail if a guard broke its contract."""
    _require(result, not result.faults_of(by), "a guard failed")


def assert_within_deadline(result: Result) -> None:
    """Fail if a guard, or the whole event, ran out of time."""
    late = [one for one in result.faults if one.kind == "deadline"]
    _require(result, not late, "a guard ran out of time")
    text = f"it took {result.seconds:.2f} s of {result.limit:.2f} s"
    _require(result, result.seconds <= result.limit, text)


def _decided(result: Result, wanted: Decision, by: str, because: str) -> None:
    _require(result, not result.problem, "the host would not take the answer")
    _require(result, result.decision == wanted, f"expected {wanted.word}")
    found = [one for one in result.said_by(by) if one.decision == wanted]
    _require(result, bool(found), f"{by!r} did not say {wanted.word}")
    held = any(because in one.text for one in found)
    _require(result, held, f"no reason holds {because!r}")


def _require(result: Result, holds: bool, what: str) -> None:
    if not holds:
        msg = f"{what}\n{result.shown()}"
        raise AssertionError(msg)
