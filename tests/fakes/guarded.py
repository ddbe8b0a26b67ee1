"""A throw-away home in which agguard is installed, and a host that runs in it."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from agguard.doctor.stage import Conversation, Stage
from agguard.install.seal import seal
from agguard.install.user import install_for_user
from agguard.ledger.store import Ledger
from agguard.paths import resolve
from fakes.host import Answered, Host

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from agguard.ledger.records import Entry


EVERY_TURN = "attention.after = 0\n"
"""Turns in tests are over in seconds; by default such short ones are not judged."""


class Guarded:
    """An installation of its own, and everything that a test does with it.

    Args:
        home: An empty folder.
        environ: The environment to run the host in; HOME is set to `home`.
    """

    def __init__(self, home: Path, environ: Mapping[str, str]) -> None:
        self.home = home
        self.paths = resolve(str(home))
        os.makedirs(self.paths.config, exist_ok=True)
        with open(self.paths.config_file, "w", encoding="utf-8") as file:
            file.write(EVERY_TURN)
        install_for_user(self.paths)
        self.stage = Stage(str(home))
        self.host = Host(self.paths.host.hooks, {**environ, "HOME": str(home)})

    @property
    def ledger(self) -> str:
        return os.path.join(self.paths.state, "ledger.db")

    @property
    def manifest(self) -> str:
        return os.path.join(self.paths.state, "manifest.json")

    @property
    def workspace(self) -> str:
        return self.stage.workspace

    def primary(self, request: str = "Please fix the bug.") -> Conversation:
        """Begin a conversation that a user opened."""
        found = self.stage.conversation()
        found.user(request)
        return found

    def child(self, parent: Conversation, prompt: str) -> Conversation:
        """Begin a conversation as the engine begins a subagent's."""
        found = self.stage.conversation()
        found.message(parent.name, prompt)
        return found

    def worker(self, task: str = "Run the tests.") -> Conversation:
        """Have a primary spawn a subagent, and return its conversation."""
        parent = self.primary()
        prompt = self.spawn(parent, {"Prompt": task, "Role": "executor"}).prompts[0]
        found = self.child(parent, prompt)
        parent.spawned(found)
        return found

    def fire(self, event: str, payload: Mapping[str, Any] | bytes, **how: Any) -> Answered:
        """Fire an event; see `Host.fire`."""
        return self.host.fire(event, payload, **how)

    def call(self, who: Conversation, tool: str, args: Mapping[str, Any], **how: Any) -> Answered:
        """Have an agent call a tool, recorded in its transcript as the engine does."""
        return self.fire("PreToolUse", who.calls(tool, args), **how)

    def run(self, who: Conversation, command: str, **how: Any) -> Answered:
        """Have an agent run a command."""
        return self.call(who, "run_command", {"CommandLine": command, "Cwd": self.workspace}, **how)

    def write(self, who: Conversation, target: str, **how: Any) -> Answered:
        """Have an agent write a file."""
        args = {"TargetFile": target, "CodeContent": "x", "Overwrite": True}
        return self.call(who, "write_to_file", args, **how)

    def work(self, who: Conversation) -> Answered:
        """Have a primary do something that it has to account for: it writes a plan."""
        return self.write(who, os.path.join(who.folder, "plan.md"))

    def view(self, who: Conversation, **how: Any) -> Answered:
        """Have an agent look at a file."""
        target = os.path.join(self.workspace, "app.py")
        return self.call(who, "view_file", {"AbsolutePath": target}, **how)

    def spawn(self, who: Conversation, *subagents: Mapping[str, Any], **how: Any) -> Answered:
        """Have an agent start subagents."""
        entries = [{"TypeName": "self", "Role": "executor", **one} for one in subagents]
        return self.call(who, "invoke_subagent", {"Subagents": entries}, **how)

    def stop(self, who: Conversation, says: str = "", **how: Any) -> Answered:
        """Have an agent say something and stop."""
        if says:
            who.says(says)
        return self.fire("Stop", who.stop(), **how)

    def configure(self, text: str) -> None:
        """Write the user's configuration; every turn is judged unless it says otherwise."""
        if "[attention]\n" in text and "\nafter = " not in text:
            text = text.replace("[attention]\n", "[attention]\nafter = 0\n", 1)
        elif "[attention]" not in text:
            text = EVERY_TURN + text
        os.makedirs(self.paths.config, exist_ok=True)
        with open(self.paths.config_file, "w", encoding="utf-8") as file:
            file.write(text)
        seal(self.paths)  # the operator did it

    def entries(self, conversation: str = "") -> list[Entry]:
        """Return what the ledger keeps, oldest first."""
        ledger = Ledger.open(self.ledger, wait=5.0, now=time.time())
        try:
            return ledger.entries(conversation=conversation)[::-1]
        finally:
            ledger.close()

    def bound_by(self, who: Conversation) -> str:
        """Return the evidence that established an agent's role; empty when it is unknown."""
        ledger = Ledger.open(self.ledger, wait=5.0, now=time.time())
        try:
            found = ledger.conversation(who.name)
        finally:
            ledger.close()
        return found.bound_by if found else ""

    def faults(self) -> list[tuple[str, str, str, str]]:
        """Return every fault in the ledger, as (plugin, hook, kind, text)."""
        return [
            (plugin, hook, kind, text)
            for entry in self.entries()
            for plugin, hook, kind, text in json.loads(entry.faults)
        ]
