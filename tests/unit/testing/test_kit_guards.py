"""The kit asks guards as the hook does, and its assertions fail where they have to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from agguard.errors import PluginError
from agguard.model.call import Invocation, Record, Stop
from agguard.model.effect import Effect
from agguard.model.session import Role
from agguard.testing import (
    Guards,
    assert_advised,
    assert_asked,
    assert_continued,
    assert_denied,
    assert_injected_once,
    assert_left_alone,
    assert_no_faults,
    assert_rewritten,
    assert_within_deadline,
    calls,
    check_cases,
    check_never_fails,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

GUARD = """
from __future__ import annotations

from agguard import Addition, Reminder, Rewrite, StopVerdict, Verdict, hookimpl

agguard_settings = {
    "word": {"type": "string", "default": "forbidden", "meaning": "what no command may hold"},
}


@hookimpl
def judge_tool(call, session):
    word = session.section("plugins")["sample"]["word"]
    if word in call.text("CommandLine"):
        return Verdict.deny(f"{word} is not allowed")
    if "maybe" in call.text("CommandLine"):
        return Verdict.ask("really?")
    if "fine" in call.text("CommandLine"):
        return Verdict.allow("well done")
    if "crash" in call.text("CommandLine"):
        raise RuntimeError("boom")
    return None


@hookimpl
def rewrite_command(command):
    return Rewrite("ls -1") if command.text == "ls" else None


@hookimpl
def augment_prompt(spawn):
    return Addition(after="Be brief.")


@hookimpl
def judge_stop(stop):
    return StopVerdict.go_on("say more") if stop.last_message == "" else None


@hookimpl
def remind(invocation):
    return Reminder("Remember.") if invocation.number == 1 else None
"""

TABLE = """
plugins = ["sample=a_sample_guard_of_the_kit"]
guard = "sample"

[[acts]]
run = "echo forbidden"
reason = "not allowed"

[[acts]]
run = "echo maybe"
decision = "ask"

[[acts]]
run = "ls"
command = "ls -1"

[[acts]]
run = "echo fine"
decision = "allow"
reason = "well done"

[[acts]]
spawn = "Look around."
role = "primary"
tells = "Be brief."

[[acts]]
stop = { last_message = "" }

[[acts]]
remind = { number = 1 }
tells = "Remember."

[[acts]]
guard = "builtin.delegation"
tool = "write_to_file"
session = { read_only = true }

[[leaves_alone]]
run = "echo hello"

[[leaves_alone]]
run = "echo forbidden"
config = "plugins.sample.word = 'otherwise'"

[[leaves_alone]]
stop = { last_message = "Done.", work = ["write"] }

[[leaves_alone]]
remind = { number = 2, reports = [{ text = "none", who = "somebody" }] }

[[leaves_alone]]
tool = "view_file"
role = "primary"

[[faults]]
run = "echo crash"
"""


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "a_sample_guard_of_the_kit.py").write_text(GUARD, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "sample=a_sample_guard_of_the_kit"
    sys.modules.pop("a_sample_guard_of_the_kit", None)


@pytest.fixture
def guards(sample: str) -> Guards:
    return Guards(sample)


def test_every_hook_is_asked(guards: Guards) -> None:
    """Verdicts, rewrites, additions, stops and reminders come back under the guard's name."""
    assert_denied(guards.dispatch(calls.run("echo forbidden")), by="sample", because="not allowed")
    assert_asked(guards.dispatch(calls.run("echo maybe")), by="sample")
    assert_rewritten(guards.dispatch(calls.run("ls")), "ls -1", by="sample")
    assert_injected_once(guards.dispatch(calls.spawn("Work."), Role.PRIMARY), "Be brief.")
    assert_injected_once(guards.remind(Invocation(number=1)), "Remember.", by="sample")
    assert_advised(guards.dispatch(calls.run("echo fine")), by="sample", because="well done")
    assert_continued(guards.stop(Stop(last_message="")), by="sample", because="more")
    assert_left_alone(guards.stop(Stop(last_message="Done.")), by="sample")
    assert_left_alone(guards.dispatch(calls.run("echo hello")))
    assert_no_faults(guards.observe(Record("PostToolUse", guards.session(), calls.run("ls"))))


def test_the_shipped_guards_are_asked_too(guards: Guards, sample: str) -> None:
    """An author sees what the user will see; without them every effect is unknown."""
    asked = guards.dispatch(calls.run("echo hello"), Role.PRIMARY)

    assert_denied(asked, by="builtin.delegation")
    assert_left_alone(asked, by="sample")
    assert guards.dispatch(calls.view("/w/a")).effect == Effect.READ
    alone = Guards(sample, builtin=False)
    assert alone.dispatch(calls.view("/w/a")).effect == Effect.UNKNOWN


def test_a_plugin_sees_its_own_settings(sample: str) -> None:
    """Its defaults hold until the user says otherwise, and a wrong type is refused."""
    changed = Guards(sample, config='[plugins.sample]\nword = "hello"\n')

    assert_denied(changed.dispatch(calls.run("echo hello")), by="sample")
    assert_left_alone(changed.dispatch(calls.run("echo forbidden")))
    for wrong in ("word = 1", "wrod = 'x'"):
        with pytest.raises(PluginError, match=r"plugins\.sample"):
            Guards(sample, config=f"[plugins.sample]\n{wrong}\n")


def test_a_plugin_that_cannot_be_loaded_is_an_error() -> None:
    """Not a test run without the guard."""
    with pytest.raises(PluginError, match="ModuleNotFoundError"):
        Guards("nothing=no_module_of_that_name")
    with pytest.raises(PluginError, match="no plugin is named 'nothing'"):
        Guards("nothing")


FAILING: dict[str, Callable[[Guards], None]] = {
    "denied, but it is allowed": lambda g: assert_denied(g.dispatch(calls.run("echo hello"))),
    "denied, but by another": lambda g: assert_denied(
        g.dispatch(calls.run("echo hello"), Role.PRIMARY), by="sample"
    ),
    "denied, but for another reason": lambda g: assert_denied(
        g.dispatch(calls.run("echo forbidden")), because="weather"
    ),
    "asked, but it is denied": lambda g: assert_asked(g.dispatch(calls.run("echo forbidden"))),
    "left alone, but it is denied": lambda g: assert_left_alone(
        g.dispatch(calls.run("echo forbidden")), by="sample"
    ),
    "left alone, but it is rewritten": lambda g: assert_left_alone(g.dispatch(calls.run("ls"))),
    "left alone by one that rewrites": lambda g: assert_left_alone(
        g.dispatch(calls.run("ls")), by="sample"
    ),
    "left alone, but it failed": lambda g: assert_left_alone(g.dispatch(calls.run("echo crash"))),
    "rewritten to something else": lambda g: assert_rewritten(g.dispatch(calls.run("ls")), "ls -2"),
    "injected, but nothing was said": lambda g: assert_injected_once(g.remind(), "Remember."),
    "advised, but it said nothing": lambda g: assert_advised(
        g.dispatch(calls.run("echo hello")), by="sample"
    ),
    "advised, but it is denied": lambda g: assert_advised(g.dispatch(calls.run("echo forbidden"))),
    "injected, but by another": lambda g: assert_injected_once(
        g.remind(Invocation(number=25)), "reminder", by="sample"
    ),
    "injected, but something else": lambda g: assert_injected_once(
        g.remind(Invocation(number=1)), "Forget."
    ),
    "continued, but it is no stop": lambda g: assert_continued(
        g.dispatch(calls.run("echo forbidden"))
    ),
    "continued, but it may stop": lambda g: assert_continued(g.stop(Stop(last_message="Done."))),
    "no faults, but it raised": lambda g: assert_no_faults(g.dispatch(calls.run("echo crash"))),
    "never fails, but it can": lambda g: check_never_fails(_crashing(g), by="sample", rounds=20),
}


def _crashing(guards: Guards) -> Guards:
    module = sys.modules["a_sample_guard_of_the_kit"]

    def judge(call: object, session: object) -> None:
        raise TypeError

    module.judge_tool = judge
    return guards


@pytest.mark.parametrize("claim", FAILING)
def test_an_assertion_that_does_not_hold_fails(guards: Guards, claim: str) -> None:
    """An assertion that could not fail would be worth nothing."""
    with pytest.raises(AssertionError):
        FAILING[claim](guards)


def test_a_guard_that_loops_is_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test does not hang; the fault is the deadline's."""
    code = "from agguard import hookimpl\n@hookimpl\ndef judge_tool(call):\n    while True: pass\n"
    (tmp_path / "a_looping_guard_of_the_kit.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))

    found = Guards("loops=a_looping_guard_of_the_kit", seconds=0.2).dispatch(calls.run("ls"))

    assert found.faults_of("loops")[0].kind == "deadline"
    with pytest.raises(AssertionError, match="out of time"):
        assert_within_deadline(found)


def test_within_its_time_a_guard_passes(guards: Guards) -> None:
    """The other half of the deadline's assertion."""
    assert_within_deadline(guards.dispatch(calls.run("echo hello")))


def test_a_table_of_cases_runs_in_one_line(sample: str, tmp_path: Path) -> None:
    """Every half is checked."""
    table = tmp_path / "cases.toml"
    table.write_text(TABLE, encoding="utf-8")
    assert check_cases(str(table)) == 14


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('run = "echo hello"', 'run = "echo forbidden"', "1 of 14 cases failed"),
        ('run = "echo forbidden"', 'run = "echo hello"', "1 of 14 cases failed"),
        ('command = "ls -1"', 'command = "ls -2"', "not 'ls -2'"),
        ('run = "echo crash"', 'run = "echo hello"', "expected a fault"),
        ('decision = "ask"', 'decision = "deny"', "expected deny"),
        ('decision = "allow"', 'decision = "deny"', "expected deny"),
        ('tells = "Be brief."', 'tells = "Be long."', "stands 0 times"),
        ('stop = { last_message = "" }', 'stop = { last_message = "x" }', "expected deny"),
        ("read_only = true", "read_only = false", "expected deny"),
        ("word = 'otherwise'", "word = 'echo'", "did not leave it alone"),
        ("leaves_alone", "acts", "leaves_alone|expected"),
    ],
)
def test_a_case_that_does_not_hold_fails(
    sample: str, tmp_path: Path, before: str, after: str, told: str
) -> None:
    """The message names the case."""
    table = tmp_path / "cases.toml"
    text = TABLE.replace('[[faults]]\nrun = "echo crash"\n', "") if after == "acts" else TABLE
    table.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(AssertionError, match=told):
        check_cases(str(table))


@pytest.mark.parametrize("odd", ["reazon = 'x'", "tool = 'view_file'", "decision = 'perhaps'"])
def test_a_table_with_an_odd_key_is_refused(sample: str, tmp_path: Path, odd: str) -> None:
    """A misspelled expectation would check nothing."""
    table = tmp_path / "cases.toml"
    table.write_text(f'[[acts]]\nrun = "ls"\n{odd}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="unknown key"):
        check_cases(str(table), Guards(sample))


@pytest.mark.parametrize(
    "case",
    [
        "stop = { last_words = 'x' }",
        "stop = { work = ['ride'] }",
        "remind = { failures = { counts = 3 } }",
        "tool = 'view_file'\nfacts = { denied = 3 }",
        "spawn = 'x'\nfacts = { failed = { whom = 'x' } }",
        "run = 'ls'\nconfig = ''",
    ],
)
def test_a_fact_that_there_is_not_is_refused(sample: str, tmp_path: Path, case: str) -> None:
    """Neither is a case's own configuration, where the guards were made by the test."""
    table = tmp_path / "cases.toml"
    table.write_text(f"[[acts]]\n{case}\n[[leaves_alone]]\nrun = 'ls'\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"do not fit|is no effect|name its `plugins`"):
        check_cases(str(table), Guards(sample))


def test_a_sound_guard_never_fails(guards: Guards) -> None:
    """Made-up payloads reach every hook; the shipped guards stand them as well."""
    check_never_fails(guards, rounds=150)


def test_every_tool_of_the_contract_has_a_builder() -> None:
    """What a test changes is changed, None takes an argument away, and the rest is the example."""
    made = calls.call("view_file", AbsolutePath="/x", StartLine=None)

    assert made.args["AbsolutePath"] == "/x"
    assert "StartLine" not in made.args
    assert made.args["EndLine"] == 40
    assert {one.name for one in calls.every()} == set(calls.EXAMPLES)
    assert calls.call("a_tool_of_tomorrow", x=1).args["x"] == 1
