"""A project's file and the environment tighten what a hook decides, and never loosen it."""

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
from agguard.config import trust
from agguard.config.environment import variable
from agguard.config.load import load
from agguard.config.merge import nested
from agguard.config.schema import Schema
from agguard.config.strictness import DIRECTED, meet
from agguard.install.launcher import BOOTSTRAP

if TYPE_CHECKING:
    from agguard.config.setting import Json, Setting
    from fakes.guarded import Guarded

ADVISED = "[delegation]\nmode = 'advise'\n"


@pytest.fixture
def project(guarded: Guarded) -> Path:
    """The session's workspace, below a user who lets the primary work itself."""
    guarded.configure(ADVISED)
    return Path(guarded.workspace)


def cached(guarded: Guarded) -> list[Path]:
    folder = Path(guarded.paths.state) / "projects"
    return sorted(folder.iterdir()) if folder.exists() else []


class TestProject:
    def test_without_a_project_file_the_users_settings_hold(
        self, guarded: Guarded, project: Path
    ) -> None:
        """And nothing is compiled for the folder."""
        found = guarded.write(guarded.primary(), str(project / "app.py"))
        assert found.decision == "allow"
        assert cached(guarded) == []

    def test_a_project_file_tightens(self, guarded: Guarded, project: Path) -> None:
        """From the first hook on, and the compiled form is used again."""
        (project / ".agguard.toml").write_text("[delegation]\nmode = 'strict'\n")
        for _ in range(2):
            found = guarded.write(guarded.primary(), str(project / "app.py"))
            assert found.decision == "deny"
        (kept,) = cached(guarded)
        before = kept.stat().st_mtime_ns
        guarded.write(guarded.primary(), str(project / "app.py"))
        assert kept.stat().st_mtime_ns == before
        assert kept.stat().st_mode & 0o777 == 0o600

    def test_a_pyproject_tightens(self, guarded: Guarded, project: Path) -> None:
        """Its table [tool.agguard] says the same as the file of its own."""
        (project / "pyproject.toml").write_text("[tool.agguard.delegation]\nmode = 'strict'\n")
        assert guarded.write(guarded.primary(), str(project / "app.py")).decision == "deny"

    def test_the_root_of_the_repository_counts(self, guarded: Guarded, project: Path) -> None:
        """Whatever folder of it the session is in."""
        root = project
        (root / ".git").mkdir()
        (root / ".agguard.toml").write_text("[delegation]\nmode = 'strict'\n")
        inner = root / "src" / "deep"
        inner.mkdir(parents=True)
        guarded.stage.workspace = str(inner)
        assert guarded.write(guarded.primary(), str(inner / "app.py")).decision == "deny"

    def test_a_project_file_cannot_loosen(self, guarded: Guarded, project: Path) -> None:
        """What it asks for is left out, and that is no fault of the session."""
        guarded.configure("")
        (project / ".agguard.toml").write_text(
            "[delegation]\nmode = 'off'\n[protection]\nmode = 'off'\n[hooks]\nobserve = true\n"
        )
        found = guarded.write(guarded.primary(), str(project / "app.py"))
        assert found.decision == "deny"
        assert "not healthy" not in found.reason

    def test_a_change_counts_at_once(self, guarded: Guarded, project: Path) -> None:
        """Also one that keeps the size, and the file's end."""
        file = project / ".agguard.toml"
        for text, decision in [
            ("[delegation]\nmode = 'strict'\n", "deny"),
            ("[delegation]\nmode = 'advise'\n", "allow"),
            ("[delegation]\nmode = 'strict'\n", "deny"),
        ]:
            file.write_text(text)
            found = guarded.write(guarded.primary(), str(project / "app.py"))
            assert found.decision == decision
        file.unlink()
        assert guarded.write(guarded.primary(), str(project / "app.py")).decision == "allow"

    def test_a_change_of_the_users_file_counts_at_once(
        self, guarded: Guarded, project: Path
    ) -> None:
        """What was compiled for the project depends on it."""
        (project / ".agguard.toml").write_text("[attention]\nmax_rejections = 5\n")
        assert guarded.write(guarded.primary(), str(project / "app.py")).decision == "allow"
        guarded.configure("# strict, by default\n")
        assert guarded.write(guarded.primary(), str(project / "app.py")).decision == "deny"

    def test_a_broken_project_file_is_named_and_loosens_nothing(
        self, guarded: Guarded, project: Path
    ) -> None:
        """With line and column, in the reason of a denial."""
        guarded.configure("")
        (project / ".agguard.toml").write_text("[delegation\nmode = 'off'\n")
        found = guarded.write(guarded.primary(), str(project / "app.py"))
        assert found.decision == "deny"
        assert ".agguard.toml:1:" in found.reason

    def test_what_was_compiled_is_not_trusted_when_it_is_spoiled(
        self, guarded: Guarded, project: Path
    ) -> None:
        """Or when others can write to it."""
        (project / ".agguard.toml").write_text("[delegation]\nmode = 'strict'\n")
        guarded.write(guarded.primary(), str(project / "app.py"))
        (kept,) = cached(guarded)
        good = kept.read_text()
        for spoiled in ("", "{", "[]", "{}", good.replace('"strict"', '"off"')[:-3]):
            kept.write_text(spoiled)
            assert guarded.write(guarded.primary(), str(project / "app.py")).decision == "deny"
        kept.write_text(good.replace('"mode": "strict"', '"mode": "off"'))
        kept.chmod(0o666)
        assert guarded.write(guarded.primary(), str(project / "app.py")).decision == "deny"

    def test_no_agent_writes_the_projects_file(self, guarded: Guarded, project: Path) -> None:
        """It is the guard's own configuration, be it there or not; other files are open."""
        worker = guarded.worker()
        found = guarded.write(worker, str(project / ".agguard.toml"))
        assert found.decision == "deny"
        assert "file of agguard" in found.reason
        assert guarded.write(worker, str(project / "pyproject.toml")).decision == "allow"

    def test_the_second_hook_parses_no_toml(self, guarded: Guarded, project: Path) -> None:
        """What the first one compiled is all that it needs (design, section 6)."""
        (project / ".agguard.toml").write_text("[delegation]\nmode = 'strict'\n")
        payload = guarded.primary().calls("view_file", {"AbsolutePath": "/x"})
        source = next(iter(agguard.__path__)).rpartition("/")[0]
        command = [sys.executable, "-X", "importtime", "-I", "-S", "-c", BOOTSTRAP]
        imported = []
        for _ in range(2):
            done = subprocess.run(
                [*command, source, guarded.paths.state, "PreToolUse"],
                input=json.dumps(payload).encode(),
                capture_output=True,
                check=True,
                env=guarded.host.environ,
            )
            lines = done.stderr.decode().splitlines()
            imported.append({line.rpartition("|")[2].strip() for line in lines})
        assert "tomllib" in imported[0]
        assert not imported[1] & {"tomllib", "agguard.config.load", "agguard.pipeline.tightening"}


class TestTrust:
    def test_a_trusted_file_sets_what_has_no_stricter_direction(
        self, guarded: Guarded, project: Path
    ) -> None:
        """As long as it has the bytes that were trusted; then never again."""
        guarded.configure("")
        file = project / ".agguard.toml"
        file.write_text("[delegation]\nmessage = 'Ask Ada.'\n")
        assert "Ask Ada" not in guarded.write(guarded.primary(), str(project / "app.py")).reason

        pins = trust.load(guarded.paths.state).pinned(str(file), file.read_bytes(), time.time())
        trust.save(pins)
        assert "Ask Ada" in guarded.write(guarded.primary(), str(project / "app.py")).reason

        file.write_text("[delegation]\nmessage = 'Ask Bob.'\n")
        reason = guarded.write(guarded.primary(), str(project / "app.py")).reason
        assert "Ask Bob" not in reason
        assert "Ask Ada" not in reason

        file.write_text("[delegation]\nmessage = 'Ask Ada.'\n")
        assert "Ask Ada" in guarded.write(guarded.primary(), str(project / "app.py")).reason
        trust.save(trust.load(guarded.paths.state).without(str(file)))
        assert "Ask Ada" not in guarded.write(guarded.primary(), str(project / "app.py")).reason

    def test_a_trusted_file_still_cannot_loosen(self, guarded: Guarded, project: Path) -> None:
        """Trust is about what has no stricter direction."""
        guarded.configure("")
        file = project / ".agguard.toml"
        file.write_text("[delegation]\nmode = 'off'\n")
        trust.save(trust.load(guarded.paths.state).pinned(str(file), file.read_bytes(), 0.0))
        assert guarded.write(guarded.primary(), str(project / "app.py")).decision == "deny"

    @pytest.mark.skipif(os.name != "posix", reason="about the rights of POSIX files")
    def test_pins_that_others_can_write_are_no_pins(self, guarded: Guarded, project: Path) -> None:
        """Nothing is trusted then, and the library says why."""
        file = project / ".agguard.toml"
        file.write_text("[delegation]\nmessage = 'Ask Ada.'\n")
        trust.save(trust.load(guarded.paths.state).pinned(str(file), file.read_bytes(), 0.0))
        Path(guarded.paths.state, trust.NAME).chmod(0o666)
        found = trust.load(guarded.paths.state)
        assert not found.trusts(str(file), file.read_bytes())
        assert "others can write" in found.problem


class TestEnvironment:
    def test_a_variable_of_the_hosts_tightens(self, guarded: Guarded, project: Path) -> None:
        """`AGGUARD_DELEGATION_MODE=strict agy` is stricter for that session."""
        environ = {**guarded.host.environ, "AGGUARD_DELEGATION_MODE": "strict"}
        target = str(project / "app.py")
        assert guarded.write(guarded.primary(), target, environ=environ).decision == "deny"
        assert guarded.write(guarded.primary(), target).decision == "allow"

    def test_a_variable_cannot_loosen(self, guarded: Guarded, project: Path) -> None:
        """Neither the mode, nor the profile, nor observing."""
        guarded.configure("")
        for name, value in [
            ("AGGUARD_DELEGATION_MODE", "off"),
            ("AGGUARD_PROFILE", "observe"),
            ("AGGUARD_HOOKS_OBSERVE", "true"),
        ]:
            environ = {**guarded.host.environ, name: value}
            found = guarded.write(guarded.primary(), str(project / "app.py"), environ=environ)
            assert found.decision == "deny", name

    def test_in_an_agents_shell_it_is_ignored(self, guarded: Guarded, project: Path) -> None:
        """What an agent exported must not even make anything stricter: it is not the user's."""
        environ = {
            **guarded.host.environ,
            "AGGUARD_DELEGATION_MODE": "nonsense",
            "ANTIGRAVITY_AGENT": "1",
        }
        found = guarded.write(guarded.primary(), str(project / "app.py"), environ=environ)
        assert "nonsense" not in found.reason

    def test_other_programs_variables_are_not_kept(self, guarded: Guarded, project: Path) -> None:
        """Nothing of `AGGUARD_TOKEN` stands in a file of ours."""
        environ = {
            **guarded.host.environ,
            "AGGUARD_TOKEN": "FAKEsecret123",
            "AGGUARD_RTK_MODE": "off",
        }
        guarded.write(guarded.primary(), str(project / "app.py"), environ=environ)
        assert cached(guarded)
        for path in Path(guarded.paths.state).rglob("*"):
            assert not path.is_file() or b"FAKEsecret123" not in path.read_bytes()


def other_values(setting: Setting) -> list[Json]:
    """Return values of a setting that fit it and differ from its default."""
    found: list[Json] = []
    if setting.kind == "choice":
        found = list(setting.choices)
    elif setting.kind == "bool":
        found = [True, False]
    elif setting.kind in {"int", "float"}:
        kind = int if setting.kind == "int" else float
        found = [kind(setting.minimum), kind(setting.maximum)]
    elif setting.kind == "list":
        default = setting.initial
        assert isinstance(default, list)
        found = [[], ["other"], [*default, "other"]]
    elif setting.kind == "string":
        found = ["other"]
    return [value for value in found if value != setting.initial]


@pytest.mark.parametrize("setting", list(Schema()), ids=lambda setting: setting.key)
class TestEveryKey:
    """What the issue asks for: a test per key, over a project's file and a variable."""

    def test_a_project_can_only_tighten(self, tmp_path: Path, setting: Setting) -> None:
        """The value in force is the stricter one, whatever the project's file asks for."""
        from agguard.config.literal import literal
        from agguard.config.lookup import lookup

        user, file = tmp_path / "config.toml", tmp_path / ".agguard.toml"
        for wanted in other_values(setting):
            file.write_text(f"{setting.key} = {literal(wanted)}\n")
            found = load(str(user), projects=(str(file),))
            value = lookup(found.settings, setting.key)
            if setting.stricter in DIRECTED:
                assert value == meet(setting, setting.initial, wanted)
            else:
                assert value == setting.initial
                assert any(setting.key in problem.text for problem in found.problems)

    def test_trust_lets_it_set_what_has_no_direction(
        self, tmp_path: Path, setting: Setting
    ) -> None:
        """And nothing that only the user's own file may set."""
        from agguard.config.literal import literal
        from agguard.config.lookup import lookup

        user, file = tmp_path / "config.toml", tmp_path / ".agguard.toml"
        for wanted in other_values(setting):
            file.write_text(f"{setting.key} = {literal(wanted)}\n")
            found = load(str(user), projects=(str(file),), trusted=lambda *_: True)
            value = lookup(found.settings, setting.key)
            if setting.stricter == "trusted":
                assert value == setting.normal(wanted)
            elif setting.stricter == "user":
                assert value == setting.initial

    def test_a_variable_can_only_tighten(self, tmp_path: Path, setting: Setting) -> None:
        """Single values only; nobody pins the bytes of a variable."""
        from agguard.config.literal import literal
        from agguard.config.lookup import lookup

        user = str(tmp_path / "config.toml")
        for wanted in other_values(setting):
            found = load(user, environ={variable(setting): literal(wanted)})
            value = lookup(found.settings, setting.key)
            if setting.stricter in DIRECTED and not isinstance(wanted, list):
                assert value == meet(setting, setting.initial, wanted)
            else:
                assert value == setting.initial
                assert found.problems
            agents = {variable(setting): literal(wanted), "ANTIGRAVITY_AGENT": "1"}
            assert load(user, environ=agents).settings == nested(Schema().defaults())


def test_explaining_and_deciding_use_the_same_layers(guarded: Guarded, project: Path) -> None:
    """`agguard explain --cwd` says what a hook would say in that folder."""
    from agguard.pipeline.dry import explained

    call = {"TargetFile": str(project / "app.py"), "CodeContent": "x", "Overwrite": True}
    for text, decision in [("", "allow"), ("[delegation]\nmode = 'strict'\n", "deny")]:
        (project / ".agguard.toml").write_text(text)
        found = explained(
            guarded.paths, tool="write_to_file", args=call, role="primary", folder=str(project)
        )
        assert found.data["outcome"]["decision"] == decision
        assert guarded.write(guarded.primary(), call["TargetFile"]).decision == decision
