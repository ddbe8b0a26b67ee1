"""A throw-away home with agguard installed, driven through the registered command.

Every event is a real process, as on the host: the launcher, the manifest, the worker that third
parties run in, the ledger.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from agguard.doctor.registered import fire
from agguard.doctor.stage import Conversation, Stage, environment, only
from agguard.install.seal import seal
from agguard.install.user import install_for_user
from agguard.ledger.store import Ledger
from agguard.model.effect import Effect
from agguard.model.verdict import Decision, Fault, Outcome, Reason
from agguard.paths import resolve
from agguard.plugins.build import build
from agguard.plugins.places import search_path
from agguard.testing.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agguard.doctor.registered import Fired
    from agguard.ledger.records import Entry
    from agguard.model.call import ToolCall
    from agguard.model.session import Role
    from agguard.plugins import manifest

HOST_LIMIT = 30.0
"""Seconds that the host gives the registered command."""


class Home:
    """A home, with whatever plugins this interpreter can import.

    Args:
        folder: An empty folder.
        config: The user's configuration, in TOML. All third parties are trusted if left out.
        path: Folders to find plugins in besides this interpreter's own.
    """

    def __init__(
        self, folder: str, config: str = '[plugins]\ntrust = "all"\n', path: Iterable[str] = ()
    ) -> None:
        self.paths = resolve(folder)
        self._path = list(path)
        self._environ = environment(folder)
        self.stage = Stage(folder)
        install_for_user(self.paths)
        self.configure(config)

    @property
    def workspace(self) -> str:
        """The project that its agents work in."""
        return self.stage.workspace

    def configure(self, config: str) -> None:
        """Write the user's configuration, and take it over as `agguard config` does."""
        os.makedirs(self.paths.config, exist_ok=True)
        with open(self.paths.config_file, "w", encoding="utf-8") as file:
            file.write(config)
        self.rebuild()
        seal(self.paths)

    def rebuild(self) -> manifest.Manifest:
        """Compile the manifest with the plugins that are found now."""
        before, without = list(sys.path), sys.dont_write_bytecode
        # A hook writes bytecode; were it the first, its folder would change and the manifest age.
        sys.dont_write_bytecode = False
        sys.path += [entry for entry in self._path if entry not in sys.path]
        try:
            return build(self.paths, dict.fromkeys([*search_path(), *self._path]))
        finally:
            sys.path[:] = before
            sys.dont_write_bytecode = without

    def primary(self, request: str = "Please fix the bug.") -> Conversation:
        """Begin a conversation that a user opened."""
        found = self.stage.conversation()
        found.user(request)
        return found

    def worker(self, task: str = "Run the tests.", agent_role: str = "executor") -> Conversation:
        """Have a primary start a subagent, and return its conversation."""
        parent = self.primary()
        entry = {"TypeName": "self", "Role": agent_role, "Prompt": task}
        asked = self.fire("PreToolUse", parent.calls("invoke_subagent", {"Subagents": [entry]}))
        if asked.decision > Decision.ALLOW:
            msg = f"no subagent can be started here\n{asked.shown()}"
            raise AssertionError(msg)
        prompt = asked.overwrite.get("Subagents", [entry])[0]["Prompt"]
        found = self.stage.conversation()
        found.message(parent.name, prompt)
        parent.spawned(found)
        return found

    def coordinator(self, task: str = "Coordinate.") -> Conversation:
        """Have a primary start a subagent that may delegate."""
        return self.worker(task, agent_role="DeepCoder")

    def unknown(self) -> Conversation:
        """Begin a conversation of which nothing is recorded, so that nobody knows who it is."""
        return self.stage.conversation()

    def agent(self, role: Role | str) -> Conversation:
        """Begin a conversation of any role."""
        return {
            "primary": self.primary,
            "coordinator": self.coordinator,
            "worker": self.worker,
            "unknown": self.unknown,
        }[str(role)]()

    def call(self, who: Conversation, call: ToolCall) -> Result:
        """Have an agent make a call, recorded in its transcript as the engine does."""
        return self.fire("PreToolUse", who.calls(call.name, call.args))

    def stop(self, who: Conversation, says: str = "") -> Result:
        """Have an agent say something and stop."""
        if says:
            who.says(says)
        return self.fire("Stop", who.stop())

    def fire(self, event: str, payload: Mapping[str, Any]) -> Result:
        """Fire an event at the registered command, and read what the ledger keeps of it."""
        fired = only(fire(self.paths.host.hooks, event, payload, self._environ))
        entries = self.entries(str(payload.get("conversationId", "")))
        entry = next((one for one in entries if one.event == event), None)
        return Result(
            event=event,
            outcome=_outcome(event, fired, entry),
            answer=fired.answer,
            opinions=_reasons(entry),
            limit=HOST_LIMIT,
            seconds=fired.milliseconds / 1000,
            problem=fired.fault,
        )

    def entries(self, conversation: str = "") -> list[Entry]:
        """Return what the ledger keeps, newest first."""
        path = os.path.join(self.paths.state, "ledger.db")
        ledger = Ledger.open(path, wait=5.0, now=time.time())
        try:
            return ledger.entries(conversation=conversation)
        finally:
            ledger.close()


def _outcome(event: str, fired: Fired, entry: Entry | None) -> Outcome:
    word = str(fired.answer.get("decision", "allow"))
    decision = Decision.DENY if word == "continue" else Decision[word.upper()]
    steps = fired.answer.get("injectSteps", ())
    messages = [step.get("systemMessage", {}).get("systemMessage", "") for step in steps]
    faults = json.loads(entry.faults) if entry else []
    reason = Reason("agguard", str(fired.answer.get("reason", "")), decision)
    return Outcome(
        decision,
        _reasons(entry) or (reason,),
        Effect(entry.effect) if entry and event == "PreToolUse" else Effect(0),
        fired.answer.get("overwrite", {}),
        tuple(messages),
        tuple(Fault(*fields) for fields in faults),
    )


def _reasons(entry: Entry | None) -> tuple[Reason, ...]:
    found = json.loads(entry.reasons) if entry else []
    return tuple(Reason(guard, text, Decision[word.upper()]) for guard, word, text in found)
