"""Changing the user's file: `agguard config set` and `unset` underneath."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from agguard.config.declared import declared
from agguard.config.load import load
from agguard.config.lookup import lookup
from agguard.config.schema import Schema
from agguard.config.store import set_value, unset_value
from agguard.config.write import replace
from agguard.errors import ConfigError

SCHEMA = Schema()
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The path of a file that is not there yet, in a folder that is not there yet."""
    return tmp_path / "agguard dir" / "config.toml"


def test_set_then_get_gives_the_value(file: Path) -> None:
    """Through the disk, for a bare word, a number, a switch and a list."""
    for key, raw, value in [
        ("delegation.mode", "read-only", "read-only"),
        ("attention.after", "5", 5),
        ("hooks.observe", "true", True),
        ("shell.read", '["just test"]', ["just test"]),
        ("plugins.trust", "all", ["all"]),
        ("profile", "balanced", "balanced"),
    ]:
        set_value(str(file), key, raw, SCHEMA)
        found = load(str(file))
        assert found.problems == ()
        assert lookup(found.settings, key) == value


@POSIX
def test_a_new_file_and_folder_are_private(file: Path) -> None:
    """Folder 0700, file 0600."""
    set_value(str(file), "rtk.mode", "off", SCHEMA)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@POSIX
def test_an_existing_files_mode_is_kept(file: Path) -> None:
    """Whatever it is."""
    file.parent.mkdir()
    file.write_text("# mine\n")
    file.chmod(0o640)
    set_value(str(file), "rtk.mode", "off", SCHEMA)
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_unset_restores_the_bytes(file: Path) -> None:
    """Every byte, CRLF and missing end of line included."""
    before = b"# mine\r\n\r\n[rtk]\r\nmode = 'on'   # \xe2\x9a\xa1"
    file.parent.mkdir()
    file.write_bytes(before)
    set_value(str(file), "delegation.mode", "off", SCHEMA)
    assert file.read_bytes() != before
    change = unset_value(str(file), "delegation.mode")
    assert file.read_bytes() == before == change.after.encode()


def test_an_unknown_key_in_the_file_can_be_unset(file: Path) -> None:
    """It is how a mistake is mended."""
    file.parent.mkdir()
    file.write_text("[delegation]\nmod = 'off'\nmode = 'strict'\n")
    unset_value(str(file), "delegation.mod")
    assert file.read_text() == "[delegation]\nmode = 'strict'\n"


@POSIX
def test_a_link_is_written_through(tmp_path: Path, file: Path) -> None:
    """The link stays a link, the file behind it changes, nothing is left beside either."""
    real = tmp_path / "dotfiles" / "agguard.toml"
    real.parent.mkdir()
    real.write_text("")
    file.parent.mkdir()
    file.symlink_to(Path("..") / "dotfiles" / "agguard.toml")
    set_value(str(file), "rtk.mode", "off", SCHEMA)
    assert file.is_symlink()
    assert real.read_text() == '[rtk]\nmode = "off"\n'
    assert os.listdir(real.parent) == ["agguard.toml"]
    assert os.listdir(file.parent) == ["config.toml"]


def test_the_same_value_again_writes_nothing(file: Path) -> None:
    """Not even the same bytes."""
    file.parent.mkdir()
    file.write_text("[rtk]\nmode = 'off'\n")
    before = file.stat()
    change = set_value(str(file), "rtk.mode", "off", SCHEMA)
    assert change.before == change.after
    assert file.stat().st_ino == before.st_ino


WRONG = [
    ("delegation.mod", "off", "unknown key 'delegation.mod'; did you mean 'delegation.mode'"),
    ("delegation", "off", "is a section; name a setting of it"),
    ("delegation.mode", "strct", 'did you mean "strict"'),
    ("delegation.mode", "5", "is 5, expected one of"),
    ("attention.after", "soon", 'is "soon", expected a whole number'),
    ("shell.read", '["a"', "is not a TOML value"),
    ("a b", "1", "is not a key"),
    ("", "1", "is not a key"),
]


@pytest.mark.parametrize(("key", "raw", "message"), WRONG)
def test_a_wrong_key_or_value_is_refused_before_anything_is_written(
    file: Path, key: str, raw: str, message: str
) -> None:
    """Not even the folder is made."""
    with pytest.raises(ConfigError) as caught:
        set_value(str(file), key, raw, SCHEMA)
    assert message in str(caught.value)
    assert not file.parent.exists()


@pytest.mark.parametrize(
    "content",
    [b"[delegation\n", b"\xff", b"\xef\xbb\xbfx = 1\n", b"{}", b"x = 1\nx = 2\n", b"#" * 300_000],
)
def test_nothing_is_written_after_a_failed_read(file: Path, content: bytes) -> None:
    """An unparsable file is never taken for an empty one."""
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(ConfigError, match="nothing was changed"):
        set_value(str(file), "rtk.mode", "off", SCHEMA)
    with pytest.raises(ConfigError, match="nothing was changed"):
        unset_value(str(file), "x")
    assert file.read_bytes() == content
    assert os.listdir(file.parent) == ["config.toml"]


@POSIX
def test_nothing_is_written_where_there_is_no_file_to_read(file: Path) -> None:
    """A folder, or a link that leads nowhere: who knows what was meant to be there."""
    file.mkdir(parents=True)
    with pytest.raises(ConfigError, match="not a regular file"):
        set_value(str(file), "rtk.mode", "off", SCHEMA)
    link = file.parent / "link.toml"
    link.symlink_to("gone.toml")
    with pytest.raises(ConfigError, match="leads nowhere"):
        set_value(str(link), "rtk.mode", "off", SCHEMA)
    assert link.is_symlink()


def test_a_change_by_somebody_else_is_not_overwritten(file: Path) -> None:
    """Between reading and replacing."""
    file.parent.mkdir()
    file.write_text("a")
    with pytest.raises(ConfigError, match="changed by somebody else"):
        replace(str(file), b"c", b"b")
    assert file.read_text() == "a"
    with pytest.raises(ConfigError, match="changed by somebody else"):
        replace(str(file), b"c", None)
    assert os.listdir(file.parent) == ["config.toml"]


@POSIX
def test_a_file_that_cannot_be_written_is_left_alone(file: Path) -> None:
    """Read-only by its owner's will, or in a folder without rights."""
    if os.geteuid() == 0:
        pytest.skip("root writes every file")
    file.parent.mkdir()
    file.write_text("")
    file.chmod(0o400)
    with pytest.raises(ConfigError, match="read-only"):
        set_value(str(file), "rtk.mode", "off", SCHEMA)
    file.chmod(0o600)
    file.parent.chmod(0o500)
    with pytest.raises(ConfigError, match="cannot be written"):
        set_value(str(file), "rtk.mode", "off", SCHEMA)
    file.parent.chmod(0o700)
    assert file.read_text() == ""


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file stands in its place."""
    (tmp_path / "x").write_text("")
    with pytest.raises(ConfigError, match="nothing was changed"):
        replace(str(tmp_path / "x" / "y" / "c.toml"), b"", None)


def test_settings_of_plugins_are_set_like_ours(file: Path) -> None:
    """Checked where the plugin declares them, any plain value where it is not imported."""
    fields = {"type": "int", "default": 1, "meaning": "m", "minimum": 0, "maximum": 9}
    schema = Schema(plugins={"tf": declared("tf", {"level": fields}), "blocked": None})
    set_value(str(file), "plugins.tf.level", "5", schema)
    set_value(str(file), "plugins.blocked.x.y", "[1]", schema)
    assert load(str(file), schema=schema).settings["plugins"]["tf"] == {"level": 5}
    assert load(str(file), schema=schema).settings["plugins"]["blocked"] == {"x": {"y": [1]}}
    for key, raw, message in [
        ("plugins.tf.level", "10", "from 0 to 9"),
        ("plugins.tf.lvl", "1", "did you mean 'plugins.tf.level'"),
        ("plugins.gone.x", "1", "unknown key 'plugins.gone.x'"),
        ("plugins.blocked.x", "inf", "unknown key"),
    ]:
        with pytest.raises(ConfigError) as caught:
            set_value(str(file), key, raw, schema)
        assert message in str(caught.value)
