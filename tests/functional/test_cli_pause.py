"""A pause: nothing is enforced, everything is recorded, and it ends by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import agguard
from agguard.pipeline.pause import LONGEST, NAME, Pause, begin, current

if TYPE_CHECKING:
    from fakes.desk import Desk
    from fakes.guarded import Guarded

if os.name == "nt":
    pytest.skip("needs terminals of POSIX", allow_module_level=True)

from fakes.terminal import Screen, in_terminal


def paused(guarded: Guarded, *, seconds: float = 600.0) -> None:
    now = time.time()
    begin(guarded.paths.state, Pause(now - 1, now + seconds))


def at_terminal(guarded: Guarded, *arguments: str, **more: str) -> Screen:
    return in_terminal(*arguments, environ={**guarded.host.environ, **more})


class TestWhilePaused:
    def test_what_would_be_denied_goes_through(self, guarded: Guarded) -> None:
        """And its answer says that agguard is paused, and until when."""
        target = os.path.join(guarded.workspace, "app.py")
        assert guarded.write(guarded.primary(), target).decision == "deny"
        paused(guarded)
        found = guarded.write(guarded.primary(), target)
        assert found.decision == "allow"
        assert "agguard is paused until" in found.reason
        assert "agguard resume" in found.reason

    def test_every_answer_says_so(self, guarded: Guarded) -> None:
        """Also that of a call that nobody minds."""
        paused(guarded)
        assert "agguard is paused" in guarded.view(guarded.primary()).reason

    def test_a_stop_is_not_sent_back(self, guarded: Guarded) -> None:
        """Though it lacks the summary."""
        guarded.configure("[attention]\nafter = 0\n")
        who = guarded.primary()
        guarded.write(who, os.path.join(who.folder, "plan.md"))
        assert guarded.stop(who, "I am done.").decision == "continue"
        paused(guarded)
        assert guarded.stop(who, "I am done.").decision == ""
        entry = [one for one in guarded.entries() if one.event == "Stop"][-1]
        assert any(decision == "deny" for _, decision, _ in json.loads(entry.reasons))

    def test_what_would_have_been_decided_is_recorded(self, guarded: Guarded) -> None:
        """The guards are asked, and their words are kept."""
        paused(guarded)
        guarded.write(guarded.primary(), os.path.join(guarded.workspace, "app.py"))
        (entry,) = guarded.entries()
        assert entry.decision == "allow"
        reasons = json.loads(entry.reasons)
        assert ["builtin.delegation", "deny"] in [one[:2] for one in reasons]
        assert any("paused" in text for _, _, text in reasons)

    def test_a_subagent_still_gets_its_token(self, guarded: Guarded) -> None:
        """Or it would be nobody when the pause is over."""
        paused(guarded)
        assert "AGGUARD_TOKEN" in guarded.spawn(guarded.primary(), {"Prompt": "Do it."}).prompts[0]

    def test_no_agent_writes_the_pause_itself(self, guarded: Guarded) -> None:
        """What protects the guard stands, or an agent could make a pause without an end."""
        paused(guarded)
        for target in (os.path.join(guarded.paths.state, NAME), guarded.paths.host.hooks):
            found = guarded.write(guarded.worker(), target)
            assert found.decision == "deny"
            assert "agguard is paused" in found.reason


class TestItsEnd:
    def test_it_ends_by_itself(self, guarded: Guarded) -> None:
        """Nobody has to come back."""
        paused(guarded, seconds=0.001)
        time.sleep(0.01)
        found = guarded.write(guarded.primary(), os.path.join(guarded.workspace, "app.py"))
        assert found.decision == "deny"
        assert "paused" not in found.reason

    @pytest.mark.parametrize(
        "content",
        [
            "",
            "{",
            "[]",
            '{"since": "x", "until": 9e99}',
            '{"since": 0}',
            f'{{"since": 0, "until": {time.time() + LONGEST}}}',
            f'{{"since": {time.time() + 9e6}, "until": {time.time() + 9e6 + 60}}}',
            f'{{"since": {time.time() - 60}, "until": 1e400}}',
        ],
    )
    def test_what_is_no_pause_pauses_nothing(self, tmp_path: Path, content: str) -> None:
        """Unreadable, longer than a pause can be, or not begun yet (a clock that was set back)."""
        (tmp_path / NAME).write_text(content)
        (tmp_path / NAME).chmod(0o600)
        assert current(str(tmp_path), time.time()) is None

    def test_what_others_can_write_is_no_pause(self, tmp_path: Path) -> None:
        """Only the operator pauses."""
        now = time.time()
        begin(str(tmp_path), Pause(now - 1, now + 60))
        assert current(str(tmp_path), now)
        (tmp_path / NAME).chmod(0o666)
        assert current(str(tmp_path), now) is None


class TestCommands:
    def test_an_operator_pauses_and_resumes(self, guarded: Guarded) -> None:
        """At a terminal; both stand in the decision log."""
        target = os.path.join(guarded.workspace, "app.py")
        found = at_terminal(guarded, "pause", "1h30m")
        assert found.status == 0
        assert "paused for 1 h 30 min" in found.words
        assert guarded.write(guarded.primary(), target).decision == "allow"
        assert "the pause is over" in at_terminal(guarded, "resume").words
        assert guarded.write(guarded.primary(), target).decision == "deny"
        entries = guarded.entries()
        assert [one.event for one in entries] == ["Pause", "PreToolUse", "Resume", "PreToolUse"]
        assert [one.conversation for one in entries if one.role == "operator"] == ["", ""]

    def test_a_script_cannot_pause(self, desk: Desk) -> None:
        """It has no terminal."""
        found = desk.run("pause", "30m", status=2)
        assert "takes a terminal" in found.words
        assert not os.path.exists(os.path.join(desk.paths.state, NAME))

    def test_an_agents_shell_cannot_pause(self, guarded: Guarded) -> None:
        """Not even from a terminal."""
        found = at_terminal(guarded, "pause", ANTIGRAVITY_AGENT="1")
        assert found.status == 2
        assert "this shell is an agent's" in found.words
        assert current(guarded.paths.state, time.time()) is None

    @pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
    def test_an_agents_shell_that_cleans_its_environment_cannot_pause(
        self, guarded: Guarded
    ) -> None:
        """The shell around it is still marked."""
        inner = (
            "env -u ANTIGRAVITY_AGENT " + f"'{sys.executable}' -m agguard config set rtk.mode off"
        )
        source = next(iter(agguard.__path__)).rpartition("/")[0]
        environ = {**guarded.host.environ, "ANTIGRAVITY_AGENT": "1", "PYTHONPATH": source}
        done = subprocess.run(
            ["sh", "-c", f"{inner}; exit $?"],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 2
        assert "this shell is an agent's" in " ".join(done.stderr.split())

    @pytest.mark.parametrize(
        ("duration", "said"),
        [
            ("forever", "is no duration"),
            ("30", "is no duration"),
            ("0s", "lasts at most 1 d"),
            ("2d", "lasts at most 1 d"),
            ("30m and more", "is no duration"),
        ],
    )
    def test_what_is_no_length_of_a_pause_is_refused(
        self, guarded: Guarded, duration: str, said: str
    ) -> None:
        """With what was expected."""
        found = at_terminal(guarded, "pause", duration)
        assert found.status == 2
        assert said in found.words

    def test_resuming_without_a_pause_is_no_error(self, desk: Desk) -> None:
        """It says so."""
        assert "there is no pause" in desk.run("resume").words
        assert desk.data("resume") == {"paused": False, "was_paused": False}
