"""A scripted session, played through the registered command as the host would play it."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING, Any

from agguard.doctor.expectation import Expectation
from agguard.doctor.parts import OLDEST_RTK
from agguard.doctor.quirks import parsed
from agguard.doctor.registered import fire
from agguard.doctor.stage import Conversation, Stage, environment, only
from agguard.model import token
from agguard.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.doctor.registered import Fired
    from agguard.ledger.records import Entry
    from agguard.paths import Paths

TASK = "Rename the function `total` in app.py, and run the tests."


REPORT = (
    '{"status": "completed", "summary": "Renamed total().", "files_modified": [], '
    '"verify_cmd": "git status"}'
)
IDLE = "This was the subagent's most recent response: "


class Step(Value):
    """One step of the session, and whether it went as it should."""

    title: str
    who: str
    event: str
    call: str
    """What the agent wanted, in brief."""
    expected: str
    decision: str
    reason: str
    milliseconds: float
    differs: str = ""
    """What went otherwise than it should, and what was expected; '' when nothing did."""
    before: str = ""
    after: str = ""
    """A text that the guards changed, before and after."""
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether it went as it should."""
        return not self.differs

    def but(self, text: str) -> Step:
        """Return the step with one more thing that differs; '' for none."""
        return self.replace(differs="; ".join(filter(None, (self.differs, text))))


class Rehearsal:
    """A session to play.

    Args:
        hooks: The hooks.json to play through.
        stage: Where the session takes place.
        state: The folder of the ledger that the hooks write to.
        expected: What the guards have to say.
    """

    def __init__(
        self, hooks: str, stage: Stage, state: str, expected: Expectation | None = None
    ) -> None:
        self.hooks = hooks
        self._expected = expected or Expectation()
        self._stage = stage
        self._state = state
        self._environ = environment(stage.home)
        self._primary = stage.conversation()
        self._child = stage.conversation()

    @classmethod
    def installed(cls, home: str) -> Rehearsal:
        """Install agguard into the folder `home`, and return the session to play there."""
        from agguard.config.schema import Schema
        from agguard.config.store import set_value
        from agguard.install.user import install_for_user
        from agguard.paths import resolve

        paths = resolve(home)
        # A scripted turn is over in a second, and turns that short are not checked by default.
        set_value(paths.config_file, "attention.after", "0", Schema())
        install_for_user(paths)
        return cls(paths.host.hooks, Stage(home), paths.state)

    @classmethod
    def of(cls, paths: Paths, home: str) -> Rehearsal:
        """Return the session to play with the user's own installation, in a throw-away home.

        What answers is the interpreter and the agguard that the registered launcher names, with
        the user's configuration; ledger and transcripts are those of the throw-away home.

        Args:
            paths: The user's folders.
            home: The throw-away home.
        """
        import shutil

        from agguard.config.load import load
        from agguard.config.schema import Schema
        from agguard.config.store import set_value
        from agguard.doctor.expectation import expected
        from agguard.install.user import install_for_user
        from agguard.paths import resolve

        stage = resolve(home)
        loaded = load(paths.config_file)
        if loaded.sound and os.path.exists(paths.config_file):
            os.makedirs(stage.config, exist_ok=True)
            shutil.copyfile(paths.config_file, stage.config_file)
        set_value(stage.config_file, "attention.after", "0", Schema())
        install_for_user(stage)
        _answer_as(paths, stage)
        return cls(stage.host.hooks, Stage(home), stage.state, expected(loaded.settings))

    def entries(self) -> list[Entry]:
        """Return what the ledger keeps of the session, oldest first."""
        from agguard.ledger.store import Ledger

        path = os.path.join(self._state, "ledger.db")
        ledger = Ledger.open(path, wait=1.0, now=time.time())
        try:
            return ledger.entries()[::-1]
        finally:
            ledger.close()

    def play(self) -> Iterator[Step]:
        """Play the session; each step is yielded as soon as it is over."""
        self._primary.user("Rename total() in app.py and show me that the tests pass.")
        yield self._edit()
        yield self._plan()
        yield self._spawn()
        yield self._command()
        yield self._report()
        yield self._bare_stop()
        yield self._stop()

    def _edit(self) -> Step:
        target = os.path.join(self._stage.workspace, "app.py")
        args = {"TargetFile": target, "CodeContent": "def sum_up(): ...", "Overwrite": True}
        fired = self._call(self._primary, "write_to_file", args)
        self._primary.result("ERROR_MESSAGE", fired.answer.get("reason", ""))
        return _step(
            "the primary edits code itself",
            "primary",
            fired,
            f"write_to_file {target}",
            self._expected.edit,
        )

    def _plan(self) -> Step:
        target = os.path.join(self._primary.folder, "implementation_plan.md")
        args = {"TargetFile": target, "CodeContent": "# Plan", "Overwrite": True}
        fired = self._call(self._primary, "write_to_file", args)
        self._primary.result("CODE_ACTION", "Created file.")
        return _step(
            "the primary writes its plan", "primary", fired, "write_to_file (its artifact)", "allow"
        )

    def _spawn(self) -> Step:
        entry = {"TypeName": "self", "Role": "executor", "Prompt": TASK}
        fired = self._call(self._primary, "invoke_subagent", {"Subagents": [entry]})
        changed = fired.answer.get("overwrite", {}).get("Subagents", [entry])
        prompt = changed[0]["Prompt"]
        self._child.message(self._primary.name, prompt)
        self._primary.spawned(self._child)
        step = _step("the primary spawns a subagent", "primary", fired, "invoke_subagent", "allow")
        return step.replace(before=TASK, after=prompt).but(_prompted(prompt, self._expected))

    def _command(self) -> Step:
        args = {"CommandLine": "git status", "Cwd": self._stage.workspace}
        fired = self._call(self._child, "run_command", args)
        self._child.result("RUN_COMMAND", "The command exited with code 0.")
        step = _step("the subagent runs a command", "subagent", fired, "git status", "allow")
        after = fired.answer.get("overwrite", {}).get("CommandLine", "git status")
        if not self._expected.rtk:
            return step.replace(note="rtk is switched off, or another one is configured")
        if not _has_rtk(self._environ):
            note = "no rtk that is new enough is on the PATH, so the command is left as it is"
            return step.replace(note=note).but(_rewritten(after, "git status"))
        changed = step.replace(before="git status", after=after)
        return changed.but(_rewritten(after, "rtk git status"))

    def _report(self) -> Step:
        self._child.says(REPORT)
        fired = self._fire("Stop", self._child.stop())
        self._primary.message(
            "system", f"Subagent {self._child.name} has gone idle. {IDLE}{REPORT}"
        )
        return _step("the subagent reports and stops", "subagent", fired, "stop", "allow")

    def _bare_stop(self) -> Step:
        self._primary.says("I am done.")
        fired = self._fire("Stop", self._primary.stop())
        title = "the primary stops without a summary"
        return _step(title, "primary", fired, "stop", self._expected.bare_stop)

    def _stop(self) -> Step:
        self._primary.says("Summary of skills used: delegation. Verified: the tests pass.")
        fired = self._fire("Stop", self._primary.stop())
        return _step("the primary stops with its summary", "primary", fired, "stop", "allow")

    def _call(self, who: Conversation, tool: str, args: dict[str, Any]) -> Fired:
        return self._fire("PreToolUse", who.calls(tool, args))

    def _fire(self, event: str, payload: dict[str, Any]) -> Fired:
        return only(fire(self.hooks, event, payload, self._environ))


def _step(title: str, who: str, fired: Fired, call: str, expected: str) -> Step:
    decision = fired.answer.get("decision", "allow")
    return Step(
        title=title,
        who=who,
        event=fired.event,
        call=call,
        expected=expected,
        decision=decision,
        reason=fired.answer.get("reason", "") or fired.fault,
        milliseconds=fired.milliseconds,
        differs=_decided(fired, decision, expected),
    )


def _decided(fired: Fired, decision: str, expected: str) -> str:
    """Say how an answer differs from the one that was expected; '' when it does not."""
    if fired.fault:
        said = f": {fired.last_words}" if fired.last_words else ""
        return f"the host cannot use the answer: {fired.fault}{said}"
    if decision == expected:
        return ""
    reason = fired.answer.get("reason", "")
    return f"expected {expected}{', but was told: ' + reason if reason else ''}"


def _prompted(prompt: str, expected: Expectation) -> str:
    """Say what is wrong with a subagent's prompt; '' when nothing is."""
    if not expected.token:
        return "" if prompt == TASK else "its prompt was changed though injection.mode is off"
    if not token.opening(prompt):
        return "its prompt was given no token, so nobody will know whose subagent it is"
    return "" if "executor" in prompt else "its prompt does not say its role, executor"


def _rewritten(command: str, expected: str) -> str:
    """Say what is wrong with a command as it is run; '' when nothing is."""
    if command == expected:
        return ""
    return f"the command was to run as {expected!r}, and runs as {command!r}"


def _answer_as(paths: Paths, stage: Paths) -> None:
    """Have the launcher of `stage` answer from the environment that the user's launcher names."""
    from agguard.install.examination import examine
    from agguard.install.launcher import render
    from agguard.install.place import of_user
    from agguard.install.store import Store

    place = of_user(stage)
    for one in examine(of_user(paths), Store(paths.state)).launchers:
        if one.launcher and one.launcher.python:
            text = render(one.launcher.replace(state=stage.state), windows=place.windows)
            with open(place.launchers[0], "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            return


def _has_rtk(environ: dict[str, str]) -> bool:
    """Whether a real rtk that is new enough is where a hook of this host would find it."""
    try:
        done = subprocess.run(
            ["rtk", "--version"], capture_output=True, check=False, env=environ, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    said = done.stdout.decode(errors="replace")
    return said.startswith("rtk ") and parsed(said) >= OLDEST_RTK
