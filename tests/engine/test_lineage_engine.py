"""Lineage and work with the vendor's engine: real conversations, records, spawns and reports.

Only the model is a script. The engine mixes up the arguments of calls of parent and child that
have the same step, so commands stand at steps of their own here.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agguard.ledger.reader import Reader
from fakes.family import REPORT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.ledger.reader import Node
    from agguard.ledger.records import Event, WorkItem

SHARED = Path(__file__).parents[3] / "shared" / "engine"

pytestmark = pytest.mark.engine

pytest.importorskip("google.antigravity", reason="needs the extra `engine`", exc_type=ImportError)
if not (SHARED / "engine.py").is_file():
    pytest.skip("needs ../shared/engine", allow_module_level=True)
sys.path.append(str(SHARED))

import engine as vendor  # noqa: E402
from engine import Engine, Run, call, say  # noqa: E402

Turn = list[dict[str, Any]]
SUMMARY = "Summary of skills used: delegation. Not verified because nothing was built."


class Scene:
    """A guarded engine, and a model that plays a part for each conversation.

    A part is a list of turns; a turn may be a function of the request, which is called when it is
    its turn. Which part a conversation plays is said by a word in its opening message.
    """

    def __init__(self, folder: Path, config: str = "") -> None:
        from agguard.install.user import install_for_user
        from agguard.paths import resolve

        self.home, self.workspace = folder / "home", folder / "work"
        self.home.mkdir(parents=True)
        self.workspace.mkdir()
        (self.workspace / "app.py").write_text("x = 1\n")
        self.paths = resolve(str(self.home))
        if config:
            Path(self.paths.config).mkdir(parents=True)
            Path(self.paths.config_file).write_text(config)
        install_for_user(self.paths)
        self.engine = Engine(self.workspace, self.home)

    def play(self, settle: float = 1.0, **parts: list[Any]) -> Run:
        """Hold the conversation; `PRIMARY` is the part of the one that the user opens."""

        def model(request: dict[str, Any]) -> Turn:
            opening = json.dumps(request["contents"][:1])
            word = next((w for w in parts if w != "PRIMARY" and f"{w}:" in opening), "PRIMARY")
            done = turns(request)
            turn = parts[word][done] if done < len(parts[word]) else [say("Done.")]
            found: Turn = turn(request) if callable(turn) else turn
            return found

        run = self.engine.run("Do the task.", model, settle=settle)
        assert [c.fault for c in run.hook_calls if c.fault] == []
        assert self.verified() == []
        return run

    def look(self) -> dict[str, Any]:
        return call("view_file", AbsolutePath=str(self.workspace / "app.py"))

    def write(self, name: str) -> dict[str, Any]:
        target = str(self.workspace / name)
        return call("write_to_file", TargetFile=target, CodeContent="x", Overwrite=True)

    def command(self, line: str) -> dict[str, Any]:
        folder = str(self.workspace)
        return call("run_command", CommandLine=line, Cwd=folder, WaitMsBeforeAsync=60000)

    def nodes(self) -> Iterator[Node]:
        with Reader.open(str(Path(self.paths.state) / "ledger.db")) as reader:
            left = reader.tree()
        while left:
            node = left.pop()
            left += node.children
            yield node

    def agents(self) -> dict[str, tuple[str, str, int, bool]]:
        """Return role, parent's part, depth and tier of each, by the Role that it was given."""
        found = list(self.nodes())
        names = {n.conversation.id: n.work[0].agent_role if n.work else "user" for n in found}
        return {
            names[one.id]: (
                str(one.role),
                names.get(one.parent, ""),
                one.remaining_depth,
                one.read_only,
            )
            for one in (node.conversation for node in found)
        }

    def work(self, role: str) -> list[WorkItem]:
        return [x for n in self.nodes() for x in n.work if n.work[0].agent_role == role]

    def events(self) -> list[Event]:
        with Reader.open(str(Path(self.paths.state) / "ledger.db")) as reader:
            return reader.events()

    def verified(self) -> list[str]:
        with Reader.open(str(Path(self.paths.state) / "ledger.db")) as reader:
            return reader.verify()


ATTEMPTS = 8
"""Sessions with a kill that are played until the engine plays one to its end."""


def turns(request: dict[str, Any]) -> int:
    """How many turns the model already had; the engine sends results under its name, too."""
    return sum(
        one.get("role") == "model" and not any("functionResponse" in part for part in one["parts"])
        for one in request.get("contents", ())
    )


def spawn(word: str, role: str, **more: str) -> dict[str, Any]:
    """One entry of `Subagents`."""
    return {"TypeName": "self", "Role": role, "Prompt": f"{word}: go on.", **more}


def start(*entries: dict[str, Any]) -> dict[str, Any]:
    return call("invoke_subagent", Subagents=list(entries))


def wait(seconds: float, *parts: dict[str, Any]) -> Any:
    """A turn that the model takes its time for."""

    def turn(_: dict[str, Any]) -> Turn:
        time.sleep(seconds)
        return list(parts)

    return turn


def child_of(request: dict[str, Any]) -> str:
    """Return the id of the first subagent that a conversation was told of."""
    (found, *_) = re.findall(r'conversationId[\\": ]+([0-9a-f]{32})', json.dumps(request))
    return str(found)


def reasons(run: Run, tool: str) -> list[str]:
    """Return why calls of a tool were denied."""
    return [
        c.answer["reason"]
        for c in run.hook_calls
        if c.answer.get("decision") == "deny" and c.payload["toolCall"]["name"] == tool
    ]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


@pytest.mark.parametrize("overwrites", [True, False], ids=["overwrite", "no overwrite"])
def test_a_primary_a_coordinator_and_a_worker_but_no_grandchild(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, overwrites: bool
) -> None:
    """Three levels act; the fourth is denied with the depth. Also where `overwrite` is dropped."""
    if not overwrites:
        real = vendor.HooksJson._run

        def dropping(*args: Any) -> dict[str, Any]:
            return {k: v for k, v in real(*args).items() if k != "overwrite"}

        monkeypatch.setattr(vendor.HooksJson, "_run", dropping)

    run = scene.play(
        settle=4,
        PRIMARY=[[start(spawn("LEAD", "DeepCoder"))], wait(6, say(SUMMARY))],
        LEAD=[[start(spawn("WORK", "executor"))], wait(3, say(REPORT)), [say(REPORT)]],
        WORK=[
            [scene.look()],
            [start(spawn("DEEP", "executor"))],
            [scene.write("made.py")],
            [say(REPORT)],
        ],
    )

    assert scene.agents() == {
        "user": ("primary", "", 2, False),
        "DeepCoder": ("coordinator", "user", 1, False),
        "executor": ("worker", "DeepCoder", 0, False),
    }
    (reason,) = reasons(run, "invoke_subagent")
    assert "remaining_depth=0" in reason
    assert (scene.workspace / "made.py").is_file()
    assert [x.status for x in scene.work("DeepCoder")] == ["TERMINATED"]
    openings = [rows[0]["content"] for rows in run.transcripts.values()]
    assert sum("[AGGUARD_TOKEN:" in text for text in openings) == (2 if overwrites else 0)


def test_a_worker_that_never_finishes_is_given_up(tmp_path: Path) -> None:
    """The primary is released at its next event; what comes late changes nothing."""
    scene = Scene(tmp_path, "[ledger]\nwork_timeout = 5\n[attention]\nafter = 0\n")
    run = scene.play(
        settle=12,
        PRIMARY=[
            [start(spawn("HANG", "hanging"))],
            wait(8, scene.look()),
            [say("I wait.")],  # the engine raises no Stop before all of them are idle
            [say("Summary of skills used: delegation.")],
            [start(spawn("AGAIN", "second"))],
            [say("I wait again.")],
            [say(SUMMARY)],
        ],
        HANG=[[scene.look()], [scene.command("sleep 14")], [scene.write("late.py")], [say(REPORT)]],
        AGAIN=[[scene.write("made.py")], [say(REPORT)]],
    )

    states = [x.after for x in scene.events() if x.type in ("WORK_SWEPT", "WORK_TIMED_OUT")]
    assert states == ["EXECUTION_ACTIVE", "RECOVERY_REQUIRED"]
    first, *_, last = [c.answer for c in run.hook_calls if c.event == "Stop"]
    assert first["decision"] == "continue"
    assert "WORK_TIMED_OUT" in first["reason"]
    assert "hanging" in first["reason"]
    assert "WORK_TIMED_OUT" in json.dumps(run.requests)
    assert last == {}
    assert [x.status for x in scene.work("hanging")] == ["TIMED_OUT"]
    assert (scene.workspace / "made.py").is_file()
    assert not (scene.workspace / "late.py").exists()
    assert any("no open task" in text for text in reasons(run, "write_to_file"))


def test_a_child_is_used_again_by_a_message(scene: Scene) -> None:
    """The engine raises no hook for `send_message`; the child's own record tells."""

    def again(request: dict[str, Any]) -> Turn:
        return [call("send_message", Recipient=child_of(request), Message="Once more.")]

    scene.play(
        settle=6,
        PRIMARY=[
            [start(spawn("WORK", "executor"))],
            wait(2, scene.look()),
            [scene.look()],  # now the row that says that the child is idle has been read
            again,
            wait(3, scene.look()),
            [scene.look()],
            [say(SUMMARY)],
        ],
        WORK=[
            [scene.write("first.py")],
            [say(REPORT)],
            [scene.write("second.py")],
            [start(spawn("DEEP", "executor"))],
            [say(REPORT)],
        ],
    )

    assert (scene.workspace / "first.py").is_file()
    assert (scene.workspace / "second.py").is_file()
    assert [x.origin for x in scene.work("executor")] == ["spawn", "message"]
    assert [x.status for x in scene.work("executor")] == ["TERMINATED", "TERMINATED"]
    assert scene.agents()["executor"] == ("worker", "user", 0, False)


def killed(scene: Scene) -> bool:
    """Play a session in which a child is killed; return whether the engine played it to its end.

    It now and then ends the whole turn with the killed child, and then nobody is told of anything.
    """
    ended = []

    def kill(request: dict[str, Any]) -> Turn:
        return [call("manage_subagents", Action="kill", ConversationIds=[child_of(request)])]

    def end(_: dict[str, Any]) -> Turn:
        ended.append(True)
        return [say(SUMMARY)]

    scene.play(
        settle=3,
        PRIMARY=[
            [start(spawn("HANG", "hanging"))],
            [start({**spawn("NOBODY", "refused"), "TypeName": "nobody"})],
            [start(spawn("TALK", "talking"))],
            wait(2, *[scene.look()]),
            kill,
            [scene.look()],
            wait(1, scene.look()),  # on a busy machine the row of the kill is not there sooner
            end,
        ],
        HANG=[[scene.look()], [scene.look()], [scene.look()], [scene.command("sleep 20")]],
        TALK=[[say(REPORT)]],
    )
    return bool(ended)


def test_ends_that_the_engine_tells_by_rows_alone(tmp_path: Path) -> None:
    """A spawn that failed, a child that was killed, and one that answered without a tool."""
    scenes = (Scene(tmp_path / str(number)) for number in range(ATTEMPTS))
    scene = next((one for one in scenes if killed(one)), None)
    assert scene, "the engine never played the session to its end"

    assert [(x.status, x.cause) for x in scene.work("hanging")] == [("FAILED", "killed")]
    assert [x.status for x in scene.work("talking")] == ["TERMINATED"]
    failed = [x for x in scene.events() if x.type == "HANDOFF_FAILED"]
    assert [x.to_status for x in failed] == ["FAILED"]
    assert '"nobody" not found' in failed[0].detail


def test_an_agent_of_a_workflow_is_its_starters_worker(scene: Scene) -> None:
    """Its record opens like a primary's; the workflow's log says whose it is."""
    script = 'await agent("FLOW" + ": go on.", {"type": "string"}, role="R")'
    run = scene.play(
        settle=8,
        PRIMARY=[[start(spawn("LEAD", "DeepCoder"))], wait(6, say(SUMMARY))],
        LEAD=[[scene.look()], [scene.look()], [call("run_workflow", Script=script)]],
        FLOW=[
            [scene.look()],
            [scene.write("flow.py")],
            [start(spawn("DEEP", "executor"))],
            [call("finish", result="ok")],
        ],
    )

    (flow,) = [
        node.conversation for node in scene.nodes() if node.conversation.bound_by == "workflow"
    ]
    (leader,) = [n.conversation for n in scene.nodes() if n.conversation.id == flow.parent]
    assert (str(leader.role), str(flow.role)) == ("coordinator", "worker")
    assert (flow.remaining_depth, flow.read_only) == (0, True)
    assert not (scene.workspace / "flow.py").exists()
    assert any("remaining_depth=0" in text for text in reasons(run, "invoke_subagent"))
    opening = run.transcripts[flow.id][0]
    assert (opening["source"], opening["type"]) == ("USER_EXPLICIT", "USER_INPUT")


def test_a_session_in_an_agents_shell_is_nobodys(scene: Scene) -> None:
    """What the engine sets for commands is what the hooks of such a session inherit."""
    mark = scene.workspace / "environment"
    scene.play(
        settle=3,
        PRIMARY=[[start(spawn("WORK", "executor"))], wait(3, say(SUMMARY))],
        WORK=[[scene.look()], [scene.look()], [scene.command(f"env > {mark}")], [say(REPORT)]],
    )
    lines = dict(line.split("=", 1) for line in mark.read_text().splitlines() if "=" in line)
    (worker,) = [n.conversation for n in scene.nodes() if n.work]
    assert lines["ANTIGRAVITY_AGENT"] == "1"
    assert lines["ANTIGRAVITY_TRAJECTORY_ID"] == worker.id
