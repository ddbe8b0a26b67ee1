"""A broken configuration never means "no guards": the last good one holds, and all are told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fakes.snapshot import snapshot

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakes.guarded import Guarded

GOOD = '[delegation]\nmessage = "Mind the guide."\n'


def _text(text: str | bytes) -> Callable[[str], None]:
    def write(path: str) -> None:
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())

    return write


def _pipe(path: str) -> None:
    os.mkfifo(path)


def _dangling(path: str) -> None:
    os.symlink(path + ".gone", path)


BROKEN: dict[str, tuple[Callable[[str], None], str]] = {
    "no TOML": (_text("[delegation\nmode = off"), "this is not TOML"),
    "unknown key": (_text('[delegation]\nmodus = "off"\n'), "did you mean 'delegation.mode'?"),
    "unknown section": (_text('[delegations]\nmode = "off"\n'), "config.toml:1"),
    "wrong type": (_text("[delegation]\nmode = 7\n"), "config.toml:2"),
    "no such value": (_text('[delegation]\nmode = "none"\n'), "config.toml:2"),
    "out of range": (
        _text("[hooks]\ndeadline = 3600\n"),
        "expected a number of seconds from 0.5",
    ),
    "half of it good": (
        _text('[delegation]\nmode = "off"\n[attention]\nmaxrejections = 1\n'),
        "did you mean 'attention.max_rejections'?",
    ),
    "twice": (_text('[delegation]\nmode = "off"\n[delegation]\nmode = "off"\n'), "a second time"),
    "no UTF-8": (_text(b'[delegation]\nmode = "\xff"\n'), "is not UTF-8"),
    "zeros": (_text(b"\0" * 400), "config.toml"),
    "folder": (os.mkdir, "not a regular file"),
    "pipe": (_pipe, "not a regular file"),
    "dangling": (_dangling, "a link that leads nowhere"),
    "huge": (_text("# " + "x" * (1 << 21)), "is larger than"),
}


def spoil(guarded: Guarded, kind: str) -> None:
    os.makedirs(guarded.paths.config, exist_ok=True)
    if os.path.exists(guarded.paths.config_file):
        os.unlink(guarded.paths.config_file)
    BROKEN[kind][0](guarded.paths.config_file)


@pytest.mark.parametrize("kind", BROKEN)
def test_the_last_good_configuration_holds_and_the_reason_names_the_fault(
    guarded: Guarded, kind: str
) -> None:
    """At once and from then on; the file keeps its bytes; mending it is enough."""
    guarded.configure(GOOD)
    who = guarded.primary()
    assert "Mind the guide." in guarded.run(who, "ls").reason
    spoil(guarded, kind)
    before = snapshot(guarded.paths.config_file)

    for _ in range(2):
        found = guarded.run(who, "ls")
        assert found.decision == "deny"
        assert "Mind the guide." in found.reason
        assert "agguard is not healthy" in found.reason
        assert guarded.paths.config_file in found.reason
        assert BROKEN[kind][1] in found.reason
    assert snapshot(guarded.paths.config_file) == before

    (os.rmdir if kind == "folder" else os.unlink)(guarded.paths.config_file)
    guarded.configure(GOOD)
    mended = guarded.run(who, "ls")
    assert "Mind the guide." in mended.reason
    assert "not healthy" not in mended.reason


@pytest.mark.parametrize("kind", BROKEN)
def test_without_a_good_one_the_defaults_hold(guarded: Guarded, kind: str) -> None:
    """A first configuration that is broken leaves the strict profile on."""
    spoil(guarded, kind)
    found = guarded.run(guarded.primary(), "ls")

    assert found.decision == "deny"
    assert BROKEN[kind][1] in found.reason


@pytest.mark.parametrize("kind", ["no TOML", "unknown key", "folder"])
def test_a_broken_configuration_stands_in_the_ledger(guarded: Guarded, kind: str) -> None:
    """With every decision that was made under it, allowed ones included."""
    spoil(guarded, kind)
    who = guarded.primary()
    assert guarded.view(who).answer == {"decision": "allow"}

    ((plugin, hook, _, text),) = [found for found in guarded.faults() if found[2] == "config"]
    assert (plugin, hook) == ("agguard", "manifest")
    assert BROKEN[kind][1] in text


def test_the_last_good_configuration_survives_a_lost_manifest_as_the_defaults(
    guarded: Guarded,
) -> None:
    """What was good is kept in the manifest; with both gone, nothing weaker than the defaults."""
    guarded.configure('[delegation]\nmode = "off"\n')
    who = guarded.primary()
    assert guarded.run(who, "ls").decision == "allow"
    spoil(guarded, "no TOML")
    assert guarded.run(who, "ls").decision == "allow"
    os.unlink(guarded.manifest)

    found = guarded.run(who, "ls")

    assert found.decision == "deny"
    assert "this is not TOML" in found.reason


def test_a_configuration_that_is_taken_away_leaves_the_defaults(guarded: Guarded) -> None:
    """No file is a sound configuration, and no reason to keep the former one."""
    guarded.configure('[delegation]\nmode = "off"\n')
    who = guarded.primary()
    assert guarded.run(who, "ls").decision == "allow"
    os.unlink(guarded.paths.config_file)

    found = guarded.run(who, "ls")

    assert found.decision == "deny"
    assert "config.toml:" not in found.reason


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ('[delegation]\nmode = "off"\n', "allow"),
        ('profile = "observe"\n', "allow"),
        ('profile = "adaptive"\n', "allow"),
        ('profile = "strict"\n', "deny"),
        ("", "deny"),
    ],
)
def test_a_sound_configuration_is_in_force_with_the_next_call(
    guarded: Guarded, text: str, decision: str
) -> None:
    """The manifest of before is stale and is rebuilt by itself."""
    who = guarded.primary()
    assert guarded.run(who, "ls").decision == "deny"
    guarded.configure(text)

    assert guarded.run(who, "ls").decision == decision


@pytest.mark.parametrize("name", ["AGGUARD_CONFIG_DIR", "XDG_CONFIG_HOME", "HOME"])
def test_the_environment_of_a_hook_names_no_configuration(
    guarded: Guarded, name: str, tmp_path: str
) -> None:
    """It may be an agent's: the folders are those of the installation, also when rebuilding."""
    for folder in ("", "agguard", ".config/agguard"):
        place = os.path.join(tmp_path, "elsewhere", folder)
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, "config.toml"), "w", encoding="utf-8") as file:
            file.write('[delegation]\nmode = "off"\n')
    environ = {**guarded.host.environ, name: os.path.join(tmp_path, "elsewhere")}
    who = guarded.primary()
    assert guarded.run(who, "ls", environ=environ).decision == "deny"
    os.unlink(guarded.manifest)

    assert guarded.run(who, "ls", environ=environ).decision == "deny"
