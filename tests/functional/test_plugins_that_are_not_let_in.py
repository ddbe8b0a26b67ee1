"""Which plugins run is decided before any of their code does; a bad import hurts nobody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import agguard
from fakes.distribution import Packages
from fakes.environment import Environment

if TYPE_CHECKING:
    from pathlib import Path

    from fakes.guarded import Guarded

MARK = """
with open({marker!r}, "a") as file:
    file.write("imported\\n")

@hookimpl
def judge_tool(call):
    if call.name == "run_command":
        return Verdict.deny("{name} objects")
"""

DENIES = """
@hookimpl
def judge_tool(call):
    if call.name == "run_command":
        return Verdict.deny("sound objects")
"""


@pytest.fixture
def packages(tmp_path: Path) -> Packages:
    return Packages(tmp_path / "site")


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """A file that exists once a plugin has been imported."""
    return tmp_path / "marker"


def command_line(guarded: Guarded, packages: Packages, *arguments: str) -> str:
    """Run `agguard` as a person does, in an environment with these packages."""
    source = next(iter(agguard.__path__)).rpartition("/")[0]
    environ = {
        **guarded.host.environ,
        "PYTHONPATH": os.pathsep.join([source, str(packages.site)]),
        "AGGUARD_CONFIG_DIR": guarded.paths.config,
        "AGGUARD_STATE_DIR": guarded.paths.state,
        "COLUMNS": "300",
    }
    command = [sys.executable, "-m", "agguard", *arguments]
    done = subprocess.run(
        command, env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def listed(guarded: Guarded, packages: Packages) -> dict[str, dict[str, Any]]:
    found = json.loads(command_line(guarded, packages, "plugins", "list", "--json"))
    return {one["name"]: one for one in found}


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        ("", "untrusted"),
        ('[plugins]\ntrust = ["another"]\n', "untrusted"),
        ('[plugins]\nblock = ["mmm"]\n', "blocked"),
        ('[plugins]\ntrust = "all"\nblock = ["mmm"]\n', "blocked"),
        ('[plugins]\ntrust = ["mmm"]\nblock = ["mmm"]\n', "blocked"),
    ],
)
def test_a_plugin_that_may_not_run_is_never_imported(
    guarded: Guarded, packages: Packages, marker: Path, settings: str, state: str
) -> None:
    """Not when the manifest is built, not by a hook, not by the commands that list plugins."""
    guarded.configure(settings)
    packages.add("mmm", MARK.format(marker=str(marker), name="mmm"))
    packages.build(guarded)
    worker = guarded.worker()

    assert guarded.run(worker, "make").decision == "allow"
    assert listed(guarded, packages)["mmm"]["state"] == state
    assert f"mmm (agguard-mmm 1.0) is {state}" in command_line(guarded, packages, "doctor")
    command_line(guarded, packages, "plugins", "hooks")
    assert not marker.exists()
    assert guarded.faults() == []


@pytest.mark.parametrize("trust", ['"all"'])
def test_a_trusted_plugin_is_imported_and_asked(
    guarded: Guarded, packages: Packages, marker: Path, trust: str
) -> None:
    """The marker of the other tests works."""
    guarded.configure(f"[plugins]\ntrust = {trust}\n")
    packages.add("mmm", MARK.format(marker=str(marker), name="mmm"))
    packages.build(guarded)

    assert guarded.run(guarded.worker(), "make").said == ["mmm objects"]
    assert marker.exists()
    assert listed(guarded, packages)["mmm"]["state"] == "active"


def test_a_plugin_is_trusted_and_blocked_by_command(
    guarded: Guarded, packages: Packages, marker: Path
) -> None:
    """`agguard plugins trust` and `block` change what the next manifest lets run."""
    packages.add("mmm", MARK.format(marker=str(marker), name="mmm"))
    worker = guarded.worker()

    command_line(guarded, packages, "plugins", "trust", "mmm")
    packages.build(guarded)
    assert guarded.run(worker, "make").said == ["mmm objects"]

    command_line(guarded, packages, "plugins", "block", "mmm")
    packages.build(guarded)
    assert guarded.run(worker, "make").decision == "allow"

    command_line(guarded, packages, "plugins", "unblock", "mmm")
    packages.build(guarded)
    assert guarded.run(worker, "make").said == ["mmm objects"]


def test_the_shipped_plugin_can_be_blocked_and_leaves_the_others(
    guarded: Guarded, packages: Packages
) -> None:
    """It has no privilege: the user may switch it off as a whole."""
    guarded.configure('[plugins]\nblock = ["builtin"]\ntrust = "all"\n')
    packages.add("sound", DENIES)
    packages.build(guarded)
    primary = guarded.primary()

    assert guarded.run(primary, "make").said == ["sound objects"]
    assert guarded.write(primary, f"{guarded.workspace}/app.py").decision == "allow"


IMPORTS: dict[str, tuple[str, str]] = {
    "raises": ("raise RuntimeError('boom')", "RuntimeError: boom"),
    "is no Python": ("def judge_tool(:", "SyntaxError"),
    "needs what is not there": ("import no_such_module_at_all", "no_such_module_at_all"),
    "exits": ("sys.exit(0)", "SystemExit"),
    "leaves": ("os._exit(0)", "ended the process"),
    "kills itself": ("os.kill(os.getpid(), 9)", "ended the process"),
    "crashes": ("import ctypes; ctypes.string_at(0)", "ended the process"),
    "interrupts": ("raise KeyboardInterrupt", "ended the process"),
    "closes every file": ("os.closerange(0, 1000)", "ended the process"),
    "sleeps": ("import time; time.sleep(1000)", "took too long"),
    "loops": ("while True: pass", "took too long"),
    "swallows every exception": (
        "import time\nwhile True:\n    try: time.sleep(1000)\n    except BaseException: pass",
        "took too long",
    ),
    "recurses": ("def f(): f()\nf()", "RecursionError"),
}
"""What a module may do when it is imported, and what is said of it."""


@pytest.mark.parametrize(("code", "words"), IMPORTS.values(), ids=IMPORTS)
def test_a_plugin_that_cannot_be_imported_is_refused_and_all_others_run(
    guarded: Guarded, packages: Packages, code: str, words: str
) -> None:
    """The manifest is made, the built-in guards and the sound plugin deny, the fault is told."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    packages.add("bad", code)
    packages.add("sound", DENIES)
    packages.build(guarded)
    worker, primary = guarded.worker(), guarded.primary()
    denied, ours = guarded.run(worker, "make"), guarded.run(primary, "make")

    assert denied.decision == ours.decision == "deny"
    assert "sound objects" in denied.reason
    assert "the primary agent plans and delegates" in ours.reason
    assert words in ours.reason
    faults = guarded.faults()
    assert {fault[:3] for fault in faults} == {("bad", "manifest", "import")}
    assert all(words in text for _, _, _, text in faults)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("environment"))


@pytest.mark.parametrize(("code", "words"), IMPORTS.values(), ids=IMPORTS)
def test_a_hook_that_has_to_build_its_manifest_survives_a_bad_import(
    guarded: Guarded, environment: Environment, code: str, words: str
) -> None:
    """A package that was installed meanwhile is met by the next hook, which answers in time."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    environment.install(guarded)
    primary = guarded.primary()
    assert "not healthy" not in guarded.run(primary, "make").reason
    environment.packages.add("bad", code)
    try:
        for _ in range(2):
            found = guarded.run(primary, "make")
            assert found.decision == "deny"
            assert "the primary agent plans and delegates" in found.reason
            assert words in found.reason
    finally:
        environment.packages.remove("bad")

    assert "not healthy" not in guarded.run(primary, "make").reason


def test_a_package_that_is_installed_and_removed_is_noticed_by_the_next_hook(
    guarded: Guarded, environment: Environment, marker: Path
) -> None:
    """Nobody has to run anything after `pip install` where all are trusted."""
    guarded.configure('[plugins]\ntrust = "all"\nblock = ["unasked"]\n')
    environment.install(guarded)
    worker = guarded.worker()
    assert guarded.run(worker, "make").decision == "allow"

    environment.packages.add("late", DENIES)
    environment.packages.add("unasked", MARK.format(marker=str(marker), name="unasked"))
    try:
        assert guarded.run(worker, "make").said == ["sound objects"]
    finally:
        environment.packages.remove("late")
        environment.packages.remove("unasked")

    assert guarded.run(worker, "make").decision == "allow"
    assert not marker.exists()


@pytest.mark.parametrize("kind", ["raises", "exits", "leaves", "sleeps", "needs what is not there"])
def test_an_import_that_fails_only_in_the_hook_is_a_fault_of_that_plugin(
    guarded: Guarded, packages: Packages, kind: str, marker: Path
) -> None:
    """It was sound when the manifest was built, and the others are heard all the same."""
    guarded.configure('[plugins]\ntrust = "all"\n[hooks]\nguard_deadline = 0.4\n')
    body = IMPORTS[kind][0]
    packages.add("mmm", f"if os.path.exists({str(marker)!r}):\n    {body}\n{DENIES}")
    packages.add("sound", DENIES)
    packages.build(guarded)
    worker = guarded.worker()
    assert guarded.faults() == []
    marker.touch()
    found = guarded.run(worker, "make")

    assert found.decision == "deny"
    assert found.said == ["sound objects"]
    ((plugin, hook, _, _),) = guarded.faults()
    assert (plugin, hook) == ("mmm", "judge_tool")


WRAPPERS = {
    "wrapper": """
        import pluggy
        @pluggy.HookimplMarker("agguard")(wrapper=True)
        def judge_tool(call):
            yield
            return []
    """,
    "old wrapper": """
        import pluggy
        @pluggy.HookimplMarker("agguard")(hookwrapper=True)
        def judge_tool(call):
            outcome = yield
            outcome.force_result([])
    """,
}


@pytest.mark.parametrize("code", WRAPPERS.values(), ids=WRAPPERS)
def test_hook_wrappers_are_refused_with_the_reason(
    guarded: Guarded, packages: Packages, code: str
) -> None:
    """One could see and change what other guards say; the others still say it."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    packages.add("wraps", "\n".join(line[8:] for line in code.splitlines()))
    packages.add("sound", DENIES)
    packages.build(guarded)
    found = guarded.run(guarded.worker(), "make")

    assert found.decision == "deny"
    assert "sound objects" in found.reason
    told = listed(guarded, packages)["wraps"]
    assert told["state"] == "refused"
    for text in (told["problem"], found.reason):
        assert "'judge_tool' is a hook wrapper" in text
        assert "agguard refuses wrappers" in text


def test_pluggys_own_mark_without_a_wrapper_is_as_good_as_ours(
    guarded: Guarded, packages: Packages
) -> None:
    """Authors who know pluggy may use its marker."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    code = 'import pluggy\n@pluggy.HookimplMarker("agguard")(tryfirst=True)'
    packages.add("plain", code + DENIES.replace("@hookimpl", "").replace("\n\n", "\n"))
    packages.build(guarded)

    assert guarded.run(guarded.worker(), "make").said == ["sound objects"]


def test_of_two_plugins_with_one_name_the_second_is_refused_and_everybody_is_told(
    guarded: Guarded, packages: Packages
) -> None:
    """Which one was meant is not for agguard to guess."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    packages.add("twin", DENIES, distribution="agguard-first")
    packages.add("twin", DENIES.replace("sound", "other"), distribution="agguard-second")
    packages.build(guarded)
    found = guarded.run(guarded.worker(), "make")

    assert found.decision == "deny"
    assert found.reason.startswith("sound objects")
    assert "another plugin is already named 'twin'" in found.reason
    assert [fault[:3] for fault in guarded.faults()[:1]] == [("twin", "manifest", "import")]
    states = command_line(guarded, packages, "doctor")
    assert "twin (agguard-second 1.0) is refused" in states


def test_nobody_takes_the_name_of_the_shipped_plugin(guarded: Guarded, packages: Packages) -> None:
    """Its guards stay, the other is refused, trusted or not."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    packages.add("builtin", "@hookimpl\ndef judge_tool():\n    return Verdict.allow('yes')\n")
    packages.build(guarded)
    found = guarded.run(guarded.primary(), "make")

    assert found.decision == "deny"
    assert "the primary agent plans and delegates" in found.reason
    assert "another plugin is already named 'builtin'" in found.reason


def test_unknown_hooks_warn_and_the_known_ones_of_that_plugin_are_asked(
    guarded: Guarded, packages: Packages
) -> None:
    """A plugin for a newer agguard works as far as this one goes; that is no fault."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    packages.add("newer", DENIES + "\n@hookimpl\ndef judge_dream(call):\n    return None\n")
    packages.build(guarded)
    found = guarded.run(guarded.worker(), "make")

    assert found.said == ["sound objects"]
    assert guarded.faults() == []
    told = listed(guarded, packages)["newer"]
    assert told["state"] == "active"
    assert told["hooks"] == ["judge_tool"]
    assert "unknown hook 'judge_dream'" in told["warnings"][0]
    assert "unknown hook 'judge_dream'" in command_line(guarded, packages, "doctor")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("@hookimpl\ndef judge_tool(call, mood):\n    return None\n", "mood"),
        ("@hookimpl(on_error='panic')\ndef judge_tool(call):\n    return None\n", "on_error"),
    ],
)
def test_a_plugin_that_breaks_the_contract_is_refused_with_what_is_wrong(
    guarded: Guarded, packages: Packages, code: str, words: str
) -> None:
    """An argument that no hook offers, or a policy that does not exist."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    packages.add("bad", code)
    packages.build(guarded)

    told = listed(guarded, packages)["bad"]
    assert told["state"] == "refused"
    assert words in told["problem"]
    assert words in guarded.run(guarded.primary(), "make").reason


SPELLINGS = {
    "an object": (
        """
        class Guard:
            @hookimpl
            def judge_tool(self, call):
                if call.name == "run_command":
                    return Verdict.deny("sound objects")
        guard = Guard()
        """,
        "{module}:guard",
    ),
    "a class": (
        """
        class Guard:
            @staticmethod
            @hookimpl
            def judge_tool(call):
                if call.name == "run_command":
                    return Verdict.deny("sound objects")
        """,
        "{module}:Guard",
    ),
    "another name": (
        """
        @hookimpl(specname="judge_tool")
        def no_make(call):
            if call.name == "run_command":
                return Verdict.deny("sound objects")
        """,
        "",
    ),
    "an alias": (
        """
        def _judge(call):
            if call.name == "run_command":
                return Verdict.deny("sound objects")
        judge_tool = hookimpl(_judge)
        """,
        "",
    ),
    "a lambda": (
        """
        judge_tool = hookimpl(
            lambda call: Verdict.deny("sound objects") if call.name == "run_command" else None
        )
        """,
        "",
    ),
    "a wrapped function": (
        """
        import functools
        def logged(function):
            @functools.wraps(function)
            def inner(call):
                return function(call)
            return inner
        @logged
        @hookimpl
        def judge_tool(call):
            if call.name == "run_command":
                return Verdict.deny("sound objects")
        """,
        "",
    ),
    "a default argument": (
        """
        @hookimpl
        def judge_tool(call, words="sound objects"):
            if call.name == "run_command":
                return Verdict.deny(words)
        """,
        "",
    ),
    "all arguments in another order": (
        """
        @hookimpl
        def judge_tool(session, effect, call):
            if call.name == "run_command" and session.role == "worker" and effect:
                return Verdict.deny("sound objects")
        """,
        "",
    ),
}


@pytest.mark.parametrize(("code", "target"), SPELLINGS.values(), ids=SPELLINGS)
def test_a_guard_is_found_however_it_is_written(
    guarded: Guarded, packages: Packages, code: str, target: str
) -> None:
    """None of these may be lost in silence: a guard that is not asked is a guard that is off."""
    guarded.configure('[plugins]\ntrust = "all"\n')
    text = "\n".join(line[8:] for line in code.splitlines())
    packages.add("sound", text, target=target)
    packages.build(guarded)
    found = guarded.run(guarded.worker(), "make")

    assert (found.decision, found.said) == ("deny", ["sound objects"])
    assert guarded.faults() == []
