"""One long scenario through the hook path, in process: what is answered under some settings.

Two runs under the same settings say the same, so a setting that changes nothing is found out.
"""

from __future__ import annotations

import json
import os
import re
import time
from typing import TYPE_CHECKING, Any

from agguard import __version__
from agguard.dispatch.deadline import Clock
from agguard.doctor.stage import Conversation, Stage
from agguard.hosts.port import host as find_host
from agguard.install.user import install_for_user
from agguard.ledger.records import Entry
from agguard.paths import resolve
from agguard.pipeline import hook
from agguard.pipeline.books import Books
from agguard.pipeline.caller import session
from agguard.pipeline.desk import Desk
from agguard.pipeline.firing import fire
from agguard.pipeline.project import in_force
from agguard.plugins import pins
from agguard.plugins.build import compiled
from agguard.plugins.discovery import discover
from agguard.plugins.places import remember, search_path
from fakes.distribution import Packages

if TYPE_CHECKING:
    from pathlib import Path

LENIENT = """
@hookimpl
def classify_tool(call):
    return Effect.READ if call.name == "call_mcp_tool" else None

@hookimpl
def rewrite_command(command):
    return Rewrite(f"{command.text} -q") if command.text.startswith("just build") else None
"""

SLOW = """
import time

@hookimpl
def judge_tool(call):
    if call.name == "slow_tool":
        time.sleep(0.6)

@hookimpl
def rewrite_command(command):
    return Rewrite(f"{command.text} -s") if command.text.startswith("just build") else None
"""

RTK = "#!/bin/sh\necho 'rtk 1.1.0'\n"
FAILURE = {
    "status": "failed",
    "summary": "The build of the parser broke.",
    "diagnostic": "make stopped with an error in parser.c, line 3, and nothing else was done.",
}
DAY = 86_400.0


class Battery:
    """A home with a workspace, two plugins and a program named rtk; and what happens in it.

    Args:
        home: An empty folder.
        config: The user's configuration.
    """

    def __init__(self, home: Path, config: str) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.home = home
        self.stage = Stage(str(home))
        self.paths = resolve(str(home))
        self.packages = Packages(home / "site")
        self.packages.add("lenient", LENIENT)
        self.packages.add("slow", SLOW)
        os.makedirs(self.paths.config, exist_ok=True)
        with open(self.paths.config_file, "w", encoding="utf-8") as file:
            file.write(config.replace("HOME", str(home)))
        rules = os.path.join(self.stage.workspace, "AGENTS.md")
        with open(rules, "w", encoding="utf-8") as file:
            file.write("Use tabs in Makefiles.\n")
        own = home / "own"
        own.mkdir()
        (own / "executor.md").write_text("My own rules.\n")
        remember(self.paths)
        path = [str(self.packages.site), *search_path()]
        found = [one for one in discover(__version__, path) if one.name in ("lenient", "slow")]
        pins.store(self.paths.config, {one.name: pins.pin(one) for one in found})
        self.manifest = compiled(self.paths, path)
        broken = [text for _, kind, text in self.manifest.problems if kind == "config"]
        assert not broken, broken
        self.host = find_host("antigravity")
        self.said: list[str] = []

    def run(self) -> list[str]:
        """Let everything happen, and return all answers; made-up names are taken out."""
        self.said = []
        self._installed()
        primary = self._primary()
        self._calls(primary)
        self._stops(primary)
        self._children()
        self._failures()
        self._unknown()
        self._time()
        return [self._plain(text) for text in self.said]

    def _installed(self) -> None:
        outcome = install_for_user(self.paths, dry_run=True)
        rows = [(row["plugin"], row["hook"]) for row in self.manifest.rows]
        self.said += [outcome.diff, repr(rows)]

    def _primary(self) -> Conversation:
        found = self.stage.conversation()
        found.user("Do it.")
        return found

    def _calls(self, who: Conversation) -> None:
        work = self.stage.workspace
        self._call(who, "write_to_file", TargetFile=f"{work}/app.py", CodeContent="x")
        self._call(who, "write_to_file", TargetFile=f"{work}/notes.md", CodeContent="x")
        self._call(who, "write_to_file", TargetFile=f"{who.folder}/plan.md", CodeContent="x")
        for line in ("git status", "git log", "mytool show"):
            self._call(who, "run_command", CommandLine=line, Cwd=work)
        for tool in ("frobnicate", "get_issue"):
            self._call(who, "call_mcp_tool", ServerName="jira", ToolName=tool, Arguments={})
        self._call(who, "slow_tool", x=1)
        for number in (0, 1, 2, 30):
            self._fire("PreInvocation", {"invocationNum": number, **who.common()})

    def _stops(self, who: Conversation) -> None:
        for text in ("Done.", "Done!", "Done?", "Summary of skills used: none. Verified: no."):
            who.says(text)
            self._fire("Stop", who.stop(), later=60.0)
        who.says("Summary of skills used: none. Verified: no.")
        self._fire("Stop", who.stop(), later=600.0)
        who.user("Once more.")
        self._call(who, "write_to_file", TargetFile=f"{who.folder}/plan.md", CodeContent="x")
        for text in ("Done.", "Done!", "Done?", "Really.", "Summary of skills used: none."):
            who.says(text)
            self._fire("Stop", who.stop(), later=600.0)

    def _children(self) -> None:
        parent = self._primary()
        asked = [
            {"TypeName": "self", "Role": "executor", "Prompt": "One."},
            {"TypeName": "DeepCoder", "Role": "lead", "Prompt": "Two."},
            {"TypeName": "custom", "Role": "looker", "Prompt": "Three.", "Model": "flash_lite"},
            {"TypeName": "custom", "Role": "doer", "Prompt": "Four.", "Model": "flash"},
            {"TypeName": "custom", "Role": "thinker", "Prompt": "Five.", "Model": "pro"},
        ]
        for child in self._spawn(parent, asked):
            work = self.stage.workspace
            for line in ("git status", "just build"):
                self._call(child, "run_command", CommandLine=line, Cwd=work)
            self._call(child, "write_to_file", TargetFile=f"{work}/a.py", CodeContent="x")
            self._call(child, "write_to_file", TargetFile="/elsewhere/a.py", CodeContent="x")
            self._call(child, "write_to_file", TargetFile=self.paths.host.hooks, CodeContent="x")
            self._call(child, "invoke_subagent", Subagents=[{"TypeName": "self", "Prompt": "x"}])
            child.says("All done.")
            self._fire("Stop", child.stop(), later=600.0)

    def _failures(self) -> None:
        parent = self._primary()
        task = {"TypeName": "self", "Role": "executor", "Prompt": "Mend the parser in parser.c."}
        (child,) = self._spawn(parent, [{**task, "Model": "flash"}])
        for _ in range(3):
            self._call(child, "run_command", CommandLine="make", Cwd=self.stage.workspace)
            child.result("RUN_COMMAND", "The command exited with code 2.")
            self._fire("PreInvocation", {"invocationNum": 1, **child.common()})
        target = f"{self.stage.workspace}/parser.c"
        self._call(child, "write_to_file", TargetFile=target, CodeContent="x")
        child.says(json.dumps(FAILURE))
        self._fire("Stop", child.stop(), later=600.0)
        idle = "has gone idle. This was the subagent's most recent response: "
        parent.message("system", f"Subagent {child.name} {idle}{json.dumps(FAILURE)}")
        self._fire("PreInvocation", {"invocationNum": 2, **parent.common()})
        self._call(parent, "invoke_subagent", Subagents=[{**task, "Model": "flash"}])

    def _unknown(self) -> None:
        nobody = self.stage.conversation()
        payload = nobody.common() | {"transcriptPath": "", "modelName": "gemini-flash"}
        args = {"TargetFile": f"{self.stage.workspace}/b.py", "CodeContent": "x"}
        self._fire("PreToolUse", {"toolCall": {"name": "write_to_file", "args": args}, **payload})

    def _time(self) -> None:
        """Let a day and more go by: what is silent ends, and what is old is forgotten."""
        parent = self._primary()
        self._spawn(parent, [{"TypeName": "self", "Role": "executor", "Prompt": "Slowly."}])
        self._fire("PreInvocation", {"invocationNum": 1, **parent.common()}, later=7200.0)
        books = Books(self.paths.state, 5.0, time.time())
        books.ask(lambda x: x.record(Entry(time.time(), "later", "PreToolUse")))
        before = books.ask(lambda x: x.entries(limit=1000)) or []
        later = time.time() + 5 * DAY
        books.ask(lambda x: x.record(Entry(later, "later", "PreToolUse")))
        books.close()
        self._fire("PreToolUse", {"toolCall": None, **parent.common()}, later=5 * DAY)
        books = Books(self.paths.state, 5.0, later)
        after = books.ask(lambda x: x.entries(limit=1000)) or []
        books.close()
        self.said.append(f"forgotten: {len(after) < len(before)}")

    def _spawn(self, who: Conversation, asked: list[dict[str, Any]]) -> list[Conversation]:
        """Start subagents as far as they are let start."""
        found = self._call(who, "invoke_subagent", Subagents=asked)
        if found.get("decision") == "deny":
            return []
        started = found.get("overwrite", {}).get("Subagents", asked)
        children = []
        for one in started:
            child = self.stage.conversation()
            child.message(who.name, one["Prompt"])
            children.append(child)
        who.spawned(*children)
        return children

    def _call(self, who: Conversation, tool: str, **args: Any) -> dict[str, Any]:
        found = self._fire("PreToolUse", who.calls(tool, args))
        who.result("GENERIC", "ok")
        return found

    def _fire(self, event: str, payload: dict[str, Any], later: float = 0.0) -> dict[str, Any]:
        """Answer one event as the hook does, at some other time."""
        read = self.host.parse(event, json.dumps(payload).encode())
        manifest = in_force(self.paths.state, self.manifest, read.workspaces)
        now = time.time() + later
        clock = Clock(manifest.settings["hooks"]["deadline"])
        dispatcher, asker = hook._dispatcher(manifest, clock)
        books = Books(self.paths.state, 5.0, now)
        try:
            who = session(read, manifest, books, now)
            outcome = fire(read, Desk(dispatcher, self.host, books, now, who))
        finally:
            books.close()
            asker.close()
        answer = self.host.answer(event, outcome)
        faults = [fault.text for fault in outcome.faults]
        self.said.append(json.dumps([event, read.call and read.call.name, answer, faults]))
        return answer

    def _plain(self, text: str) -> str:
        text = text.replace(str(self.home), "~")
        text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}", "#", text)
        return re.sub(r"\(decision \d+\)|\d+ m?s\b", "", text)
