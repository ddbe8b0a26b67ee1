"""The manifest is used while everything that it depends on is as it was, and only if it is ours."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.plugins import manifest
from agguard.plugins.manifest import Manifest, fingerprint, load, stamp

if TYPE_CHECKING:
    from pathlib import Path

ROW = {
    "plugin": "builtin",
    "hook": "judge_tool",
    "target": "m:f",
    "arguments": ["call"],
    "on_error": "record",
    "in_process": True,
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@pytest.fixture
def sound(tmp_path: Path) -> Manifest:
    """A manifest that depends on one folder and one file."""
    (tmp_path / "site").mkdir()
    (tmp_path / "config.toml").write_text("")
    key = fingerprint([str(tmp_path / "site")], [str(tmp_path / "config.toml")])
    return Manifest(key, [ROW], {"profile": "strict", "hooks": {}}, {}, {"state": "s"}, [])


def store(folder: Path, data: Any) -> Path:
    path = folder / manifest.NAME
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    path.chmod(0o600)
    return path


def test_what_was_stored_is_loaded(tmp_path: Path, sound: Manifest) -> None:
    """Field by field."""
    store(tmp_path, sound.asdict())
    assert load(str(tmp_path)) == sound
    assert sound.is_fresh


def test_without_a_file_there_is_none(tmp_path: Path) -> None:
    """Nor without a folder."""
    assert load(str(tmp_path)) is None
    assert load(str(tmp_path / "gone")) is None
    assert load("") is None


def _site(folder: Path) -> None:
    (folder / "site" / "a_new_package").mkdir()


def _no_site(folder: Path) -> None:
    (folder / "site").rmdir()


def _another_site(folder: Path) -> None:
    (folder / "site").rename(folder / "old")
    (folder / "site").mkdir()


def _config(folder: Path) -> None:
    (folder / "config.toml").write_text("[delegation]\n")


def _no_config(folder: Path) -> None:
    (folder / "config.toml").unlink()


def _linked_config(folder: Path) -> None:
    (folder / "config.toml").unlink()
    (folder / "config.toml").symlink_to("nowhere")


@pytest.mark.parametrize(
    "change", [_site, _no_site, _another_site, _config, _no_config, _linked_config]
)
def test_it_is_stale_when_a_file_has_changed(tmp_path: Path, sound: Manifest, change: Any) -> None:
    """A package came or went, or the configuration is another one."""
    change(tmp_path)
    assert not sound.is_fresh


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("format", 99),
        ("version", "0.0.1"),
        ("interpreter", ["/usr/bin/python", [3, 11, 0], "cpython-311"]),
        ("format", None),
    ],
)
def test_it_is_stale_for_another_program(sound: Manifest, part: str, value: object) -> None:
    """Another agguard, another interpreter, another form."""
    assert not sound.replace(key={**sound.key, part: value}).is_fresh


def test_it_is_stale_without_a_key(sound: Manifest) -> None:
    """Nothing that it depends on is known."""
    assert not sound.replace(key={}).is_fresh


def test_a_file_that_was_not_there_and_now_is_makes_it_stale(tmp_path: Path) -> None:
    """A first configuration counts with the next call."""
    key = fingerprint([], [str(tmp_path / "config.toml")])
    found = Manifest(key, [], {}, {}, {}, [])
    assert found.is_fresh
    (tmp_path / "config.toml").write_text("")
    assert not found.is_fresh


@pytest.mark.parametrize("mode", [0o602, 0o620, 0o666, 0o622, 0o777])
def test_one_that_others_can_write_is_foreign(tmp_path: Path, sound: Manifest, mode: int) -> None:
    """Whatever it says."""
    store(tmp_path, sound.asdict()).chmod(mode)
    assert load(str(tmp_path)) is None


@pytest.mark.parametrize("mode", [0o600, 0o400, 0o644, 0o700])
def test_one_that_others_can_only_read_is_ours(tmp_path: Path, sound: Manifest, mode: int) -> None:
    """There is nothing secret in it."""
    store(tmp_path, sound.asdict()).chmod(mode)
    assert load(str(tmp_path)) == sound


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
def test_what_is_no_file_is_none_at_once(tmp_path: Path) -> None:
    """A pipe would be waited for, a device read without end."""
    os.mkfifo(tmp_path / manifest.NAME)
    assert load(str(tmp_path)) is None
    os.unlink(tmp_path / manifest.NAME)
    os.symlink("/dev/zero", tmp_path / manifest.NAME)
    assert load(str(tmp_path)) is None


@given(json_values)
def test_no_json_document_breaks_loading(
    tmp_path_factory: pytest.TempPathFactory, data: Any
) -> None:
    """It is a manifest or it is none."""
    folder = tmp_path_factory.mktemp("state")
    store(folder, data)
    assert load(str(folder)) is None


@given(
    st.dictionaries(
        st.sampled_from(["key", "rows", "settings", "good", "paths", "problems"]), json_values
    )
)
def test_no_wrong_part_reaches_a_hook(
    tmp_path_factory: pytest.TempPathFactory, parts: dict[str, Any]
) -> None:
    """What is loaded has the form that hooks rely on, and can say whether it is fresh."""
    folder = tmp_path_factory.mktemp("state")
    whole = Manifest(fingerprint([], []), [ROW], {"hooks": {}}, {}, {}, []).asdict()
    store(folder, {**whole, **parts})
    found = load(str(folder))
    if found is None:
        return
    assert found.is_fresh in (True, False)
    assert all({"plugin", "hook", "target", "arguments"} <= set(row) for row in found.rows)
    found.settings.get("hooks", {}).get("deadline")
    for _plugin, _kind, _text in found.problems:
        pass


def test_a_stamp_tells_states_apart(tmp_path: Path) -> None:
    """Absent, present, changed, replaced, and a link that leads nowhere."""
    path = tmp_path / "f"
    seen = [stamp(str(path))]
    path.write_text("a")
    seen.append(stamp(str(path)))
    path.write_text("ab")
    seen.append(stamp(str(path)))
    path.unlink()
    path.symlink_to("nowhere")
    seen.append(stamp(str(path)))
    assert seen[0] is None
    assert len({str(one) for one in seen}) == 4
