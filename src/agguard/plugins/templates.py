"""The text of a new guard's package. Every hook has an example that does something testable."""

from __future__ import annotations

from agguard.model.value import Value


class Example(Value):
    """One hook: what it imports, its implementation, and its test."""

    names: str
    """What it needs from agguard."""
    code: str
    kit: str
    """What its test needs from the kit."""
    test: str
    model: str = ""
    """What its test needs from agguard."""


EXAMPLES = {
    "classify_tool": Example(
        "Effect ToolCall",
        '''
@hookimpl
def classify_tool(call: ToolCall) -> Effect | None:
    """Say what the tools do that this package knows."""
    if call.name == "call_mcp_tool" and call.text("ServerName") == NAME:
        return Effect.NETWORK | Effect.WRITE
    return None
''',
        "Guards calls",
        '''
def test_our_server_writes(guards: Guards) -> None:
    """Its tools are classified, those of others are left to others."""
    ours = guards.dispatch(calls.mcp(NAME, "put"))
    assert ours.effect & Effect.WRITE
    assert [one.text for one in ours.said_by(NAME)] == ["network+write"]
    assert guards.dispatch(calls.mcp("another", "put")).said_by(NAME) == ()
''',
        "Effect",
    ),
    "judge_tool": Example(
        "ToolCall Verdict",
        '''
@hookimpl
def judge_tool(call: ToolCall) -> Verdict | None:
    """Deny what this package forbids, and name the way that is open."""
    if "forbidden-word" in call.text("CommandLine"):
        return Verdict.deny(f"{NAME}: run it without `forbidden-word`")
    return None
''',
        "Guards assert_denied assert_left_alone calls",
        '''
def test_what_is_forbidden_is_denied(guards: Guards) -> None:
    """The reason names the way that is open, and everything else is left alone."""
    denied = guards.dispatch(calls.run("echo forbidden-word"))
    assert_denied(denied, by=NAME, because="run it without")
    assert_left_alone(guards.dispatch(calls.run("echo hello")), by=NAME)
''',
    ),
    "rewrite_command": Example(
        "Command Rewrite",
        '''
@hookimpl
def rewrite_command(command: Command) -> Rewrite | None:
    """Spell a command so that it prints less, and does the same."""
    if command.text == "git log":
        return Rewrite("git log --oneline", f"{NAME}: shorter")
    return None
''',
        "Guards assert_left_alone assert_rewritten calls",
        '''
def test_a_command_prints_less(guards: Guards) -> None:
    """Only the command that is known is rewritten."""
    rewritten = guards.dispatch(calls.run("git log"))
    assert_rewritten(rewritten, "git log --oneline", by=NAME)
    assert_left_alone(guards.dispatch(calls.run("git tag")), by=NAME)
''',
    ),
    "augment_prompt": Example(
        "Addition Spawn",
        '''
@hookimpl
def augment_prompt(spawn: Spawn) -> Addition | None:
    """Tell subagents what they have to know."""
    if NAME in spawn.prompt:
        return None
    return Addition(after=f"{NAME}: keep to the rules of this project.")
''',
        "Guards assert_injected_once calls",
        '''
def test_subagents_are_told_once(guards: Guards) -> None:
    """A prompt that says it already is left as it is."""
    told = guards.dispatch(calls.spawn("Run the tests."), "primary")
    assert_injected_once(told, f"{NAME}: keep to the rules")
    spawn = calls.spawn(f"Run the tests. {NAME}: keep to the rules.")
    again = guards.dispatch(spawn, "primary")
    assert_injected_once(again, f"{NAME}: keep to the rules")
''',
    ),
    "judge_stop": Example(
        "Stop StopVerdict",
        '''
@hookimpl
def judge_stop(stop: Stop) -> StopVerdict | None:
    """Send an agent back that leaves something open."""
    if "TODO" in (stop.last_message or ""):
        return StopVerdict.go_on(f"{NAME}: your last message has an open TODO; do it")
    return None
''',
        "Guards assert_continued assert_left_alone",
        '''
def test_an_open_end_is_sent_back(guards: Guards) -> None:
    """A stop without one passes."""
    assert_continued(guards.stop(Stop(last_message="TODO: the tests")), by=NAME)
    assert_left_alone(guards.stop(Stop(last_message="Done.")), by=NAME)
''',
        "Stop",
    ),
    "remind": Example(
        "Invocation Reminder",
        '''
@hookimpl
def remind(invocation: Invocation) -> Reminder | None:
    """Tell an agent something as its turn begins, and be silent afterwards."""
    if invocation.number:
        return None
    return Reminder(f"{NAME}: keep to the rules of this project.")
''',
        "Guards assert_injected_once",
        '''
def test_an_agent_is_reminded_once_in_a_turn(guards: Guards) -> None:
    """Later calls of the turn cost nothing."""
    assert_injected_once(guards.remind(Invocation(number=0)), f"{NAME}: keep")
    assert guards.remind(Invocation(number=1)).said_by(NAME) == ()
''',
        "Invocation",
    ),
    "observe": Example(
        "Record",
        '''
@hookimpl
def observe(record: Record) -> None:
    """See what was decided, and how calls ended; keep it on this machine."""
    if record.error and record.session.cache_dir:
        path = os.path.join(record.session.cache_dir, f"{NAME}.log")
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"{record.event}\\n")
''',
        "Guards assert_no_faults calls",
        '''
def test_a_failed_call_is_noted(guards: Guards, tmp_path: Path) -> None:
    """One that ended well is not."""
    session = guards.session(cache_dir=str(tmp_path))
    for error in ("", "exit status 1"):
        record = Record("PostToolUse", session, calls.run("make"), error=error)
        assert_no_faults(guards.observe(record))
    noted = (tmp_path / f"{NAME}.log").read_text(encoding="utf-8")
    assert noted == "PostToolUse\\n"
''',
        "Record",
    ),
}


def project(name: str, module: str) -> str:
    """Return pyproject.toml."""
    return f"""[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "agguard-{name}"
version = "0.1.0"
description = "A guard for agguard"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["agguard"]

[project.optional-dependencies]
test = ["pytest>=8"]

[project.entry-points.agguard]
{name} = "{module}"

[tool.hatch.build.targets.wheel]
packages = ["src/{module}"]

[tool.pytest.ini_options]
addopts = "--import-mode=importlib"
testpaths = ["tests"]
pythonpath = ["src"]

[tool.mypy]
files = ["src", "tests"]
strict = true
mypy_path = ["src"]
"""


def module(name: str, hooks: tuple[str, ...]) -> str:
    """Return the guard itself."""
    wanted = [EXAMPLES[hook] for hook in hooks]
    names = sorted({word for one in wanted for word in one.names.split()} | {"hookimpl"}, key=_sort)
    extra = "import os\n\n" if "observe" in hooks else ""
    code = "\n".join(one.code for one in wanted)
    return (
        f'"""A guard for agguard: {name}."""\n\nfrom __future__ import annotations\n\n{extra}'
        f"{_imports('agguard', names)}\n"
        "agguard_hookspec = 1\n"
        '"""The version of the hook specs that this is written for."""\n\n'
        f'NAME = "{name}"\n\n'
        f"{code}"
    )


def conftest(name: str, module: str) -> str:
    """Return the tests' configuration."""
    return f'''"""The tests run on agguard's own kit."""

from __future__ import annotations

import pytest

pytest_plugins = ["agguard.testing.plugin"]


@pytest.fixture(scope="session")
def agguard_plugins() -> tuple[str, ...]:
    """The plugin under test."""
    return ("{name}={module}",)
'''


def tests(name: str, hooks: tuple[str, ...]) -> str:
    """Return the tests."""
    wanted = [EXAMPLES[hook] for hook in hooks]
    kit = {word for one in wanted for word in one.kit.split()} | {"Guards", "check_never_fails"}
    model = sorted({one.model for one in wanted if one.model})
    path = "from pathlib import Path\n\n" if "observe" in hooks else ""
    ours = _imports("agguard", model) if model else ""
    bodies = "\n".join(one.test for one in wanted)
    return (
        f'"""What the guard does, and what it leaves alone."""\n\n'
        f"from __future__ import annotations\n\n{path}{ours}"
        f"{_imports('agguard.testing', sorted(kit, key=_sort))}\n"
        f'NAME = "{name}"\n\n{bodies}\n\n'
        "def test_no_payload_makes_it_fail(guards: Guards) -> None:\n"
        '    """Hosts drift: arguments are missing, or of another type."""\n'
        f"    check_never_fails(guards, by=NAME)\n"
    )


def readme(name: str, hooks: tuple[str, ...]) -> str:
    """Return the README."""
    listed = "\n".join(f"- `{hook}`" for hook in hooks)
    return f"""# agguard-{name}

A guard for agguard. It implements:

{listed}

`agguard plugins hooks {hooks[0]}` prints the manual page of a hook.

    pip install -e '.[test]' && pytest     # try it
    agguard plugins trust {name}           # let it run
    agguard plugins info {name}            # what it is pinned to, and how fast it is
"""


def _sort(name: str) -> tuple[bool, str]:
    """Sort as import sorters do: classes before functions."""
    return name[0].islower(), name


def _imports(package: str, names: list[str]) -> str:
    line = f"from {package} import {', '.join(names)}\n"
    if len(line) <= 89:  # noqa: PLR2004 - the formatters' default, with the line's end
        return line
    return f"from {package} import (\n" + "".join(f"    {one},\n" for one in names) + ")\n"
