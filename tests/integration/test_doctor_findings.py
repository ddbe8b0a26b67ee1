"""`agguard doctor`: what is wrong is named with the way to mend it; --fix mends what is ours."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agguard import __version__
from agguard.doctor import quirks
from agguard.doctor.parts import OLDEST_RTK
from agguard.doctor.registered import fire
from agguard.doctor.stage import environment
from agguard.install.addition import Wish
from agguard.install.place import of_user
from agguard.install.registration import install, launcher_for, site
from agguard.install.store import Store
from agguard.pipeline.pause import Pause, begin
from agguard.pipeline.seen import DOCTOR
from agguard_builtin.rtk.table import OLDEST
from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakes.desk import Desk

if os.name == "nt":
    pytest.skip("the host's commands are run with sh here", allow_module_level=True)

GOOD_FOREIGN = {"mine": {"Stop": [{"command": "./mine.sh"}]}}


@pytest.fixture
def installed(desk: Desk, bare_path: str) -> Desk:
    """An installation in which all is well, but for rtk and a session to see."""
    desk.patch.setenv("PATH", bare_path)
    desk.run("install")
    return desk


def findings(desk: Desk, *options: str, status: int | None = None) -> list[dict[str, Any]]:
    printed = desk.run("doctor", "--json", *options, status=status)
    return list(printed.data["findings"])


def texts(found: list[dict[str, Any]], level: str) -> str:
    return "\n".join(
        f"{one['text']} → {one['next_step']}" for one in found if one["level"] == level
    )


def hooks(desk: Desk) -> Path:
    return Path(desk.paths.host.hooks)


def add_entry(desk: Desk, name: str, spec: object) -> None:
    content = json.loads(hooks(desk).read_text())
    hooks(desk).write_text(json.dumps({**content, name: spec}))


class TestAllIsWell:
    def test_a_fresh_installation_has_nothing_wrong(self, installed: Desk) -> None:
        """Status 0; and a person can read it in 80 columns."""
        found = findings(installed, status=0)
        assert texts(found, "error") == ""
        assert "registered in" in texts(found, "ok")
        assert "answers a real payload in" in texts(found, "ok")
        installed.screen("doctor")

    def test_the_doctor_is_no_sign_of_the_host(self, installed: Desk) -> None:
        """Its own payload does not count as a session."""
        findings(installed)
        found = findings(installed)
        assert "never seen: SessionStart, PreInvocation, PreToolUse" in texts(found, "warning")
        assert installed.run("log").out == ""
        status = installed.data("status")
        assert (status["alive"], status["silent"], status["counts"]) == ([], 0, {})
        assert "today: no decision yet" in installed.screen("status")
        assert "knows no conversation yet" in installed.screen("ledger", "show")
        assert installed.data("ledger", "show") == []
        assert "holds no event yet" in installed.screen("ledger", "events")
        assert installed.data("ledger", "events") == []
        assert "0 decisions" in texts(found, "ok")

    def test_what_the_doctor_did_is_shown_to_who_asks_for_it(self, installed: Desk) -> None:
        """By the name of its conversation."""
        findings(installed)
        assert installed.data("log", "--conversation", DOCTOR)
        assert installed.data("ledger", "show", DOCTOR)[0]["id"] == DOCTOR
        assert installed.data("ledger", "events", DOCTOR)

    def test_the_doctor_takes_no_place_among_the_newest(self, installed: Desk) -> None:
        """However often it was asked since, the last decision is an agent's."""
        call = {"name": "view_file", "args": {"AbsolutePath": "/etc/hostname"}}
        payload = {"conversationId": "somebody", "toolCall": call, "stepIdx": 1}
        environ = environment(str(installed.home))
        fire(str(hooks(installed)), "PreToolUse", payload, environ)
        findings(installed)
        assert [one["conversation"] for one in installed.data("log", "-n", "1")] == ["somebody"]
        assert installed.data("why", "last")["conversation"] == "somebody"
        events = installed.data("ledger", "events", "--limit", "1")
        assert [one["conversation"] for one in events] == ["somebody"]
        assert installed.data("status")["counts"] == {"allow": 1}

    def test_a_probe_plays_a_whole_session_with_the_users_settings(self, installed: Desk) -> None:
        """And leaves nothing in the user's own ledger."""
        installed.run("config", "profile", "balanced")
        found = installed.run("doctor", "--json", "--probe").data
        assert next(one["decision"] for one in found["probe"]) == "deny"
        assert all(one["passed"] for one in found["probe"])
        installed.run("config", "profile", "observe")
        found = installed.run("doctor", "--json", "--probe").data
        assert {one["decision"] for one in found["probe"]} == {"allow"}
        assert all(one["passed"] for one in found["probe"])
        assert installed.run("log").out == ""


class TestProbe:
    """What went otherwise is said once, as it is, and counted as wrong."""

    def lines(self, desk: Desk) -> dict[str, str]:
        """Return what is said of each step, by its title; every line is whole."""
        text = " ".join(desk.run("doctor", "--probe", status=1).words.split("probe: ")[1:])
        assert not any(part.rstrip().endswith(":") for part in text.split("✗"))
        steps = desk.run("doctor", "--probe", "--json", status=1).data["probe"]
        return {one["title"]: one["differs"] for one in steps}

    def test_a_decision_that_differs(self, installed: Desk) -> None:
        """With the one that was expected; steps that went well say nothing."""
        installed.run("plugins", "block", "builtin")
        said = self.lines(installed)
        assert said["the primary edits code itself"] == "expected deny"
        assert said["the primary stops without a summary"] == "expected continue"
        assert said["the primary writes its plan"] == ""

    def test_what_differs_though_the_decision_is_right(self, installed: Desk) -> None:
        """The prompt without a token, the command without rtk; no word of the decision."""
        installed.run("plugins", "block", "builtin")
        path = fake_rtk(installed)
        installed.patch.setenv("PATH", path)
        said = self.lines(installed)
        assert said["the primary spawns a subagent"].startswith("its prompt was given no token")
        assert said["the subagent runs a command"] == (
            "the command was to run as 'rtk git status', and runs as 'git status'"
        )

    def test_failed_steps_are_wrong(self, installed: Desk) -> None:
        """Not merely to look at."""
        installed.run("plugins", "block", "builtin")
        found = installed.run("doctor", "--probe", status=1)
        assert "4 wrong (3 of them in the probe), " in found.words
        assert found.out.count("✗") == 4

    def test_an_rtk_that_is_too_old_is_no_fault_of_the_guards(self, installed: Desk) -> None:
        """The probe expects of it what the guards do; the doctor says it once."""
        installed.patch.setenv("PATH", fake_rtk(installed, "0.27.9"))
        printed = installed.run("doctor", "--probe", "--json").data
        assert all(one["passed"] for one in printed["probe"])
        assert "rtk 0.27.9" in texts(printed["findings"], "warning")
        assert "is older than 0.28: commands run as they are" in texts(
            printed["findings"], "warning"
        )
        assert OLDEST_RTK == OLDEST
        installed.patch.setenv("PATH", fake_rtk(installed, "0.28.0"))
        assert "rtk 0.28.0" in texts(findings(installed), "ok")


def fake_rtk(desk: Desk, version: str = "1.0.0") -> str:
    """Make a program that says it is rtk and rewrites nothing; return the PATH with it."""
    folder = desk.home / "bin"
    folder.mkdir(exist_ok=True)
    (folder / "rtk").write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && exec echo "rtk {version}"\nexit 1\n'
    )
    (folder / "rtk").chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


def entry_gone(desk: Desk) -> None:
    content = json.loads(hooks(desk).read_text())
    hooks(desk).write_text(json.dumps({k: v for k, v in content.items() if k != "agguard"}))


def launcher_gone(desk: Desk) -> None:
    hooks(desk).with_name("agguard-hook").unlink(missing_ok=True)


def launcher_edited(desk: Desk) -> None:
    path = hooks(desk).with_name("agguard-hook")
    path.write_text(path.read_text() + "# mine\n")


def launcher_replaced(desk: Desk) -> None:
    hooks(desk).with_name("agguard-hook").write_text("#!/bin/sh\nexit 0\n")


def launcher_stranded(desk: Desk) -> None:
    """Have the launcher name an environment that is gone, as after `pipx uninstall`."""
    elsewhere = launcher_for(of_user(desk.paths), Store(desk.paths.state), "1.0")
    gone = elsewhere.replace(python="/nowhere/bin/python", site="/nowhere/site")
    install(of_user(desk.paths), Store(desk.paths.state), Wish(gone))


def package_gone(desk: Desk) -> None:
    """Have the launcher look for agguard where it was taken away, as after `pip uninstall`."""
    wanted = launcher_for(of_user(desk.paths), Store(desk.paths.state), "1.0")
    install(of_user(desk.paths), Store(desk.paths.state), Wish(wanted.replace(site="/nowhere")))


def launcher_blocked(desk: Desk) -> None:
    hooks(desk).with_name("agguard-hook").chmod(0o600)


def rules_changed(desk: Desk) -> None:
    Path(desk.paths.host.plugin, "rules", "AGENTS.md").write_text("Do as you like.\n")


def manifest_spoiled(desk: Desk) -> None:
    Path(desk.paths.state, "manifest.json").write_text("{")


def manifest_forged(desk: Desk) -> None:
    path = Path(desk.paths.state, "manifest.json")
    content = json.loads(path.read_text())
    content["rows"] = [row for row in content["rows"] if "protection" not in row["target"]]
    path.write_text(json.dumps(content))


def config_changed(desk: Desk) -> None:
    desk.configure("[delegation]\nmessage = 'mine'\n")


def state_open(desk: Desk) -> None:
    os.chmod(desk.paths.state, 0o777)  # noqa: S103 - that is what is wrong


def ledger_damaged(desk: Desk) -> None:
    for path in Path(desk.paths.state).glob("ledger.db-*"):
        path.unlink()
    Path(desk.paths.state, "ledger.db").write_bytes(b"no database at all" * 500)


def hooks_gone(desk: Desk) -> None:
    hooks(desk).unlink(missing_ok=True)


def entry_edited(desk: Desk) -> None:
    hooks(desk).write_text(hooks(desk).read_text().replace("30", "1.5"))


def entry_taken(desk: Desk) -> None:
    hooks(desk).write_text('{"agguard": {"Stop": [{"command": "./mine.sh"}]}}')


MENDED: list[tuple[Callable[[Desk], None], str, str]] = [
    (entry_gone, "error", "no session is guarded: our entry is gone"),
    (hooks_gone, "error", "no session is guarded: our entry is gone"),
    (entry_edited, "error", "no session is guarded: our entry is not as it has to be"),
    (entry_taken, "error", "no session is guarded: the entry 'agguard' is not agguard's any more"),
    (launcher_gone, "error", "is missing"),
    (launcher_edited, "error", "was edited"),
    (launcher_replaced, "error", "is not agguard's"),
    (launcher_blocked, "error", "is blocked"),
    (launcher_stranded, "error", "needs /nowhere/bin/python, which is gone"),
    (launcher_stranded, "error", "runs no agguard: agguard cannot answer: its Python"),
    (package_gone, "error", "needs /nowhere/agguard/_entry.py, which is gone"),
    (rules_changed, "warning", "was changed outside agguard"),
    (manifest_spoiled, "error", "cannot be used"),
    (manifest_forged, "warning", "differs from a fresh scan in: guards"),
    (config_changed, "warning", "config.toml was changed outside agguard"),
    (state_open, "error", "others can write to"),
    (ledger_damaged, "error", "ledger.db"),
]


@pytest.mark.parametrize(
    ("spoil", "level", "said"), MENDED, ids=[one[0].__name__ for one in MENDED]
)
def test_what_is_ours_is_named_and_mended(
    installed: Desk, spoil: Callable[[Desk], None], level: str, said: str
) -> None:
    """With the next step; after --fix it is gone, and said to have been mended."""
    spoil(installed)
    before = findings(installed)
    assert said in texts(before, level)
    assert any(one["next_step"] for one in before if said in one["text"])
    spoil(installed)  # a hook that the doctor ran may have mended something by itself
    printed = installed.run("doctor", "--fix", "--json", status=None)
    assert printed.data["mended"]
    assert said not in texts(printed.data["findings"], level)


class TestNotInstalled:
    """`agguard uninstall` was meant: nothing that is found afterwards installs again."""

    @pytest.fixture
    def ended(self, installed: Desk) -> Desk:
        installed.run("uninstall")
        return installed

    def untouched(self, desk: Desk) -> None:
        """Mend, and see that the host's files stay as they are and what the next step is."""
        before = snapshot(desk.paths.host.gemini)
        printed = desk.run("doctor", "--fix", "--json", status=1)
        assert "no session is guarded" in texts(printed.data["findings"], "error")
        assert "→ run `agguard install`" in texts(printed.data["findings"], "error")
        assert "install" not in {one["name"] for one in printed.data["mended"]}
        assert snapshot(desk.paths.host.gemini) == before

    def test_mending_installs_nothing(self, ended: Desk) -> None:
        """Neither is it offered."""
        self.untouched(ended)
        assert "`agguard doctor --fix`" not in ended.run("doctor", status=1).words

    def test_nor_before_the_first_installation(self, desk: Desk) -> None:
        """No file of the host is there at all."""
        os.makedirs(desk.paths.host.gemini)
        self.untouched(desk)

    @pytest.mark.parametrize(
        "spec", [{"Stop": [{"command": "./mine.sh"}]}, {"enabled": False}, {}, None]
    )
    def test_nor_where_the_name_is_somebody_elses(self, ended: Desk, spec: object) -> None:
        """It is said, and is not ours to replace without a word."""
        hooks(ended).parent.mkdir(parents=True, exist_ok=True)
        hooks(ended).write_text(json.dumps({"agguard": spec}))
        self.untouched(ended)
        assert "its entry 'agguard' is not agguard's" in ended.run("doctor", status=1).words

    def test_nor_when_a_launcher_was_left(self, installed: Desk) -> None:
        """An edited one stays where it is."""
        launcher_edited(installed)
        installed.run("uninstall")
        installed.configure("[hooks]\nif_missing = 'deny'\n")
        self.untouched(installed)

    def test_nor_when_another_entry_runs_a_launcher_that_is_gone(self, ended: Desk) -> None:
        """That entry is named; its command is not run."""
        hooks(ended).parent.mkdir(parents=True, exist_ok=True)
        spec = {"PreToolUse": [{"hooks": [{"command": "touch ran; ./agguard-hook PreToolUse"}]}]}
        hooks(ended).write_text(json.dumps({"copy": spec}))
        self.untouched(ended)
        assert not hooks(ended).with_name("ran").exists()

    def test_nor_when_the_record_is_broken(self, ended: Desk) -> None:
        """What was there is not known, and no entry says it."""
        Path(ended.paths.state, "install", "record.json").write_text("{")
        self.untouched(ended)


class TestOfOthers:
    def test_only_our_own_command_is_run(self, installed: Desk) -> None:
        """A hook of somebody else may do something; it is for the host to run."""
        add_entry(installed, "theirs", {"PreToolUse": [{"hooks": [{"command": "touch ran"}]}]})
        assert "answers a real payload" in texts(findings(installed), "ok")
        assert not hooks(installed).with_name("ran").exists()

    def test_a_file_that_others_broke_is_not_said_to_be_mended(self, installed: Desk) -> None:
        """Our entry is as it has to be; what is wrong is theirs."""
        add_entry(installed, "theirs", {"Stop": [{"command": "x", "timeout": 1.5}]})
        (found,) = (one for one in findings(installed) if "no session is guarded" in one["text"])
        assert "the host cannot read the file" in found["text"]
        assert found["next_step"].startswith("mend what is wrong in that file")
        assert found["mend"] == ""

    def test_a_file_that_another_program_changed_is_named_once(self, installed: Desk) -> None:
        """The record and the ledger both know it; a person need not read it twice."""
        add_entry(installed, "mine", GOOD_FOREIGN["mine"])
        assert texts(findings(installed), "warning").count("was changed outside agguard") == 1

    def test_an_entry_that_gave_way_to_ours_is_named(self, desk: Desk) -> None:
        """With the way back."""
        hooks(desk).parent.mkdir(parents=True)
        hooks(desk).write_text('{"agguard": {"Stop": [{"command": "./mine.sh"}]}}')
        desk.run("install")
        assert "another entry 'agguard' gave way to ours" in texts(findings(desk), "ok")

    @pytest.mark.parametrize(
        ("spec", "said"),
        [
            ({"Stop": [{"matcher": "*", "hooks": []}]}, "hook 'theirs', Stop at Stop[0]"),
            ({"PreToolUse": [{"hooks": [{"command": 1}]}]}, "hook 'theirs', PreToolUse"),
            (
                {"Stop": [{"command": "x", "timeout": 1.5}]},
                "hook 'theirs', Stop at Stop[0].timeout",
            ),
        ],
    )
    def test_an_entry_that_kills_the_file_is_named_by_hook_and_event(
        self, installed: Desk, spec: object, said: str
    ) -> None:
        """And not touched by --fix: it is not ours."""
        add_entry(installed, "theirs", spec)
        found = texts(findings(installed, status=1), "error")
        assert said in found
        assert "drops every hook of this file" in found
        installed.run("doctor", "--fix", status=None)
        assert json.loads(hooks(installed).read_text())["theirs"] == spec

    def test_others_in_order_are_only_named(self, installed: Desk) -> None:
        """They are nobody's fault."""
        add_entry(installed, "mine", GOOD_FOREIGN["mine"])
        assert "also has hooks of: mine" in texts(findings(installed), "ok")

    def test_our_launcher_under_another_name_is_twice(self, installed: Desk) -> None:
        """Every hook would fire twice."""
        add_entry(installed, "copy", {"Stop": [{"command": "./agguard-hook Stop"}]})
        assert "the entry copy runs agguard's launcher" in texts(findings(installed), "warning")

    def test_a_file_that_is_no_json_is_named_with_its_place(self, installed: Desk) -> None:
        """That comes before installing, which would refuse it."""
        installed.run("uninstall")
        hooks(installed).parent.mkdir(parents=True, exist_ok=True)
        hooks(installed).write_text('{"a": {},}')
        found = texts(findings(installed, status=1), "error")
        assert f"{hooks(installed)} is not strict JSON at line 1, column 10" in found
        assert "→ mend that file as said below, then run `agguard install`" in found

    def test_many_others_are_counted(self, installed: Desk) -> None:
        """The first few are named; 5,000 would fill the screen."""
        content = json.loads(hooks(installed).read_text())
        more = {f"h{number}": {"Stop": [{"command": "x"}]} for number in range(5000)}
        hooks(installed).write_text(json.dumps({**content, **more}))
        found = texts(findings(installed), "ok")
        assert "also has hooks of: h0, h1, " in found
        assert "h9 and 4990 more" in found
        assert "h10," not in found

    def test_a_plugin_that_runs_our_launcher_is_twice_by_its_entry(self, installed: Desk) -> None:
        """Named with file and entry; the way out is that entry, not a scope of ours."""
        folder = Path(installed.paths.host.config, "plugins", "other")
        folder.mkdir(parents=True)
        spec = {"copy": {"Stop": [{"command": "/x/agguard-hook Stop"}]}}
        (folder / "hooks.json").write_text(json.dumps(spec))
        found = texts(findings(installed), "warning")
        assert f"{folder / 'hooks.json'}: the entry copy runs agguard's launcher" in found
        assert "registered twice" not in found

    def test_the_predecessor_is_named(self, installed: Desk) -> None:
        """Both would judge the same calls."""
        folder = Path(installed.paths.host.config, "plugins", "attention-guard")
        folder.mkdir(parents=True)
        (folder / "hooks.json").write_text(json.dumps({"attention-guard-plugin": {"Stop": []}}))
        assert "judges the same calls" in texts(findings(installed), "warning")

    def test_hooks_where_the_host_does_not_look_are_named(self, installed: Desk) -> None:
        """They look like a registration and are none."""
        folder = Path(installed.paths.host.gemini, "antigravity-cli")
        folder.mkdir(parents=True)
        (folder / "hooks.json").write_text('{"agguard": {}}')
        assert "the host does not read hooks there" in texts(findings(installed), "warning")

    def test_two_scopes_are_named(self, installed: Desk) -> None:
        """The user's and the project's in which the doctor is asked."""
        project = installed.home / "project"
        project.mkdir()
        installed.run("install", "--scope", "workspace", "--project", str(project))
        found = texts(findings(installed), "warning")
        assert "registered twice" in found
        assert str(project) in found

    def test_a_plugin_folder_that_is_switched_off_is_named(self, installed: Desk) -> None:
        """With the command of the host's that switches it on."""
        config = Path(installed.paths.host.config, "config.json")
        config.write_text('{"plugins": {"agguard": {"enabled": false}}}')
        assert "agy plugin enable agguard" in texts(findings(installed), "warning")


class TestTheHost:
    def test_events_that_were_fired_are_dated(self, installed: Desk) -> None:
        """And the others named."""
        folder = Path(installed.paths.state, "seen")
        folder.mkdir()
        (folder / "Stop").touch()
        os.utime(folder / "Stop", (time.time() - 7300, time.time() - 7300))
        found = texts(findings(installed), "ok")
        assert "Stop was last fired 2 h ago" in found
        assert "never seen: SessionStart, PreInvocation, PreToolUse, PostToolUse" in found

    def test_no_product_is_said(self, installed: Desk) -> None:
        """Hooks without a host guard nothing."""
        assert "no Antigravity product" in texts(findings(installed), "warning")

    def test_products_are_found_by_their_folders(self, installed: Desk) -> None:
        """By the names that people know."""
        Path(installed.paths.host.gemini, "antigravity-ide").mkdir(parents=True)
        assert "found the IDE" in texts(findings(installed), "ok")

    def test_a_version_with_quirks_is_named(self, installed: Desk, tmp_path: Path) -> None:
        """As the CLI itself says it."""
        program = tmp_path / "bin" / "agy"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho 'agy version 1.1.23 (build 7)'\n")
        program.chmod(0o755)
        installed.patch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
        found = findings(installed, status=1)
        assert "hooks do not run with GEMINI_API_KEY" in texts(found, "error")
        assert "agy 1.1.23" in texts(found, "ok")

    def test_the_hosts_log_is_its_witness(self, installed: Desk) -> None:
        """What it loaded last, and what it refused since."""
        log = Path(installed.paths.host.app_data[0], "log", "cli-2026.log")
        log.parent.mkdir(parents=True)
        log.write_text(
            "Failed to parse hooks file /old\nloaded 1 named hooks from 1 hooks.json file(s)\n"
        )
        assert "the host loaded 1 named hook " in texts(findings(installed), "ok")
        log.write_text(log.read_text() + "Failed to parse hooks file /x: invalid hook\n")
        found = texts(findings(installed), "error")
        assert "Failed to parse hooks file /x" in found
        assert "/old" not in found

    @pytest.mark.parametrize(
        ("version", "platform", "count"),
        [((1, 1, 11), "linux", 2), ((1, 1, 11), "darwin", 1), ((1, 5, 0), "linux", 0)],
    )
    def test_quirks_have_versions_and_platforms(
        self, version: tuple[int, ...], platform: str, count: int
    ) -> None:
        """Data; each with its source."""
        assert len(list(quirks.of(version, platform))) == count
        assert all(quirk.source and quirk.text for quirk in quirks.QUIRKS)


class TestConfiguration:
    def test_every_layer_that_counts_is_named(self, installed: Desk) -> None:
        """Where the doctor is asked."""
        (installed.home / ".agguard.toml").write_text("[delegation]\nmax_depth = 1\n")
        found = texts(findings(installed), "ok")
        assert "layers here: default, project" in found

    def test_a_problem_is_named_with_its_place(self, installed: Desk) -> None:
        """In any layer."""
        (installed.home / ".agguard.toml").write_text("[delegation]\nmdoe = 1\n")
        assert ".agguard.toml:2:1" in texts(findings(installed, status=1), "error")

    def test_observing_and_pausing_are_to_look_at(self, installed: Desk) -> None:
        """Nothing is enforced then."""
        installed.run("config", "profile", "observe")
        now = time.time()
        begin(installed.paths.state, Pause(now - 1, now + 60))
        found = texts(findings(installed), "warning")
        assert "nothing is enforced" in found
        assert "agguard is paused until" in found

    def test_a_changed_trusted_file_is_named(self, installed: Desk) -> None:
        """It only tightens from then on."""
        file = installed.home / ".agguard.toml"
        file.write_text("[rtk]\nmode = 'off'\n")
        installed.run("trust")
        file.write_text("[rtk]\nmode = 'off'\n\n")
        assert "changed since it was trusted" in texts(findings(installed), "warning")

    def test_the_launcher_and_the_setting_disagree(self, installed: Desk) -> None:
        """As after an edit of the file by hand."""
        installed.configure("[hooks]\nif_missing = 'deny'\n")
        assert "the launcher says 'ask'" in texts(findings(installed), "warning")

    def test_rtk_is_looked_for_only_where_it_is_wanted(self, installed: Desk) -> None:
        """Switched off is no warning."""
        assert "rtk is not on the PATH" in texts(findings(installed), "warning")
        installed.run("config", "set", "rtk.mode", "off")
        assert "rtk.mode is off" in texts(findings(installed), "ok")


class TestTwoEnvironments:
    def answering(self, desk: Desk, version: str) -> dict[str, Any]:
        """Have another environment answer, and return what is said of it."""
        there = desk.home / "other" / "site"
        there.mkdir(parents=True, exist_ok=True)
        for package in ("agguard", "agguard_builtin"):
            (there / package).symlink_to(Path(site(), package))
        wanted = launcher_for(of_user(desk.paths), Store(desk.paths.state), version)
        wish = Wish(wanted.replace(site=str(there)))
        install(of_user(desk.paths), Store(desk.paths.state), wish)
        (found,) = (one for one in findings(desk) if "another environment" in one["text"])
        assert str(there) in found["text"]
        assert site() in found["text"]
        return found

    def test_another_environment_that_answers_is_named(self, installed: Desk) -> None:
        """Of the same version it is nobody's fault."""
        assert self.answering(installed, __version__)["level"] == "ok"

    def test_one_of_another_version_is_to_look_at(self, installed: Desk) -> None:
        """With the way to have this one answer."""
        found = self.answering(installed, "0.0.7")
        assert found["level"] == "warning"
        assert "agguard 0.0.7 in" in found["text"]
        assert "run `agguard install`" in found["next_step"]

    def test_the_only_one_is_not_worth_a_word(self, installed: Desk) -> None:
        """It is the one that runs."""
        assert "another environment" not in installed.run("doctor").words


class TestCommand:
    def test_a_command_that_fails_is_named_with_what_it_said(self, installed: Desk) -> None:
        """The host would drop its answer."""
        path = hooks(installed).with_name("agguard-hook")
        path.write_text("#!/bin/sh\necho 'no such thing' >&2\nexit 3\n")
        found = texts(findings(installed, status=1), "error")
        assert "exited with status 3: no such thing" in found

    def test_a_projects_command_is_run_too(self, desk: Desk, bare_path: str) -> None:
        """Its launcher looks for agguard on the PATH, and says where to put it."""
        project = desk.home / "project"
        program = desk.home / "bin" / "agguard"
        for folder in (project, program.parent):
            folder.mkdir()
        desk.run("install", "--scope", "workspace", "--project", str(project))
        desk.patch.chdir(project)
        desk.patch.delenv("PYTHONPATH", raising=False)
        desk.patch.setenv("PATH", bare_path)
        found = texts(findings(desk, status=1), "error")
        assert f"the registered command of {project}/.agents/hooks.json runs no agguard" in found
        assert "put `agguard` on the PATH" in found
        program.write_text('#!/bin/sh\ncat >/dev/null\necho \'{"decision":"allow"}\'\n')
        program.chmod(0o755)
        desk.patch.setenv("PATH", f"{program.parent}{os.pathsep}{bare_path}")
        found = texts(findings(desk, status=0), "ok")
        assert f"the registered command of {project}/.agents/hooks.json answers" in found

    def test_a_traceback_is_told_by_its_last_line(self, installed: Desk) -> None:
        """Which says what was wrong; the beginning of a cut line says nothing."""
        path = hooks(installed).with_name("agguard-hook")
        trace = "Traceback:\\n  File x, in y\\nImportError: no such module\\n"
        path.write_text(f"#!/bin/sh\nprintf '{trace}' >&2\nexit 1\n")
        found = texts(findings(installed, status=1), "error")
        assert "exited with status 1: ImportError: no such module →" in found

    def test_a_large_ledger_is_not_made_by_looking(self, installed: Desk) -> None:
        """The check writes one mark of its own, again and again the same."""
        findings(installed)
        path = os.path.join(installed.paths.state, "ledger.db")
        link = sqlite3.connect(path)
        before = link.execute("SELECT count(*) FROM conversations").fetchone()
        findings(installed)
        assert link.execute("SELECT count(*) FROM conversations").fetchone() == before
        link.close()

    def test_somebody_elses_file_in_the_launchers_place_is_not_mended(
        self, installed: Desk
    ) -> None:
        """Nothing is on record that says it was ours."""
        launcher_replaced(installed)
        Path(installed.paths.state, "install", "record.json").unlink()
        assert "move it away" in texts(findings(installed), "error")
        installed.run("doctor", "--fix", status=1)
        assert "exit 0" in hooks(installed).with_name("agguard-hook").read_text()

    def test_an_agent_cannot_mend(self, installed: Desk) -> None:
        """--fix accepts what was changed, so it is the operator's."""
        installed.patch.setenv("ANTIGRAVITY_AGENT", "1")
        assert installed.run("doctor", "--fix", status=2).status == 2
