"""Installing and uninstalling with real files in a home with blanks and quotes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from agguard.errors import RegistrationError
from agguard.install.addition import Wish
from agguard.install.entry import entry
from agguard.install.files import digest
from agguard.install.launcher import Launcher, recognize
from agguard.install.place import of_project
from agguard.install.registration import Outcome, install, launcher_for, uninstall
from agguard.install.store import KEEP
from unit.install.install_world import FOREIGN, World, loud

pytestmark = pytest.mark.skipif(os.name == "nt", reason="modes and links of POSIX")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / 'ho me\'s "$HOME" `x`')


BEFORE = {
    "missing": None,
    "empty": "",
    "blank": " \r\n\t\n",
    "an empty object": "{}",
    "an empty object with blanks": "{ }\n",
    "foreign hooks": FOREIGN,
    "no final newline": FOREIGN.rstrip("\n"),
    "CRLF and tabs": FOREIGN.replace("\n", "\r\n").replace("  ", "\t"),
    "one line": '{"b":{},"a":{"x":[1,2]},"b":null}',
    "a hook named hooks": '{"hooks": {"PreToolUse": [{"hooks": [{"command": "x"}]}]}}',
    "escapes and bytes that are no UTF-8": b'{"\\u00e9": {"x": "\xff"}, "\xc3\xa9": {"y": 1.50}}',
    "5 MB": json.dumps({f"h{i}": {"Stop": [{"command": "x" * 990}]} for i in range(5_000)}),
}


@pytest.mark.parametrize("case", BEFORE)
def test_uninstalling_gives_back_every_byte_and_every_folder(case: str, world: World) -> None:
    """Nobody changed the file since, so the home is as it was, the state folder apart."""
    before = BEFORE[case]
    if before is not None:
        world.write(before)
    tree = world.tree()
    world.install()
    assert json.loads(world.hooks.read_text(errors="replace"))["agguard"] == entry()
    assert world.examine().registered
    world.uninstall()
    assert world.tree() == tree
    assert not world.examine().registered


@pytest.mark.parametrize("case", BEFORE)
def test_a_second_installation_changes_no_byte(case: str, world: World) -> None:
    """No file, no backup, no record is written again."""
    before = BEFORE[case]
    if before is not None:
        world.write(before)
    world.install()
    first = {path: path.stat().st_mtime_ns for path in world.home.rglob("*")}
    tree = world.tree(state=True)
    outcome = world.install()
    assert (outcome.changed, outcome.diff, outcome.backups) == (False, "", ())
    assert world.tree(state=True) == tree
    assert {path: path.stat().st_mtime_ns for path in world.home.rglob("*")} == first


def test_a_dry_run_shows_everything_and_writes_nothing(world: World) -> None:
    """Not even a state folder."""
    world.write(FOREIGN)
    tree = world.tree(state=True)
    outcome = world.install(dry_run=True)
    assert world.tree(state=True) == tree
    assert '+  "agguard": {' in outcome.diff
    assert f"+++ {world.launcher}" in outcome.diff
    assert [change.action for change in outcome.changes] == [*["create"] * 3, "change"]
    real = world.install()
    assert real.diff == outcome.diff
    assert world.uninstall(dry_run=True).diff.startswith(f"--- {world.hooks}")
    assert world.hooks.read_text() != FOREIGN


def test_the_diff_can_be_applied_with_patch(world: World, tmp_path: Path) -> None:
    """What is shown is what is done."""
    world.write(FOREIGN)
    outcome = world.install()
    hooks = next(change for change in outcome.changes if change.path == str(world.hooks))
    copy = tmp_path / "copy"
    copy.write_text(FOREIGN)
    shown = outcome.diff[outcome.diff.index(f"--- {hooks.path}") :]
    done = subprocess.run(
        ["patch", str(copy)], input=shown, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert copy.read_bytes() == world.hooks.read_bytes()


def test_the_launcher_can_be_run_and_the_plugin_folder_carries_rules_only(world: World) -> None:
    """No hooks.json in the plugin folder, or every hook would fire twice."""
    outcome = world.install(world.wish(rules="Delegate.\nProve."))
    assert world.launcher.stat().st_mode & 0o111
    assert {path.name for path in world.plugin.rglob("*")} == {"plugin.json", "rules", "AGENTS.md"}
    manifest = json.loads((world.plugin / "plugin.json").read_text())
    assert (manifest["name"], manifest["version"]) == ("agguard", "1.0")
    assert set(manifest) == {"name", "displayName", "description", "version"}
    assert (world.plugin / "rules" / "AGENTS.md").read_text() == "Delegate.\nProve.\n"
    assert any("restart of the host" in note.text for note in outcome.notes)
    assert not any("restart" in note.text for note in world.install(world.wish(rules="x")).notes)


def test_without_rules_there_is_no_plugin_folder(world: World) -> None:
    """The rules are the caller's to give."""
    world.install(world.wish(rules=""))
    assert not world.plugin.parent.exists()


def test_modes_are_kept(world: World) -> None:
    """A private file stays private through both ways, and a backup is private always."""
    world.write(FOREIGN)
    world.hooks.chmod(0o640)
    world.install()
    assert world.hooks.stat().st_mode & 0o777 == 0o640
    world.uninstall()
    assert world.hooks.stat().st_mode & 0o777 == 0o640
    for path in Path(world.store.folder).rglob("*"):
        assert path.stat().st_mode & 0o077 == 0


def test_new_files_obey_the_umask(world: World) -> None:
    """A launcher is executable for whom the umask lets it be."""
    former = os.umask(0o077)
    try:
        world.install()
    finally:
        os.umask(former)
    assert world.hooks.stat().st_mode & 0o777 == 0o600
    assert world.launcher.stat().st_mode & 0o777 == 0o700


def test_a_launcher_that_lost_its_bit_gets_it_back(world: World) -> None:
    """Dotfile tools and archives drop modes; a launcher that cannot run denies every tool."""
    world.install()
    world.launcher.chmod(0o644)
    assert world.examine().launchers[0].condition == "blocked"
    assert world.install().changed
    assert world.launcher.stat().st_mode & 0o777 == 0o755
    assert not world.install().changed


def said(world: World, outcome: Outcome) -> str:
    """Return what is said of the hooks file: in one place, and nowhere else."""
    (change,) = (one for one in outcome.changes if one.path == str(world.hooks))
    assert str(world.hooks) not in {kept.path for kept in outcome.kept}
    assert not any(str(world.hooks) in note.text for note in outcome.notes)
    return change.why


# What uninstalling does when the file is not as agguard left it.


def test_changes_of_others_survive_and_only_our_entry_goes(world: World) -> None:
    """Somebody added a hook after us; that hook stays, byte for byte."""
    world.write(FOREIGN)
    world.install()
    world.write(world.hooks.read_text().replace('"mine"', '"yours": 1,\n  "mine"'))
    outcome = world.uninstall()
    assert world.hooks.read_text() == FOREIGN.replace('"mine"', '"yours": 1,\n  "mine"')
    assert "changed since" in said(world, outcome)
    assert [kept.path for kept in outcome.kept] == [str(world.backups)]


def test_a_file_that_we_made_stays_when_others_use_it_by_now(world: World) -> None:
    """It is deleted only when we made it and nothing is left in it."""
    world.install()
    text = world.hooks.read_text()
    world.write(text.replace('{\n  "agguard"', '{\n  "yours": 1,\n  "agguard"', 1))
    outcome = world.uninstall()
    assert json.loads(world.hooks.read_text()) == {"yours": 1}
    assert "only our entry was taken out" in said(world, outcome)


def test_a_file_that_we_made_goes_when_only_its_layout_was_changed(world: World) -> None:
    """Nothing of anybody else is in it."""
    world.install()
    world.write(json.dumps(json.loads(world.hooks.read_text())))
    world.uninstall()
    assert not world.hooks.exists()
    assert not world.config.exists()


def test_a_change_between_two_installations_is_not_undone(world: World) -> None:
    """The first original is no way back once somebody else has written to the file."""
    world.write("{}")
    world.install()
    world.write(world.hooks.read_text().replace("{", '{"yours": 1,', 1))
    world.install(world.wish(version="2.0"))
    world.uninstall()
    assert json.loads(world.hooks.read_text()) == {"yours": 1}


def test_an_upgrade_keeps_the_first_original(world: World) -> None:
    """Two versions of ours, nobody else: the way back leads to before the first."""
    world.write("{ }")
    world.install()
    assert "1.0 becomes 2.0" in " ".join(
        n.text for n in world.install(world.wish(version="2.0")).notes
    )
    world.uninstall()
    assert world.hooks.read_text() == "{ }"


def test_without_a_record_only_our_entry_goes(world: World) -> None:
    """The state folder was deleted: the rest of the file stays as it is."""
    world.write("{ }")
    world.install()
    world.record.unlink()
    outcome = world.uninstall()
    assert world.hooks.read_text() == "{}"
    assert "no record" in said(world, outcome)
    assert not world.launcher.exists()
    assert not (world.plugin / "plugin.json").exists()
    assert (str(world.plugin / "rules" / "AGENTS.md")) in {kept.path for kept in outcome.kept}


@pytest.mark.parametrize("tampered", [b"", b"{}", None])
def test_an_original_that_is_no_longer_itself_is_not_restored(
    tampered: bytes | None, world: World
) -> None:
    """Who writes into the state folder does not write into hooks.json by that."""
    world.write(FOREIGN)
    world.install()
    (original,) = (Path(world.store.folder) / "originals").iterdir()
    if tampered is None:
        original.unlink()
    else:
        original.write_bytes(tampered)
    outcome = world.uninstall()
    assert world.hooks.read_text() == FOREIGN
    assert "original is gone" in said(world, outcome)


def test_a_broken_record_is_said_and_set_aside(world: World) -> None:
    """It is not read as an empty one: what it held is kept, and the way back is ours alone."""
    world.write(FOREIGN)
    world.install()
    world.record.write_text("{broken")
    assert "cannot be used" in loud(world.install(world.wish(version="2.0")))
    assert (world.record.parent / "record.json.broken").read_text() == "{broken"
    world.uninstall()
    assert world.hooks.read_text() == FOREIGN


def test_edited_files_of_ours_are_kept_and_named(world: World) -> None:
    """Somebody's edit is somebody's; nothing refers to it any more."""
    world.install()
    world.launcher.write_text(world.launcher.read_text() + "# mine\n")
    rules = world.plugin / "rules" / "AGENTS.md"
    rules.write_text("Mine.\n")
    outcome = world.uninstall()
    edited = {kept.path for kept in outcome.kept if "edited" in kept.why}
    assert edited == {str(world.launcher), str(rules)}
    assert rules.read_text() == "Mine.\n"
    assert not world.hooks.exists()


def test_an_edit_of_the_rules_is_not_taken_for_ours_by_an_installation_without_rules(
    world: World,
) -> None:
    """What was not written is not recorded as written."""
    world.install()
    rules = world.plugin / "rules" / "AGENTS.md"
    rules.write_text("Mine.\n")
    world.install(world.wish(rules="", version="2.0"))
    world.uninstall()
    assert rules.read_text() == "Mine.\n"


def test_edited_rules_are_replaced_by_an_installation_and_kept(world: World) -> None:
    """The backup is there for whoever edited them."""
    world.install()
    (world.plugin / "rules" / "AGENTS.md").write_text("Mine.\n")
    outcome = world.install()
    assert any("AGENTS.md was edited" in note.text for note in outcome.notes)
    assert [Path(path).read_text() for path in outcome.backups] == ["Mine.\n"]


def test_uninstalling_twice_or_nothing_is_no_error(world: World) -> None:
    """And leaves no trace."""
    tree = world.tree(state=True)
    assert not world.uninstall().changed
    assert world.tree(state=True) == tree
    world.install()
    assert world.uninstall().changed
    assert not world.uninstall().changed


# Two environments, upgrades, backups.


def test_the_newer_of_two_environments_wins_and_it_is_said_loudly(world: World) -> None:
    """Pipx and a project's venv both installed: the launcher names the one that counts."""
    world.install(world.wish("/pipx"))
    outcome = world.install(world.wish("/venv", version="1.1"))
    assert "/pipx" in loud(outcome)
    assert "/venv" in loud(outcome)
    found = recognize(world.launcher.read_text())
    assert found
    assert found.launcher.site == "/venv"
    assert world.hooks.read_text().count('"agguard"') == 1
    assert not loud(world.install(world.wish("/venv", version="1.1")))


def test_an_edited_launcher_is_replaced_and_its_text_kept(world: World) -> None:
    """The backup is there for whoever edited it."""
    world.install()
    edited = world.launcher.read_text() + "# mine\n"
    world.launcher.write_text(edited)
    assert world.examine().launchers[0].condition == "edited"
    assert world.examine().changed == (str(world.launcher),)
    outcome = world.install()
    assert "was edited" in loud(outcome)
    (backup,) = outcome.backups
    assert Path(backup).read_text() == edited
    assert world.examine().launchers[0].condition == "intact"


def test_a_launcher_of_an_earlier_version_is_renewed(world: World) -> None:
    """Its marker makes it ours, whatever it does."""
    world.install()
    world.launcher.write_text(
        "#!/bin/sh\n# agguard-launcher 1 user 0.0.1 sha256:" + "0" * 64 + "\nexec old\n"
    )
    world.install()
    assert world.examine().launchers[0].condition == "intact"


def test_a_changed_entry_of_ours_becomes_what_it_has_to_be(world: World) -> None:
    """A switched off entry is on again after an installation, and that is said."""
    world.install()
    world.write(world.hooks.read_text().replace('"agguard": {', '"agguard": {"enabled": false,'))
    assert world.examine().changed == (str(world.hooks),)
    assert '"enabled": false' in loud(world.install())
    assert json.loads(world.hooks.read_text()) == {"agguard": entry()}


STRANGE = [
    '{"Stop": [{"command": "./mine.sh"}]}',
    '{\n\t"Stop" : [ {"command":"./m\\u0069ne.sh"} ] }',
    '{"enabled": false}',
    "{}",
    "null",
    "1.50",
]
"""Entries of our name that are not ours, as text."""


@pytest.mark.parametrize("strange", STRANGE)
def test_a_strange_entry_of_our_name_is_replaced_loudly_and_put_back(
    strange: str, world: World
) -> None:
    """The name is ours while we are installed; afterwards every byte is as it was."""
    before = f'{{"a": 1,\n "agguard": {strange}, "b": 2}}\n'
    world.write(before)
    outcome = world.install()
    assert "puts it back" in loud(outcome)
    assert Path(outcome.backups[0]).read_text() == before
    assert json.loads(world.hooks.read_text()) == {"a": 1, "agguard": entry(), "b": 2}
    assert not world.install().changed
    world.install(world.wish("/venv", version="2.0"))
    assert "byte for byte" in said(world, world.uninstall())
    assert world.hooks.read_text() == before


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize("again", [False, True])
def test_a_strange_entry_comes_back_into_a_file_that_was_changed_since(
    strange: str, again: bool, world: World
) -> None:
    """Also when agguard was installed again after the change, and what was changed stays."""
    world.write(f'{{"a": 1, "agguard": {strange}}}')
    world.install()
    world.write(world.hooks.read_text().replace('"a": 1', '"a": 3'))
    if again:
        world.install(world.wish(version="2.0"))
    assert "that was there before is back" in said(world, world.uninstall())
    assert world.hooks.read_text() == f'{{"a": 3, "agguard": {strange}}}'


def test_an_entry_that_took_the_place_of_ours_stays(world: World) -> None:
    """What is there is somebody else's: it is not ours to remove, and is named."""
    world.install()
    theirs = '{"agguard": {"Stop": [{"command": "./mine.sh"}]}}'
    world.write(theirs)
    outcome = world.uninstall()
    assert world.hooks.read_text() == theirs
    assert (str(world.hooks), "its entry 'agguard' is not agguard's") in {
        (kept.path, kept.why) for kept in outcome.kept
    }
    assert not world.launcher.exists()


def test_a_replaced_entry_is_put_back_only_as_one_value(world: World) -> None:
    """Who writes into the record does not add hooks of another name by that."""
    world.write('{"agguard": {}}')
    world.install()
    record = json.loads(world.record.read_text())
    record["installs"][0]["replaced"] = '{}, "more": {"Stop": [{"command": "x"}]}'
    world.record.write_text(json.dumps(record))
    world.write(world.hooks.read_text() + "\n")
    world.uninstall()
    assert json.loads(world.hooks.read_text()) == {}


def test_another_entry_that_runs_our_launcher_is_named_when_it_goes(world: World) -> None:
    """It would fail from then on, and a hook that fails may block every tool."""
    world.write('{"copy": {"Stop": [{"command": "./agguard-hook Stop"}]}}')
    world.install()
    assert "the entry 'copy' runs agguard's launcher" in loud(world.uninstall())
    world.write(FOREIGN)
    world.install()
    assert not loud(world.uninstall())


def test_every_change_of_a_foreign_file_makes_one_backup_and_old_ones_go(world: World) -> None:
    """The newest ones are kept, in the order of their names."""
    for number in range(KEEP + 3):
        world.write(f'{{"n": {number}}}')
        outcome = world.install()
        (backup,) = outcome.backups
        assert Path(backup).read_text() == f'{{"n": {number}}}'
    kept = sorted(path for path in world.backups.iterdir() if path.name.endswith("hooks.json"))
    assert len(kept) == KEEP
    assert kept[-1].read_text() == f'{{"n": {KEEP + 2}}}'


def test_what_agguard_chose_before_is_kept_by_a_new_installation(world: World) -> None:
    """`--if-missing deny` need not be said again."""
    launcher = launcher_for(world.place, world.store, "1.0", "deny")
    install(world.place, world.store, Wish(launcher))
    assert launcher_for(world.place, world.store, "1.1").if_missing == "deny"
    assert launcher_for(world.place, world.store, "1.1", "ask").if_missing == "ask"
    assert "decision=deny" in world.launcher.read_text()


def test_the_launcher_names_the_environment_that_installs(world: World) -> None:
    """An absolute interpreter and the folder of the package, for hooks see no PATH."""
    launcher = launcher_for(world.place, world.store, "1.0")
    assert Path(launcher.python).is_absolute()
    assert (Path(launcher.site) / "agguard" / "install" / "registration.py").is_file()
    assert launcher.state == world.paths.state


# Foreign entries.


def test_a_foreign_entry_that_kills_the_file_is_named(world: World) -> None:
    """Our hooks would be in a file that the host throws away."""
    world.write('{"theirs": {"Stop": [{"matcher": "*", "hooks": [{"command": "x"}]}]}}')
    assert "theirs.Stop[0]" in loud(world.install())
    assert not world.examine().registered


def test_a_foreign_hooks_file_in_our_plugin_folder_is_named(world: World) -> None:
    """Hooks there would fire besides ours."""
    world.plugin.mkdir(parents=True)
    (world.plugin / "hooks.json").write_text("{}")
    assert "hooks.json is not agguard's" in loud(world.install())
    world.uninstall()
    assert (world.plugin / "hooks.json").exists()


# A project's own registration.


def test_a_project_can_be_registered_and_committed(world: World) -> None:
    """No path of this machine, and the same bytes for everybody."""
    place = world.project()
    wish = Wish(launcher_for(place, world.store, "1.0"), rules="")
    outcome = install(place, world.store, wish)
    folder = Path(place.hooks).parent
    assert sorted(path.name for path in folder.iterdir()) == ["agguard-hook", "hooks.json"]
    assert json.loads(Path(place.hooks).read_text()) == {"agguard": entry()}
    for path in folder.iterdir():
        assert str(world.home) not in path.read_text()
        assert str(Path(os.__file__).parent) not in path.read_text()
    assert any("trusts" in note.text for note in outcome.notes)
    again = install(place, world.store, wish)
    assert not again.changed


def test_the_user_and_projects_are_registered_and_taken_out_apart(world: World) -> None:
    """Each hooks file has its own way back."""
    one, two = world.project("one"), world.project("two")
    wish = Wish(Launcher("1.0"), rules="")
    tree = world.tree()
    world.install()
    for place in (one, two):
        install(place, world.store, wish)
    uninstall(one, world.store)
    assert not Path(one.hooks).exists()
    assert Path(two.hooks).exists()
    assert world.examine().registered
    uninstall(two, world.store)
    world.uninstall()
    assert world.tree() == tree


def test_a_project_must_be_a_folder(world: World) -> None:
    """A typing error must not make folders."""
    with pytest.raises(RegistrationError, match="no folder"):
        of_project(str(world.home / "nowhere"))


# What doctor is told.


def test_an_examination_tells_what_the_host_reads(world: World) -> None:
    """Missing, foreign and double entries, and what was changed outside agguard."""
    assert world.examine().launchers[0].condition == "missing"
    world.write('{"agguard": 1, "agguard": 2}')
    world.launcher.write_text("#!/bin/sh\n")
    found = world.examine()
    assert (found.registered, found.entries, found.launchers[0].condition) == (False, 2, "foreign")
    world.write("{oops")
    found = world.examine()
    assert (found.registered, found.entries) == (False, 0)
    assert "line 1, column 2" in found.findings[0].problem


def test_the_record_holds_the_digests_of_what_was_written(world: World) -> None:
    """The ledger compares them at every hook."""
    world.install()
    install_ = world.examine().install
    assert install_
    assert install_.written == digest(world.hooks.read_bytes())
    assert install_.digest_of(str(world.launcher)) == digest(world.launcher.read_bytes())
    assert world.examine().changed == ()
