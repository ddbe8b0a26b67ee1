"""The launcher as the host runs it: real shells, a real interpreter, pipes, and things missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from unit.install.launcher_world import DECIDED, ECHO, EVENTS, FOUND, SHELLS, Hook, one_answer

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the launcher for `sh`")


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    return Hook(tmp_path / 'a b\'s "$HOME" `x` \\ %s * é')


@pytest.mark.parametrize("shell", SHELLS)
def test_python_gets_payload_site_state_and_event(shell: list[str], hook: Hook) -> None:
    """From a folder whose name holds whatever a shell might take for itself."""
    answer = hook.answer(shell, ECHO)
    assert answer["reason"] == f"2 {[str(hook.site), str(hook.state), 'PreToolUse']}"


def test_the_registered_command_runs_as_the_host_runs_it(hook: Hook) -> None:
    """`sh -c './agguard-hook Stop'` in the folder of hooks.json, by the shebang."""
    hook.act(ECHO)
    done = subprocess.run(
        ["sh", "-c", "./agguard-hook Stop"],
        input=b"{}",
        capture_output=True,
        cwd=hook.config,
        env={},
        check=False,
    )
    assert one_answer(done)["reason"].endswith("'Stop']")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_answer_is_passed_on_byte_for_byte(shell: list[str], hook: Hook) -> None:
    """Nothing in it is expanded, split or unescaped."""
    answer = {
        "reason": "a  b\t* ? [a] $HOME `x` \\ \\n \\\\ %s %% 'q' \"r\" ~ {x} ! é \u2028 \U0001f600"
    }
    text = json.dumps(answer, ensure_ascii=False)
    done = hook.run(shell, f"sys.stdout.buffer.write({text.encode()!r} + b'\\n')")
    assert done.stdout == text.encode() + b"\n"


LAST_LINES = {
    "one line": (DECIDED, "allow"),
    "a provisional answer, then the answer": ('{"decision":"deny"}\n' + DECIDED, "allow"),
    "many provisional answers": ('{"decision":"deny"}\n' * 50 + DECIDED, "allow"),
    "a provisional answer, then half of one": ('{"decision":"deny"}\n{"decision":"al', "deny"),
    "a half that looks whole": ('{"decision":"deny"}\n{"decision":"allow","x":{}}', "deny"),
    "something else after it": (DECIDED + "warning: late\n", "allow"),
    "something else before it": ("warning: early\n\n" + DECIDED, "allow"),
    "blank lines": ("\n\n" + DECIDED + "\n\n", "allow"),
    "half an answer": ('{"decision":"allow"', None),
    "a whole one without its end": ('{"decision":"allow"}', None),
    "no object": ('[]\n"allow"\n', None),
    "nothing": ("", None),
    "blanks": ("\n \n", None),
}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("end", ["sys.exit(0)", "os._exit(3)", "os.kill(os.getpid(), 9)"])
@pytest.mark.parametrize("case", LAST_LINES)
def test_the_last_complete_line_is_the_answer(
    case: str, end: str, shell: list[str], hook: Hook
) -> None:
    """However the process ends; without one there is the fallback."""
    text, decision = LAST_LINES[case]
    answer = hook.answer(shell, f"os.write(1, {text.encode()!r}); {end}")
    assert answer["decision"] == (decision or "ask")
    assert ("agguard doctor" in answer.get("reason", "")) == (decision is None)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("tail", ["", '{"decision":"deny"}\n', "a.b " * 100_000, "x\n" * 10_000])
def test_an_answer_of_more_than_a_megabyte_is_passed_on(
    tail: str, shell: list[str], hook: Hook
) -> None:
    """A spawn's prompts come back in the answer; a large provisional one does no harm either."""
    answer = {"decision": "allow", "overwrite": {"x": "a b * \\ . { } é\n" * 100_000}}
    text = json.dumps(answer)
    done = hook.run(shell, f"sys.stdout.write(({text!r} + chr(10)) * 2 + {tail!r})")
    assert done.returncode == 0
    if tail.startswith("{"):
        assert done.stdout.decode() == tail
    else:
        assert done.stdout.decode() == text + "\n"


# Without Python, or without agguard.


def _break(hook: Hook, how: str) -> str:
    """Take something away; return a word of the reason that must be given."""
    if how == "the interpreter is gone":
        hook.python.unlink()
        return str(hook.python)
    if how == "the environment is gone":
        shutil.rmtree(hook.python.parent)
        shutil.rmtree(hook.site)
        return str(hook.python)
    if how == "agguard was uninstalled":
        shutil.rmtree(hook.site / "agguard")
        return str(hook.site)
    if how == "the interpreter cannot be run":
        hook.python.unlink()
        hook.python.write_bytes(b"\x7fELF no program")
        hook.python.chmod(0o755)
        return "status 12"
    (hook.site / "agguard" / "_entry.py").write_text("this is no Python")
    return "status 1"


BREAKS = [
    "the interpreter is gone",
    "the environment is gone",
    "agguard was uninstalled",
    "the interpreter cannot be run",
    "the package does not load",
]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("how", BREAKS)
@pytest.mark.parametrize("event", EVENTS)
def test_without_python_or_agguard_there_is_one_valid_answer_per_event(
    event: str, how: str, shell: list[str], hook: Hook
) -> None:
    """PreToolUse asks, with the reason and what to run; every other event lets things go on."""
    word = _break(hook, how)
    answer = hook.answer(shell, ECHO, event)
    if event != "PreToolUse":
        assert answer == {}
        return
    assert set(answer) == {"decision", "reason"}
    assert answer["decision"] == "ask"
    assert word in answer["reason"]
    assert "`agguard" in answer["reason"] or "`pip install agguard`" in answer["reason"]


@pytest.mark.parametrize("how", BREAKS)
def test_a_launcher_that_was_told_to_deny_denies(how: str, tmp_path: Path) -> None:
    """`install --if-missing deny`, for those who would rather stand still than be unguarded."""
    hook = Hook(tmp_path / "hook", "deny")
    _break(hook, how)
    assert hook.answer(["sh"], ECHO)["decision"] == "deny"
    assert hook.answer(["sh"], ECHO, "Stop") == {}


@pytest.mark.parametrize("event", ["", "Unknown", "pretooluse"])
def test_an_unknown_event_gets_an_empty_answer(event: str, hook: Hook) -> None:
    """Should the host ever run the launcher for another event."""
    assert hook.answer(["sh"], "", event) == {}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    "stub",
    ["gone", "sys.exit(0)", "os._exit(1)", f"os.write(1, {DECIDED.encode()!r}); os._exit(1)"],
)
def test_the_host_can_write_its_whole_payload(shell: list[str], stub: str, hook: Hook) -> None:
    """8 MiB that nobody wants are taken all the same: the host never meets a closed pipe."""
    hook.act(stub)
    if stub == "gone":
        hook.python.unlink()
    with subprocess.Popen(
        [*shell, "./agguard-hook", "PreToolUse"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=hook.config,
    ) as process:
        assert process.stdin
        assert process.stdout
        answered = process.stdout.read()
        assert process.wait() == 0
        for _ in range(128):
            process.stdin.write(b"x" * 65536)
        process.stdin.close()
    assert json.loads(answered)["decision"] in {"ask", "allow"}


@pytest.mark.parametrize("shell", SHELLS)
def test_a_host_that_never_closes_its_pipe_gets_its_answer(shell: list[str], hook: Hook) -> None:
    """Nobody waits for the end of what is thrown away."""
    hook.python.unlink()
    with subprocess.Popen(
        [*shell, "./agguard-hook", "PreToolUse"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=hook.config,
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdin.write(b"{")
        process.stdin.flush()
        assert json.loads(process.stdout.read())["decision"] == "ask"
        process.stderr.read()
        assert process.wait() == 0


@pytest.mark.parametrize("shell", SHELLS)
def test_closed_and_empty_standard_streams_do_no_harm(shell: list[str], hook: Hook) -> None:
    """Without stdin there is an answer; without stdout there is at least no failure."""
    hook.python.unlink()
    command = " ".join(f"'{word}'" for word in [*shell, "./agguard-hook", "PreToolUse"])
    for redirection, answered in (("<&-", True), ("</dev/null", True), (">&-", False)):
        done = subprocess.run(
            ["sh", "-c", f"{command} {redirection}"],
            capture_output=True,
            cwd=hook.config,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode == 0
        assert bool(done.stdout) is answered


# What the environment cannot do.


def test_no_path_is_needed_and_none_is_searched(hook: Hook, tmp_path: Path) -> None:
    """GUI applications have no login PATH, and a `python` on it is not ours."""
    fake = tmp_path / "fake"
    fake.mkdir()
    for name in ("python", "python3", "printf", "test", "["):
        (fake / name).write_text('#!/bin/sh\necho \'{"decision":"allow","reason":"fake"}\'\n')
        (fake / name).chmod(0o755)
    shell = [str(FOUND["sh"])]
    for environment in ({"PATH": str(fake)}, {"PATH": ""}):
        done = hook.run(shell, 'print(\'{"decision":"deny"}\')', env=environment)
        assert one_answer(done) == {"decision": "deny"}


def test_nothing_in_the_working_directory_or_the_environment_is_imported(hook: Hook) -> None:
    """The host runs hooks in a folder that agents may write to (contract, section 10.33)."""
    evil = 'import os; os.write(1, b\'{"decision":"allow","reason":"evil"}\\n\'); os._exit(0)'
    for name in ("json.py", "sitecustomize.py", "usercustomize.py", "agguard.py"):
        (hook.config / name).write_text(evil)
    stub = "import json; print(json.dumps({'decision': 'deny'}))"
    done = hook.run(["sh"], stub, env={"PYTHONPATH": str(hook.config), "PYTHONHOME": "/nowhere"})
    assert one_answer(done) == {"decision": "deny"}


def test_what_python_says_on_stderr_reaches_the_hosts_log(hook: Hook) -> None:
    """And stays out of the answer."""
    done = hook.run(["sh"], f"os.write(2, b'careful'); os.write(1, {DECIDED.encode()!r})")
    assert (done.stdout, done.stderr) == (DECIDED.encode(), b"careful")


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shells_own_variables_do_no_harm(shell: list[str], hook: Hook) -> None:
    """Exported names that the script uses itself."""
    names = ("answer", "last", "line", "status", "event", "python", "site", "state", "decision")
    wild = dict.fromkeys(names, '{"decision":"allow","reason":"wild"}')
    hook.python.unlink()
    done = hook.run(shell, env={**wild, "IFS": "d", "ENV": "/dev/null", "POSIXLY_CORRECT": "1"})
    answer = one_answer(done)
    assert answer["decision"] == "ask"
    assert str(hook.python) in answer["reason"]
