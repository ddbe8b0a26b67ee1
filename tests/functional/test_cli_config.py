"""`agguard config`: what it prints, what it changes, and what it refuses."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from agguard.cli.commands.config_profile import ProfileName
from agguard.config.profiles import PROFILES
from agguard.config.schema import Schema

if TYPE_CHECKING:
    from fakes.desk import Desk

COMMENTED = """\
# mine
[delegation]
mode = "advise"  # for now

[rtk]   # compressed
add = [
    "just",  # ours
]
"""


class TestShow:
    def test_everything_is_shown_as_toml(self, desk: Desk) -> None:
        """What it prints can be pasted into a file, and means the same there."""
        desk.configure(COMMENTED)
        found = tomllib.loads(desk.run("config", "show").out)
        assert found["delegation"]["mode"] == "advise"
        assert found["rtk"]["add"] == ["just"]
        assert found["profile"] == "strict"

    def test_the_origin_of_each_is_said(self, desk: Desk) -> None:
        """Default, profile, file and line; a comment, so that it still is TOML."""
        desk.configure('profile = "balanced"\n[rtk]\nmode = "off"\n')
        out = desk.run("config", "show", "--origin").out
        assert tomllib.loads(out)["rtk"]["mode"] == "off"
        lines = {line.split(" = ")[0]: line for line in out.splitlines() if " = " in line}
        assert lines["deadline"].endswith("# default")
        origins = desk.data("config", "show")["origin"]
        assert origins["rtk.mode"] == f"user {desk.paths.config_file}:3"
        assert origins["delegation.mode"] == "profile balanced"

    def test_only_what_differs_is_shown_on_demand(self, desk: Desk) -> None:
        """With nothing changed, that is said."""
        assert desk.run("config", "show", "--changed").out == ""
        desk.configure('[rtk]\nmode = "off"\n')
        assert desk.run("config", "show", "--changed").out == '\n[rtk]\nmode = "off"\n'

    def test_the_projects_layer_is_shown(self, desk: Desk) -> None:
        """For the folder in which it is asked, and the folder that is named."""
        project = desk.home / "project"
        project.mkdir()
        (project / ".agguard.toml").write_text("[delegation]\nmax_depth = 1\n")
        assert desk.data("config", "get", "delegation.max_depth") == 2
        found = desk.data("config", "show", "--project", str(project))
        assert found["settings"]["delegation"]["max_depth"] == 1
        assert found["origin"]["delegation.max_depth"].startswith("project ")
        desk.patch.chdir(project)
        assert desk.data("config", "get", "delegation.max_depth") == 1

    def test_the_environments_layer_is_shown(self, desk: Desk) -> None:
        """With the variable's name."""
        desk.patch.setenv("AGGUARD_DELEGATION_MAX_DEPTH", "0")
        found = desk.data("config", "show", "--changed")
        assert found["origin"] == {
            "delegation.max_depth": "environment AGGUARD_DELEGATION_MAX_DEPTH"
        }


class TestGet:
    def test_a_value_is_printed_bare(self, desk: Desk) -> None:
        """Text without quotes, everything else as TOML."""
        assert desk.run("config", "get", "delegation.mode").out == "strict\n"
        assert desk.run("config", "get", "hooks.observe").out == "false\n"
        assert desk.run("config", "get", "attention.markers").out == (
            '["Summary of skills used:"]\n'
        )

    def test_an_unknown_key_is_refused_with_what_was_meant(self, desk: Desk) -> None:
        """Status 2, and nothing on standard output."""
        found = desk.run("config", "get", "delegation.mdoe", status=2)
        assert "did you mean 'delegation.mode'?" in found.err
        assert found.out == ""


class TestSet:
    def test_comments_and_order_stay(self, desk: Desk) -> None:
        """Only the value's own bytes change."""
        desk.configure(COMMENTED)
        desk.run("config", "set", "delegation.mode", "read-only")
        assert desk.configuration() == COMMENTED.replace('"advise"', '"read-only"')
        desk.run("config", "set", "rtk.mode", "off")
        assert "# ours" in desk.configuration()
        assert desk.run("config", "get", "rtk.mode").out == "off\n"

    def test_it_says_what_is_in_force_now(self, desk: Desk) -> None:
        """Which a project may have made stricter."""
        (desk.home / ".agguard.toml").write_text("[delegation]\nmode = 'strict'\n")
        found = desk.run("config", "set", "delegation.mode", "off")
        assert 'in force here: "strict" (project' in found.words

    @pytest.mark.parametrize(
        ("key", "value", "said"),
        [
            ("delegation.mod", "off", "did you mean 'delegation.mode'?"),
            ("delegation.mode", "readonly", 'did you mean "read-only"?'),
            ("hooks.deadline", "99", "a number of seconds from 0.5 to 25"),
            ("hooks.deadline", "soon", 'is "soon", expected a number'),
            ("attention.after", "5m", "seconds from 0 to 86400; did you mean 300?"),
            ("attention.after", "5 minutes", "did you mean 300?"),
            ("attention.after", "-5", "is -5, expected a whole number of seconds from 0 to 86400"),
            (
                "attention.after",
                "2w",
                'is "2w", expected a whole number of seconds from 0',
            ),
            ("attention.remind_every", "-1", "is -1, expected a whole number of model calls"),
            ("hooks.deadline", "2.5s", "did you mean 2.5?"),
            ("hooks.guard_deadline", "500ms", "did you mean 0.5?"),
            (
                "ledger.keep_decisions",
                "2w",
                "of days from 1 to 3650; did you mean 14?",
            ),
            ("delegation.max_depth", "2m", "expected a whole number from 0 to 16"),
            ("delegation.message", "--jsn", "there is no option '--jsn'"),
            ("rtk.add", "just", "expected a list"),
            ("hooks.observe", "yes", "expected true or false; did you mean true?"),
        ],
    )
    def test_what_does_not_fit_is_refused(
        self, desk: Desk, key: str, value: str, said: str
    ) -> None:
        """With what was expected; the file stays as it was."""
        desk.configure(COMMENTED)
        assert said in desk.run("config", "set", key, value, status=2).words
        assert desk.configuration() == COMMENTED

    def test_a_broken_file_is_not_written(self, desk: Desk) -> None:
        """It is named with line and column."""
        desk.configure("[delegation\n")
        found = desk.run("config", "set", "rtk.mode", "off", status=2)
        assert "config.toml:1:" in found.words
        assert desk.configuration() == "[delegation\n"

    def test_what_the_launcher_knows_is_renewed_with_the_setting(self, desk: Desk) -> None:
        """`hooks.if_missing` takes effect without another command."""
        desk.run("install")
        launcher = Path(desk.paths.host.config, "agguard-hook")
        before = launcher.read_text()
        desk.run("config", "set", "hooks.if_missing", "deny")
        assert launcher.read_text() != before
        assert "deny" in launcher.read_text()
        desk.run("config", "unset", "hooks.if_missing")


class TestUnset:
    def test_the_key_goes_and_the_rest_stays(self, desk: Desk) -> None:
        """The default holds again, and that is said."""
        desk.configure(COMMENTED)
        found = desk.run("config", "unset", "rtk.add")
        assert "in force here: [] (default)" in found.words
        assert "add" not in desk.configuration()
        assert "# mine" in desk.configuration()

    def test_a_key_that_is_not_known_can_be_taken_out(self, desk: Desk) -> None:
        """That is how a misspelled one goes."""
        desk.configure("[delegation]\nmdoe = 'off'\n")
        desk.run("config", "unset", "delegation.mdoe")
        assert "mdoe" not in desk.configuration()
        assert desk.run("config", "validate").status == 0

    @pytest.mark.parametrize("key", sorted({one.path[0]: one.key for one in Schema()}.values()))
    def test_what_is_not_there_changes_nothing(self, desk: Desk, key: str) -> None:
        """It is said, and is no error; no file is made for it."""
        found = desk.run("config", "unset", key)
        assert f"'{key}' is not set in {desk.paths.config_file}" in found.words
        assert desk.data("config", "unset", key)["changed"] is False
        assert not os.path.exists(desk.paths.config_file)

    @pytest.mark.parametrize(
        ("key", "said"),
        [
            ("delegation.mdoe", "did you mean 'delegation.mode'?"),
            ("no.such.key", "`agguard config list` shows every key"),
            ("plugins.nosuch", "unknown key 'plugins.nosuch'"),
            ("plugins.nosuch.mode", "unknown key 'plugins.nosuch.mode'"),
            ("delegation", "is a section; name a setting of it, such as 'delegation.mode'"),
            ("rtk mode", "is not a key"),
        ],
    )
    @pytest.mark.parametrize("command", ["get", "set", "unset"])
    def test_an_unknown_key_is_refused_by_each_command(
        self, desk: Desk, command: str, key: str, said: str
    ) -> None:
        """Status 2 and what was meant, be it to read or to change; the file stays as it was."""
        desk.configure(COMMENTED)
        if (command, key) == ("get", "delegation"):
            desk.run("config", command, key)
            return
        value = ("x",) if command == "set" else ()
        found = desk.run("config", command, key, *value, status=2)
        assert said in found.words
        assert not found.out
        assert desk.configuration() == COMMENTED


class TestValidate:
    def test_no_file_is_valid(self, desk: Desk) -> None:
        """The defaults are in force."""
        assert "the defaults are in force" in desk.run("config", "validate").words
        assert desk.data("config", "validate") == {"valid": True, "problems": [], "files": []}

    @pytest.mark.parametrize(
        ("text", "place", "said"),
        [
            ("[delegation]\nmdoe = 'off'\n", ":2:1:", "did you mean 'delegation.mode'?"),
            ("[delegaton]\nmode = 'off'\n", ":1:2:", "did you mean 'delegation'?"),
            ("hooks.deadline = true\n", ":1:18:", "expected a number"),
            ("profile = 'balansed'\n", ":1:11:", 'did you mean "balanced"?'),
            ("x = \n", ":1:", "not TOML"),
            ("[rtk]\n[rtk]\n", ":2:5:", "stands a second time, expected each one once; move what"),
        ],
    )
    def test_a_problem_is_named_with_its_place(
        self, desk: Desk, text: str, place: str, said: str
    ) -> None:
        """Line, column, what was expected, what was meant; status 1."""
        desk.configure(text)
        found = desk.run("config", "validate", status=1)
        assert f"config.toml{place}" in found.out
        assert said in found.words
        data = desk.data("config", "validate", status=1)
        assert data["valid"] is False
        assert data["problems"][0]["level"] == "error"

    def test_a_wish_that_is_not_granted_is_a_warning(self, desk: Desk) -> None:
        """A project cannot loosen, and nothing is broken by its asking."""
        (desk.home / ".agguard.toml").write_text("[delegation]\nmode = 'off'\n")
        found = desk.run("config", "validate")
        assert "may only move it towards 'strict'" in found.words
        assert "0 errors, 1 warning" in found.words

    def test_a_variable_is_checked(self, desk: Desk) -> None:
        """Of a section of ours; others are other programs' business."""
        desk.patch.setenv("AGGUARD_DELEGATION_MDOE", "off")
        desk.patch.setenv("AGGUARD_TOKEN", "x")
        found = desk.run("config", "validate", status=1)
        assert "did you mean 'AGGUARD_DELEGATION_MODE'?" in found.words
        assert "TOKEN" not in found.words

    def test_a_single_file_is_checked_on_demand(self, desk: Desk) -> None:
        """As before it is put in its place; one that is not there is an error of the caller."""
        (desk.home / "new.toml").write_text("[rtk]\nmode = 'maybe'\n")
        assert (
            'expected one of "off", "on"'
            in desk.run("config", "validate", "new.toml", status=1).out
        )
        assert "there is no file" in desk.run("config", "validate", "none.toml", status=2).err


class TestProfile:
    def test_the_names_are_those_of_the_library(self) -> None:
        """The command's choices and the profiles are the same."""
        assert [one.value for one in ProfileName] == [one.name for one in PROFILES]

    def test_the_one_in_force_is_marked(self, desk: Desk) -> None:
        """Each with what it sets."""
        shown = desk.screen("config", "profile")
        assert "*  strict" in shown
        assert 'delegation.mode = "advise"' in shown
        assert desk.data("config", "profile")["active"] == "strict"

    def test_switching_changes_the_keys_and_names_what_stays_above(self, desk: Desk) -> None:
        """A value of the user's own wins over the profile's, and that is said."""
        desk.configure("[delegation]\nmode = 'strict'\n")
        found = desk.run("config", "profile", "balanced")
        assert "your own values stay above it: delegation.mode" in found.words
        assert desk.run("config", "get", "handoff.mode").out == "advise\n"
        assert desk.run("config", "get", "delegation.mode").out == "strict\n"

    def test_a_stricter_project_is_named(self, desk: Desk) -> None:
        """It holds here, whatever the user switches on."""
        (desk.home / ".agguard.toml").write_text("profile = 'strict'\n")
        found = desk.run("config", "profile", "observe")
        assert "in force here is 'strict' (project" in found.words


class TestListAndSchema:
    def test_every_key_is_listed(self, desk: Desk) -> None:
        """With type, default and meaning."""
        keys = {row["key"] for row in desk.data("config", "list")}
        assert keys == {setting.key for setting in Schema()}
        desk.screen("config", "list")

    def test_the_schema_accepts_what_validate_accepts(self, desk: Desk) -> None:
        """It is a JSON Schema."""
        jsonschema = pytest.importorskip("jsonschema")
        schema = desk.run("config", "schema").data
        jsonschema.validate(tomllib.loads(COMMENTED), schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"delegation": {"mdoe": "off"}}, schema)

    def test_the_path_is_printed(self, desk: Desk) -> None:
        """Alone on a line, for `$(...)`."""
        assert desk.run("config", "path").out == f"{desk.paths.config_file}\n"
        assert desk.data("config", "path")["user"] == desk.paths.config_file


class TestInAnAgentsShell:
    @pytest.mark.parametrize(
        "command",
        [
            ("config", "set", "delegation.mode", "off"),
            ("config", "unset", "delegation.mode"),
            ("config", "profile", "observe"),
        ],
        ids=" ".join,
    )
    def test_nothing_is_changed(self, desk: Desk, command: tuple[str, ...]) -> None:
        """The agent's own shell is marked by the host."""
        desk.configure(COMMENTED)
        desk.patch.setenv("ANTIGRAVITY_AGENT", "1")
        found = desk.run(*command, status=2)
        assert "in a terminal of your own" in found.words
        assert desk.configuration() == COMMENTED

    def test_reading_is_free(self, desk: Desk) -> None:
        """And what the agent exported is not taken for the operator's wish."""
        desk.patch.setenv("ANTIGRAVITY_AGENT", "1")
        desk.patch.setenv("AGGUARD_DELEGATION_MAX_DEPTH", "0")
        assert desk.data("config", "get", "delegation.max_depth") == 2
        assert os.environ["AGGUARD_DELEGATION_MAX_DEPTH"] == "0"
