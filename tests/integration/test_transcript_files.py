"""Transcripts on a disk: missing, late, huge, rewritten, or no files at all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import agguard.transcript as library
from agguard.transcript import Limits, Patience, opening, spawned, turn

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "unit" / "transcript" / "recorded"
FULL, COMPACT = "transcript_full.jsonl", "transcript.jsonl"


def row(step: int, source: str, kind: str, content: str = "", **fields: Any) -> bytes:
    common = {"step_index": step, "source": source, "type": kind, "status": "DONE"}
    return json.dumps({**common, "content": content, **fields}).encode() + b"\n"


def asked(step: int, text: str = "go") -> bytes:
    return row(step, "USER_EXPLICIT", "USER_INPUT", f"<USER_REQUEST>\n{text}\n</USER_REQUEST>")


def said(step: int, text: str) -> bytes:
    return row(step, "MODEL", "PLANNER_RESPONSE", text)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Return a folder with both files of a recorded transcript."""
    folder = tmp_path / "logs"
    shutil.copytree(RECORDED / "commands" / "0", folder)
    return folder


class TestBothFiles:
    """Either may be named, either may be missing."""

    @pytest.mark.parametrize("named", [FULL, COMPACT])
    def test_the_full_one_is_read(self, logs: Path, named: str) -> None:
        """Whichever the host names."""
        found = turn(str(logs / named))
        assert (Path(found.path).name, found.last_message_cut) == (FULL, False)

    @pytest.mark.parametrize("named", [FULL, COMPACT])
    @pytest.mark.parametrize("missing", [FULL, COMPACT])
    def test_the_other_is_read_when_one_is_missing(
        self, logs: Path, named: str, missing: str
    ) -> None:
        """It is better than nothing."""
        (logs / missing).unlink()
        found = turn(str(logs / named))
        assert Path(found.path).name != missing
        assert (found.complete, len(found.calls)) == (True, 9)
        assert found.last_message_cut == (missing == FULL)
        assert opening(str(logs / named)) is not None

    def test_an_empty_full_one_is_not_preferred(self, logs: Path) -> None:
        """Nothing is in it."""
        (logs / FULL).write_bytes(b"")
        assert Path(turn(str(logs / FULL)).path).name == COMPACT

    def test_a_full_one_that_fell_behind_is_not_preferred(self, logs: Path) -> None:
        """Both are written together; the older one misses something."""
        now = time.time()
        os.utime(logs / FULL, (now - 60, now - 60))
        os.utime(logs / COMPACT, (now, now))
        assert Path(turn(str(logs / FULL)).path).name == COMPACT
        os.utime(logs / FULL, (now, now))
        os.utime(logs / COMPACT, (now - 60, now - 60))
        assert Path(turn(str(logs / COMPACT)).path).name == FULL

    def test_a_turn_that_is_too_long_in_the_full_one_is_read_from_the_other(
        self, tmp_path: Path
    ) -> None:
        """There its rows are cut to 4 kB each."""
        full = asked(0) + b"".join(said(step, "x" * 9000) for step in range(1, 20))
        (tmp_path / FULL).write_bytes(full)
        limits = Limits(total=1 << 16)
        bounded = turn(str(tmp_path / FULL), limits)
        assert (bounded.complete, bounded.user_step, bounded.last_step) == (False, None, 19)
        (tmp_path / COMPACT).write_bytes(full.replace(b"x" * 8000, b""))
        found = turn(str(tmp_path / FULL), limits)
        assert (found.complete, found.user_step, Path(found.path).name) == (True, 0, COMPACT)

    def test_a_file_of_another_name_has_no_sibling(self, logs: Path) -> None:
        """Only the two names belong together."""
        shutil.copy(logs / COMPACT, logs / "other.jsonl")
        assert Path(turn(str(logs / "other.jsonl")).path).name == "other.jsonl"
        assert turn(str(logs / "missing.jsonl")).path == ""


class TestNoFile:
    """What cannot be read has a problem, never an exception."""

    @pytest.mark.parametrize(
        "path", ["", "missing", f"missing/{FULL}", "a\0b", "\ud800", "x" * 9000]
    )
    def test_no_path_that_leads_anywhere(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
    ) -> None:
        """Also the empty one, which protojson writes for an unset field."""
        monkeypatch.chdir(tmp_path)
        found = turn(path)
        assert (found.complete, found.calls, found.answered) == (False, (), False)
        assert found.problem
        assert opening(path) is None
        assert not spawned(path).complete

    def test_a_folder(self, tmp_path: Path) -> None:
        """It is named in the problem."""
        (tmp_path / FULL).mkdir()
        assert "not a regular file" in turn(str(tmp_path / FULL)).problem
        assert opening(str(tmp_path / FULL)) is None

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the platform has no named pipes")
    def test_a_pipe_does_not_block(self, tmp_path: Path) -> None:
        """Nobody writes to it."""
        os.mkfifo(tmp_path / FULL)
        assert "not a regular file" in turn(str(tmp_path / FULL)).problem
        assert opening(str(tmp_path / FULL)) is None

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
    def test_a_file_without_permission(self, logs: Path) -> None:
        """The other one may still be readable."""
        (logs / FULL).chmod(0)
        assert Path(turn(str(logs / FULL)).path).name == COMPACT
        (logs / COMPACT).chmod(0)
        assert "cannot read" in turn(str(logs / FULL)).problem


class TestHuge:
    """A file's size does not matter."""

    def test_a_gap_of_2_gb_before_the_turn(self, tmp_path: Path) -> None:
        """Neither time nor memory go into it: `bench/transcript.py` measures both."""
        path = tmp_path / FULL
        with path.open("wb") as file:
            file.write(asked(0, "first"))
            file.seek(2 << 30)
            file.write(asked(7, "second") + said(8, "done"))
        tracemalloc.start()
        found, opened = turn(str(path)), opening(str(path))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (found.user_text, found.last_message, found.complete) == ("second", "done", True)
        assert opened is not None
        assert opened.text == "first"
        assert peak < 4 << 20

    def test_a_gap_within_the_turn_is_bounded(self, tmp_path: Path) -> None:
        """And named."""
        path = tmp_path / FULL
        with path.open("wb") as file:
            file.write(asked(0))
            file.seek(2 << 30)
            file.write(said(8, "done"))
        found = turn(str(path))
        assert (found.user_step, found.last_message, found.complete) == (None, "done", False)
        assert "a line or gap of more than 67108864 bytes" in found.problem

    def test_one_line_of_50_mb(self, tmp_path: Path) -> None:
        """Passed over in constant memory; all others are read."""
        path = tmp_path / FULL
        with path.open("wb") as file:
            file.write(asked(0))
            file.write(row(1, "MODEL", "GENERIC", "x" * (50 << 20)))
            file.write(said(2, "done"))
        tracemalloc.start()
        found = turn(str(path))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert (found.user_step, found.last_message, found.complete) == (0, "done", False)
        assert found.problem == "1 line is too long and passed over"
        assert peak < 20 << 20

    @pytest.mark.parametrize("size", [1 << 20, 5 << 20])
    def test_a_prompt_of_1_mb_and_more(self, tmp_path: Path, size: int) -> None:
        """It opens the conversation as a short one does."""
        (tmp_path / FULL).write_bytes(asked(0, "[TOKEN]" + "x" * size) + said(1, "a"))
        found = opening(str(tmp_path / FULL))
        assert found is not None
        assert len(found.text) == size + 7


class TestSpawned:
    """Asked of the parent's file at any time."""

    def test_only_what_came_after_a_step(self) -> None:
        """A later turn asks for what is new to it."""
        path = str(RECORDED / "family" / "0" / COMPACT)
        whole = spawned(path)
        assert whole == turn(path).spawned
        assert len(whole.children) == 2
        step = whole.reports[0].step
        later = spawned(path, since=step)
        assert (later.children, later.failed, later.complete) == ((), (), True)
        assert later.reports == whole.reports[1:]
        assert spawned(path, since=9999).reports == ()

    def test_turns_do_not_matter(self, tmp_path: Path) -> None:
        """A child may report after the user has spoken again."""
        child = "a" * 32
        text = json.dumps({"conversationId": child})
        made = row(2, "MODEL", "INVOKE_SUBAGENT", f"Created:\n{text}\nWait.")
        (tmp_path / FULL).write_bytes(asked(0) + made + asked(3) + said(4, "a"))
        assert turn(str(tmp_path / FULL)).spawned.children == ()
        assert [one.conversation for one in spawned(str(tmp_path / FULL)).children] == [child]


class TestLate:
    """The host writes while we read."""

    def test_a_file_that_appears(self, tmp_path: Path) -> None:
        """Within half a second it is found, and not a moment later than it must be."""
        path = tmp_path / COMPACT
        timer = threading.Timer(0.05, lambda: path.write_bytes(asked(0, "hi")))
        timer.start()
        found = Patience().opening(str(path))
        timer.join()
        assert found is not None
        assert found.text == "hi"

    def test_a_message_that_comes_late(self, tmp_path: Path) -> None:
        """The turn is read again when the file has changed."""
        path = tmp_path / FULL
        path.write_bytes(asked(0) + row(1, "MODEL", "PLANNER_RESPONSE", tool_calls=[{"name": "x"}]))

        def append() -> None:
            with path.open("ab") as file:
                file.write(said(3, "done"))

        timer = threading.Timer(0.05, append)
        timer.start()
        found = Patience().turn(str(path))
        timer.join()
        assert (found.last_message, found.answered) == ("done", True)

    def test_half_a_line_that_is_completed(self, tmp_path: Path) -> None:
        """A row is read when all of it is there."""
        path, line = tmp_path / FULL, said(1, "done")
        path.write_bytes(asked(0) + line[:-20])
        assert turn(str(path)).problem == "the last line is cut"

        def complete() -> None:
            with path.open("ab") as file:
                file.write(line[-20:])

        timer = threading.Timer(0.05, complete)
        timer.start()
        found = Patience().turn(str(path))
        timer.join()
        assert (found.last_message, found.complete) == ("done", True)

    def test_what_never_comes_uses_up_the_patience(self, tmp_path: Path) -> None:
        """All of it, once."""
        slept: list[float] = []
        patience = Patience(0.5, lambda: sum(slept), slept.append)
        assert patience.opening(str(tmp_path / FULL)) is None
        assert not patience.turn(str(tmp_path / FULL)).answered
        assert sum(slept) == pytest.approx(0.5)

    def test_a_file_rewritten_by_compaction(self, tmp_path: Path) -> None:
        """Nothing is remembered from before."""
        path = tmp_path / FULL
        path.write_bytes(b"".join([asked(0), *(said(n, "x" * 999) for n in range(1, 99))]))
        assert turn(str(path)).last_step == 98
        path.write_bytes(row(90, "SYSTEM", "CHECKPOINT", "so far") + asked(99) + said(100, "on"))
        found = turn(str(path))
        assert (found.user_step, found.last_message, found.complete) == (99, "on", True)
        opened = opening(str(path))
        assert opened is not None
        assert (opened.kind, opened.step) == ("other", 90)


def test_a_hook_imports_nothing_heavy() -> None:
    """Nothing of the library needs what the design (section 6) rules out."""
    script = f"""
import sys
sys.path.insert(0, {str(ROOT / "src")!r})
from agguard.transcript import Patience, opening, spawned, turn
path = {str(RECORDED / "family" / "0" / COMPACT)!r}
patience = Patience()
assert patience.opening(path).kind == "user" and patience.turn(path).answered
assert spawned(path).children and turn(path).started_at and opening(path)
print(" ".join(sorted(sys.modules)))
"""
    command = [sys.executable, "-I", "-S", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    banned = {
        "pathlib", "typing", "dataclasses", "inspect", "logging", "asyncio", "tomllib",
        "importlib.metadata", "platformdirs", "typer", "rich", "pluggy", "subprocess", "yaml",
        "shlex", "orjson", "typing_extensions",
    }  # fmt: skip
    assert banned.isdisjoint(done.stdout.split())


def test_what_is_not_asked_for_is_not_loaded() -> None:
    """A hook of a known conversation pays for nothing."""
    script = f"""
import sys
sys.path.insert(0, {str(ROOT / "src")!r})
import agguard.transcript
from agguard.transcript import opening
print(" ".join(name for name in sys.modules if name.startswith("agguard.transcript.")))
"""
    command = [sys.executable, "-I", "-S", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {name.rpartition(".")[2] for name in done.stdout.split()}
    assert loaded == {"files", "head", "message", "row"}


def test_every_public_name_is_there() -> None:
    """And no other."""
    for name in library.__all__:
        assert getattr(library, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        library.nothing  # noqa: B018 - the access is the test
