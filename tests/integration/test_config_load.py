"""Loading from disk: layers, origins, and what a broken file does not do."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agguard.config.load import Loaded, load
from agguard.config.lookup import lookup
from agguard.config.merge import nested
from agguard.config.project import files
from agguard.config.schema import Schema
from agguard.config.source import BIGGEST, read

DEFAULTS = nested(Schema().defaults())


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The path of a user's file that is not there yet."""
    return tmp_path / "config.toml"


def loaded(user: Path, text: str | bytes | None = None, **more: Any) -> Loaded:
    if text is not None:
        user.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load(str(user), **more)


class TestUserFile:
    def test_without_a_file_the_defaults_are_in_force(self, user: Path) -> None:
        """A missing file is sound: nobody has to write one."""
        found = loaded(user)
        assert found.settings == found.user == DEFAULTS
        assert found.sound
        assert found.problems == ()
        assert {origin.text for origin in found.origin.values()} == {"default"}

    def test_every_value_has_an_origin(self, user: Path) -> None:
        """Default, profile, or line of the file."""
        found = loaded(user, "profile = 'balanced'\n\n[rtk]\nmode = 'off'\n")
        assert found.origin["delegation.mode"].text == "profile balanced"
        assert found.origin["rtk.mode"].text == f"user {user}:4"
        assert found.origin["hooks.observe"].text == "default"
        assert found.origin.keys() == Schema().defaults().keys()

    def test_a_key_stands_above_its_profile(self, user: Path) -> None:
        """Wherever in the file the profile is named."""
        text = "delegation.mode = 'off'\nprofile = 'balanced'\n"
        found = loaded(user, text)
        assert lookup(found.settings, "delegation.mode") == "off"
        assert lookup(found.settings, "handoff.mode") == "advise"

    def test_settings_are_plain_data(self, user: Path) -> None:
        """They go into the manifest and come back the same."""
        found = loaded(user, "[plugins.x]\na = [1, {b = 0.5}]\n[hooks]\ndeadline = 7\n")
        assert json.loads(json.dumps(found.settings)) == found.settings
        assert found.settings["plugins"]["x"] == {"a": [1, {"b": 0.5}]}
        assert found.settings["hooks"]["deadline"] == 7.0

    @pytest.mark.parametrize("name", ["", " ", ".", 'a"b', "a\\b", "a\nb", "'", "é", "block "])
    def test_a_plugin_of_any_name_can_have_a_table(self, user: Path, name: str) -> None:
        """A file can spell every name, and the compiled settings hold it as it is."""
        found = loaded(user, f"[plugins.{json.dumps(name)}]\nx = 1\n")
        assert found.problems == ()
        assert found.settings["plugins"][name] == {"x": 1}
        again = loaded(user, "broken", last_good=found.user)
        assert again.settings["plugins"][name] == {"x": 1}

    def test_the_source_has_the_stamp_of_the_bytes_that_were_read(self, user: Path) -> None:
        """For the key of the manifest."""
        (source,) = loaded(user, "").sources
        status = user.stat()
        assert source.stamp == (status.st_mtime_ns, status.st_ino, status.st_size)
        user.unlink()
        (gone,) = loaded(user).sources
        assert gone.stamp is None


def unreadable(path: Path) -> None:
    path.write_text("")
    path.chmod(0)


BROKEN: dict[str, Any] = {
    "a directory": Path.mkdir,
    "a FIFO": getattr(os, "mkfifo", None),
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a link that leads nowhere": lambda path: path.symlink_to(path.with_name("gone")),
    "a link to itself": lambda path: path.symlink_to(path),
    "a file below a file": lambda path: path.parent.write_text(""),
    "a file without rights": unreadable,
    "10 MB": lambda path: path.write_bytes(b"#" * 10_000_000),
    "no UTF-8": lambda path: path.write_bytes(b"profile = '\xff'"),
    "UTF-16": lambda path: path.write_text("profile = 'strict'", "utf-16"),
    "a byte order mark": lambda path: path.write_text("rtk.mode = 'off'", "utf-8-sig"),
    "no TOML": lambda path: path.write_text("profile = strict"),
    "JSON": lambda path: path.write_text('{"profile": "strict"}'),
    "an unknown key": lambda path: path.write_text("[delegation]\nmod = 'off'"),
    "a wrong type": lambda path: path.write_text("[delegation]\nmode = 5"),
    "a wrong value": lambda path: path.write_text("[delegation]\nmode = 'none'"),
    "NUL bytes": lambda path: path.write_bytes(b"\0" * 100),
    "a torn write": lambda path: path.write_text("[delegation]\nplan_files = ['a',"),
    "nesting": lambda path: path.write_text("a = " + "[" * 10_000),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.skipif(sys.platform == "win32", reason="FIFOs, links and modes of POSIX")
def test_a_broken_file_never_means_no_guards(user: Path, kind: str) -> None:
    """The last good settings stay, else the defaults; the problem is told, nothing is raised."""
    if kind == "a file without rights" and os.geteuid() == 0:
        pytest.skip("root reads every file")
    path = user / "below" if kind == "a file below a file" else user
    BROKEN[kind](path)
    good = load(str(user.with_name("other.toml"))).user
    good["delegation"]["mode"] = "read-only"

    without, with_good = load(str(path)), load(str(path), last_good=good)
    for found in (without, with_good):
        assert not found.sound
        assert found.problems[0].file == str(path)
        assert found.problems[0].text
    assert without.settings == DEFAULTS
    assert with_good.settings == good
    assert with_good.origin["delegation.mode"].text == "last good"


class TestBrokenUserFile:
    def test_nothing_milder_is_taken_from_it(self, user: Path) -> None:
        """A typo beside `mode = "off"`: nobody knows what else was meant."""
        found = loaded(user, "delegation.mode = 'off'\nhooks.observe = true\nx = 1\n")
        assert found.settings == DEFAULTS

    def test_what_can_be_read_of_it_still_tightens(self, user: Path) -> None:
        """A typo elsewhere must not lose a stricter setting."""
        text = "delegation.worker_scope = 'workspace'\nprofile = 'observe'\nx = 1\n"
        found = loaded(user, text)
        assert lookup(found.settings, "delegation.worker_scope") == "workspace"
        assert lookup(found.settings, "profile") == "strict"
        assert found.origin["delegation.worker_scope"].text == f"user {user}:1"

    def test_a_damaged_last_good_is_completed_with_defaults(self, user: Path) -> None:
        """It may come from another version; only what fits counts."""
        old = {"delegation": {"mode": "off", "gone": 1, "max_depth": "x"}, "hooks": 5, "z": {}}
        found = loaded(user, "x = 1", last_good=old)
        assert lookup(found.settings, "delegation.mode") == "off"
        assert lookup(found.settings, "delegation.max_depth") == 2
        assert found.settings.keys() == DEFAULTS.keys()
        assert found.settings["delegation"].keys() == DEFAULTS["delegation"].keys()

    def test_a_sound_file_makes_no_use_of_the_last_good(self, user: Path) -> None:
        """Otherwise nothing could be loosened again."""
        good = loaded(user, "delegation.mode = 'strict'\n").user
        found = loaded(user, "delegation.mode = 'off'\n", last_good=good)
        assert lookup(found.settings, "delegation.mode") == "off"

    @settings(
        deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
    )
    @given(
        data=st.binary(max_size=80)
        | st.text("[]{}=.,#'\"\\\n\r ab1_").map(str.encode)
        | st.sampled_from([b"hooks.observe=true\n", b"delegation.mode='off'\n"]),
        good=st.none() | st.just({"delegation": {"mode": "advise"}}) | st.just([]),
    )
    def test_any_bytes_give_complete_settings(self, user: Path, data: bytes, good: Any) -> None:
        """Load never raises, and a file that is not sound loosens nothing."""
        found = loaded(user, data, last_good=good)
        assert found.settings["delegation"].keys() == DEFAULTS["delegation"].keys()
        assert found.sound == (not any(problem.grave for problem in found.problems))
        if not found.sound:
            assert not lookup(found.settings, "hooks.observe")
            assert lookup(found.settings, "delegation.mode") in {"strict", "read-only", "advise"}


class TestProjectAndEnvironment:
    def project(self, tmp_path: Path, text: str, name: str = ".agguard.toml") -> tuple[str, ...]:
        (tmp_path / "repo" / ".git").mkdir(parents=True, exist_ok=True)
        (tmp_path / "repo" / name).write_text(text)
        return files(str(tmp_path / "repo"))

    def test_a_project_tightens(self, tmp_path: Path, user: Path) -> None:
        """Its values have its file and line as origin; the user's settings stay apart."""
        text = "\n[delegation]\nworker_scope = 'workspace'\n"
        found = loaded(user, projects=self.project(tmp_path, text))
        path = tmp_path / "repo" / ".agguard.toml"
        assert lookup(found.settings, "delegation.worker_scope") == "workspace"
        assert found.origin["delegation.worker_scope"].text == f"project {path}:3"
        assert found.user == DEFAULTS
        assert found.problems == ()

    def test_a_project_that_loosens_is_told_and_changes_nothing(
        self, tmp_path: Path, user: Path
    ) -> None:
        """The user's file stays sound; the message says who may change it."""
        text = "profile = 'observe'\n[hooks]\n  observe = true\n[plugins]\nblock = ['builtin']\n"
        found = loaded(user, projects=self.project(tmp_path, text))
        assert found.settings == DEFAULTS
        assert found.sound
        assert [(problem.line, problem.column, problem.key) for problem in found.problems] == [
            (1, 1, "profile"),
            (3, 3, "hooks.observe"),
            (5, 1, "plugins.block"),
        ]
        assert "a project or a variable may not set it" in found.problems[2].message

    def test_the_pyproject_table_is_a_project_file_too(self, tmp_path: Path, user: Path) -> None:
        """Both count where both exist: each can only tighten."""
        self.project(tmp_path, "[tool.agguard]\nhandoff.mode = 'off'\n", "pyproject.toml")
        projects = self.project(tmp_path, "profile = 'strict'\n")
        found = loaded(user, "handoff.mode = 'advise'\nprofile = 'adaptive'\n", projects=projects)
        assert lookup(found.settings, "handoff.mode") == "strict"
        (problem,) = found.problems
        assert (problem.line, problem.key) == (2, "handoff.mode")
        assert problem.file.endswith("pyproject.toml")

    def test_a_pyproject_that_does_not_name_agguard_is_not_our_business(
        self, tmp_path: Path, user: Path
    ) -> None:
        """Even when it is broken."""
        projects = self.project(tmp_path, "[tool.ruff\n", "pyproject.toml")
        assert loaded(user, projects=projects).problems == ()

    def test_trust_is_asked_with_the_very_bytes_that_are_used(
        self, tmp_path: Path, user: Path
    ) -> None:
        """A file that changes between a check and its use would be trusted as something else."""
        projects = self.project(tmp_path, "rtk.mode = 'off'\nrtk.path = '/x'\n")
        asked: list[tuple[str, bytes]] = []

        def trusted(path: str, data: bytes) -> bool:
            asked.append((path, data))
            return True

        found = loaded(user, projects=projects, trusted=trusted)
        assert asked == [(projects[0], b"rtk.mode = 'off'\nrtk.path = '/x'\n")]
        assert lookup(found.settings, "rtk.mode") == "off"
        assert lookup(found.settings, "rtk.path") == ""
        assert [problem.key for problem in found.problems] == ["rtk.path"]

    def test_a_broken_project_file_takes_nothing_from_the_user(
        self, tmp_path: Path, user: Path
    ) -> None:
        """And its readable settings still tighten."""
        projects = self.project(tmp_path, "x = 1\ndelegation.max_depth = 0\n")
        found = loaded(user, "delegation.mode = 'advise'\n", projects=projects)
        assert found.sound
        assert lookup(found.settings, "delegation.mode") == "advise"
        assert lookup(found.settings, "delegation.max_depth") == 0
        assert found.problems[0].text.startswith(f"{projects[0]}:1:1: unknown key 'x'")

    def test_the_environment_tightens(self, user: Path) -> None:
        """With the variable as origin; what would loosen is told under its name."""
        environ = {"AGGUARD_DELEGATION_MODE": "strict", "AGGUARD_HOOKS_OBSERVE": "true"}
        found = loaded(user, "profile = 'balanced'\n", environ=environ)
        assert lookup(found.settings, "delegation.mode") == "strict"
        origin = found.origin["delegation.mode"]
        assert origin.text == "environment AGGUARD_DELEGATION_MODE"
        assert lookup(found.settings, "hooks.observe") is False
        assert [problem.file for problem in found.problems] == ["AGGUARD_HOOKS_OBSERVE"]

    def test_a_profile_from_the_environment_brings_its_values(self, user: Path) -> None:
        """The origin of each is the variable that named the profile."""
        found = loaded(user, "profile = 'adaptive'\n", environ={"AGGUARD_PROFILE": "balanced"})
        assert lookup(found.settings, "delegation.mode") == "read-only"
        assert found.origin["delegation.mode"].text == "environment AGGUARD_PROFILE"

    def test_the_environment_of_an_agents_shell_is_ignored(self, user: Path) -> None:
        """The agent wrote it; without a word, for it cannot be told apart from an inherited one."""
        environ = {"AGGUARD_DELEGATION_MODE": "strict", "ANTIGRAVITY_AGENT": "1"}
        found = loaded(user, "delegation.mode = 'off'\n", environ=environ)
        assert lookup(found.settings, "delegation.mode") == "off"
        assert found.problems == ()

    def test_the_environment_is_not_read_unless_it_is_passed(
        self, user: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The caller decides."""
        monkeypatch.setenv("AGGUARD_DELEGATION_MODE", "strict")
        found = loaded(user, "delegation.mode = 'off'\n")
        assert lookup(found.settings, "delegation.mode") == "off"


class TestProjectFiles:
    def test_they_are_looked_for_at_the_root_of_the_repository(self, tmp_path: Path) -> None:
        """Also from deep inside it, and where `.git` is a file (a worktree)."""
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / ".git").write_text("gitdir: elsewhere")
        expected = (str(tmp_path / ".agguard.toml"), str(tmp_path / "pyproject.toml"))
        assert files(str(tmp_path / "a" / "b")) == expected
        assert files(str(tmp_path)) == expected

    def test_without_a_repository_the_folder_itself_counts(self, tmp_path: Path) -> None:
        """Folders above belong to somebody else."""
        if any((above / ".git").exists() for above in tmp_path.parents):
            pytest.skip("the temporary folder is inside a repository")
        assert files(str(tmp_path / "x"))[0] == str(tmp_path / "x" / ".agguard.toml")


def test_a_file_of_exactly_the_largest_size_is_read(tmp_path: Path) -> None:
    """One byte more is not."""
    path = tmp_path / "c.toml"
    path.write_bytes(b"#" * BIGGEST)
    assert read(str(path)).problem is None
    path.write_bytes(b"#" * (BIGGEST + 1))
    problem = read(str(path)).problem
    assert problem is not None
    assert "larger than" in problem.message


def test_a_path_that_no_file_can_have_is_a_problem() -> None:
    """A NUL in a path makes `os.open` raise ValueError."""
    assert read("a\0b").problem is not None
