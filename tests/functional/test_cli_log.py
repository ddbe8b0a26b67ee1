"""`agguard log` and `agguard why`: what was decided, and how it came about."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import agguard
from agguard.ledger.records import Entry
from agguard.ledger.store import Ledger

if TYPE_CHECKING:
    from fakes.desk import Desk
    from fakes.guarded import Guarded

HOUR = 3600.0


@pytest.fixture
def now() -> float:
    return time.time()


@pytest.fixture
def recorded(desk: Desk, now: float) -> list[Entry]:
    """A ledger with some decisions in it, oldest first."""
    deny = '[["builtin.delegation", "deny", "agguard: hand it out"]]'
    entries = [
        Entry(now - 50 * HOUR, "aaaa1111", "PreToolUse", 3, 0, "run_command", "make", 32, "deny",
              deny, role="primary"),
        Entry(now - 2 * HOUR, "aaaa2222", "PreToolUse", 4, 0, "view_file", "/w/a", 1, "allow",
              role="worker"),
        Entry(now - HOUR, "aaaa2222", "PreToolUse", 5, 0, "run_command", "git status", 1, "allow",
              '[["builtin.rtk", "abstain", "runs through rtk"]]', role="worker",
              answers='[["rewrite_command", "builtin.rtk", "rtk git status", 90]]'),
        Entry(now - 60, "bbbb3333", "Stop", 6, 0, "", "", 0, "deny",
              '[["builtin.attention", "deny", "agguard: no summary"]]', role="primary"),
        Entry(now - 30, "bbbb3333", "PreToolUse", 7, 0, "write_to_file", "/w/b", 16, "allow",
              deny, '[["friday", "judge_tool", "exception", "it broke"]]', role="primary"),
        Entry(now - 10, "agguard-doctor", "PreToolUse", 0, 0, "view_file", "/h", 1, "allow",
              role="unknown"),
    ]  # fmt: skip
    os.makedirs(desk.paths.state, exist_ok=True)
    ledger = Ledger.open(os.path.join(desk.paths.state, "ledger.db"), wait=1.0, now=now)
    for entry in entries:
        ledger.record(entry)
    ledger.close()
    return entries


def numbers(found: Any) -> list[int]:
    return [one["seq"] for one in found]


@pytest.mark.usefixtures("recorded")
class TestLog:
    def test_decisions_come_oldest_first_and_without_the_doctors(self, desk: Desk) -> None:
        """With number, time, decision, agent and subject."""
        assert numbers(desk.data("log")) == [1, 2, 3, 4, 5]
        out = desk.run("log").out
        assert out.splitlines()[0].split()[0] == "1"
        assert "deny      primary aaaa1111     run_command make" in out
        assert "builtin.delegation: agguard: hand it out" in out

    @pytest.mark.parametrize(
        ("filters", "found"),
        [
            (("--since", "3h"), [2, 3, 4, 5]),
            (("--since", "3h", "--until", "90m"), [2]),
            (("--until", "1d"), [1]),
            (("--conversation", "bbbb"), [4, 5]),
            (("--conversation", "aaaa2222"), [2, 3]),
            (("--conversation", "agguard-doctor"), [6]),
            (("--guard", "builtin.rtk"), [3]),
            (("--guard", "builtin"), [1, 3, 4, 5]),
            (("--guard", "built"), []),
            (("--guard", "friday"), [5]),
            (("--decision", "allow"), [2, 3, 5]),
            (("--decision", "deny"), [1, 4, 5]),
            (("--decision", "continue"), [4]),
            (("--decision", "deny", "--conversation", "aaaa1111"), [1]),
            (("--limit", "3"), [3, 4, 5]),
        ],
        ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
    )
    def test_filters_let_through_what_they_say(
        self, desk: Desk, filters: tuple[str, ...], found: list[int]
    ) -> None:
        """Alone and together; a plugin's name stands for all of its parts."""
        assert numbers(desk.data("log", *filters)) == found

    def test_what_was_not_enforced_is_told_apart(self, desk: Desk) -> None:
        """As in a pause, or under the profile `observe`."""
        assert "allow (deny)" in desk.run("log").out
        (last,) = desk.data("log", "--limit", "1")
        assert (last["decision"], last["judged"]) == ("allow", "deny")

    @pytest.mark.parametrize(
        ("filters", "said"),
        [
            (("--since", "soon"), "is no time; expected a form such as 2h"),
            (("--since", "2026-99-01"), "is no time"),
            (("--conversation", "aaaa"), "2 conversations begin with 'aaaa'"),
            (("--decision", "denied"), "did you mean 'deny'?"),
        ],
    )
    def test_what_cannot_be_meant_is_refused(
        self, desk: Desk, filters: tuple[str, ...], said: str
    ) -> None:
        """With what was expected; status 2."""
        assert said in desk.run("log", *filters, status=2).words

    def test_a_conversation_that_is_not_there_is_said_to_be(self, desk: Desk) -> None:
        """Status 1: the answer is no."""
        desk.run("log", "--conversation", "zz", status=1)

    def test_nothing_found_is_said(self, desk: Desk) -> None:
        """On standard error, so that a pipe gets nothing."""
        found = desk.run("log", "--guard", "nobody")
        assert found.out == ""
        assert "nothing of that kind" in found.err

    def test_what_comes_is_followed(self, desk: Desk, now: float) -> None:
        """One line of JSON for each, as it comes, until it is interrupted."""
        source = next(iter(agguard.__path__)).rpartition("/")[0]
        command = [sys.executable, "-m", "agguard", "log", "-f", "--json", "--conversation", "bbbb"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": source}, text=True
        ) as follower:
            assert follower.stdout is not None
            before = [json.loads(follower.stdout.readline())["seq"] for _ in range(2)]
            ledger = Ledger.open(os.path.join(desk.paths.state, "ledger.db"), wait=1.0, now=now)
            ledger.record(Entry(now, "cccc", "PreToolUse", 1))
            ledger.record(Entry(now, "bbbb3333", "PreToolUse", 8, decision="allow"))
            ledger.close()
            fresh = json.loads(follower.stdout.readline())
            follower.send_signal(2)
            assert follower.wait(20) == 0
        assert before == [4, 5]
        assert (fresh["seq"], fresh["step"]) == (8, 8)


@pytest.mark.usefixtures("recorded")
class TestWhy:
    def test_the_last_decision_is_explained(self, desk: Desk) -> None:
        """Not the doctor's: who asked for what, who said what, what came of it."""
        text = desk.screen("why")
        assert "decision 5: allow" in text
        assert "the guards said deny; nothing was enforced then" in text
        assert "builtin.delegation (deny)" in text
        assert "agguard: hand it out" in text
        assert "fault of friday in judge_tool (exception)" in text
        assert desk.data("why", "last")["seq"] == 5

    def test_the_last_denial_is_found(self, desk: Desk) -> None:
        """Also one that was not enforced."""
        assert desk.data("why", "denied")["seq"] == 5

    def test_a_number_names_a_decision(self, desk: Desk) -> None:
        """The one that stands in its reason."""
        found = desk.data("why", "3")
        assert found["answers"] == [
            {
                "hook": "rewrite_command",
                "guard": "builtin.rtk",
                "answer": "rtk git status",
                "micros": 90,
            }
        ]
        text = desk.screen("why", "3")
        assert "rewrite_command  builtin.rtk  rtk git status" in text

    def test_it_says_how_to_ask_again(self, desk: Desk) -> None:
        """A command line that can be pasted."""
        found = desk.run("why", "3")
        assert "agguard explain 'git status' --role worker" in found.words
        assert "agguard log --conversation aaaa2222" in found.words

    def test_a_stop_that_was_sent_back_is_named_so(self, desk: Desk) -> None:
        """In the host's word."""
        assert "decision 4: continue" in desk.screen("why", "4")

    @pytest.mark.parametrize(("which", "status"), [("99", 1), ("x", 2), ("-1", 2), ("0", 2)])
    def test_what_is_not_there_is_said_to_be(self, desk: Desk, which: str, status: int) -> None:
        """With the next step."""
        found = desk.run("why", "--", which, status=status)
        assert "agguard log" in found.words


class TestWithoutALedger:
    @pytest.mark.parametrize("command", ["log", "why"])
    def test_it_is_said(self, desk: Desk, command: str) -> None:
        """Nothing is made by looking."""
        assert "does not exist yet" in desk.run(command, status=2).words
        assert not os.path.exists(desk.paths.state)


class TestOfARealHook:
    def test_a_denial_names_its_number(self, guarded: Guarded, desk: Desk) -> None:
        """And `agguard why` with it tells the rest."""
        target = os.path.join(guarded.workspace, "app.py")
        reason = guarded.write(guarded.primary(), target).reason
        assert "(decision 1)" in reason
        desk.patch.setenv("AGGUARD_STATE_DIR", guarded.paths.state)
        text = desk.screen("why", "1")
        assert "decision 1: deny" in text
        assert target in " ".join(text.split()).replace(" ", "") or "app.py" in text
        assert ["judge_tool", "builtin.delegation", "deny"] in [
            [one["hook"], one["guard"], one["answer"]] for one in desk.data("why", "1")["answers"]
        ]

    def test_a_stop_that_is_sent_back_names_its_number(self, guarded: Guarded) -> None:
        """The person reads it in the conversation."""
        guarded.configure("[attention]\nafter = 0\n")
        who = guarded.primary()
        guarded.write(who, os.path.join(who.folder, "plan.md"))
        assert "(decision 2)" in guarded.stop(who, "Done.").reason

    def test_an_allowed_call_names_none(self, guarded: Guarded) -> None:
        """Nobody has to ask why."""
        assert "decision" not in guarded.view(guarded.primary()).reason

    def test_a_prompt_stays_out_of_what_is_kept(self, guarded: Guarded) -> None:
        """What was added to it is counted, and no token stands in the log."""
        parent = guarded.primary()
        prompt = guarded.spawn(parent, {"Prompt": "Do it quietly."}).prompts[0]
        (entry,) = guarded.entries()
        assert "adds " in entry.answers
        token = prompt.partition("[AGGUARD_TOKEN:")[2].partition("]")[0]
        assert token
        assert token not in entry.answers


SECRETS = tomllib.loads(
    (Path(__file__).parents[1] / "data" / "secrets.toml").read_text(encoding="utf-8")
)["secret"]
PIECE = 12
"""Characters of a secret that would be too many; shorter ones also stand in what is no secret."""


def test_no_secret_of_the_corpus_is_in_the_files_of_the_ledger(guarded: Guarded) -> None:
    """Every command of it through the registered hook; then the bytes of database and log."""
    worker = guarded.worker()
    for one in SECRETS:
        guarded.run(worker, one["text"])
    files = [path.read_bytes() for path in Path(guarded.paths.state).glob("ledger.db*")]
    written = b"".join(files)
    assert guarded.entries()[-1].seq > len(SECRETS)  # each was written, in some form
    assert len(SECRETS) >= 60
    for one in SECRETS:
        secrets = one["secret"] if isinstance(one["secret"], list) else [one["secret"]]
        for secret in secrets:
            for start in range(max(1, len(secret) - PIECE + 1)):
                piece = secret[start : start + PIECE]
                assert piece.encode() not in written, (one["text"], piece)
