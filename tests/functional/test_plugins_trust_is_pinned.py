"""Trust holds for what was looked at: a distribution, its version and its files."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import agguard
from fakes.distribution import Packages

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fakes.guarded import Guarded

DENIES = """
@hookimpl
def judge_tool(call):
    if call.name == "run_command":
        return Verdict.deny("mmm objects")
"""

MODULE = "agguard_mmm.py"
INFO = "agguard_mmm-1.0.dist-info"


@pytest.fixture
def packages(tmp_path: Path) -> Packages:
    found = Packages(tmp_path / "site")
    found.add("mmm", DENIES)
    record(found)
    return found


def record(packages: Packages) -> None:
    """Write the RECORD that an installer writes."""
    rows = [f"{INFO}/RECORD,,"]
    for name in (MODULE, f"{INFO}/METADATA", f"{INFO}/entry_points.txt"):
        data = (packages.site / name).read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(data)}")
    (packages.site / INFO / "RECORD").write_text("\n".join(rows) + "\n")


def agguard_says(guarded: Guarded, packages: Packages, *arguments: str) -> str:
    """Run `agguard` as a person does; what it says on both streams."""
    source = next(iter(agguard.__path__)).rpartition("/")[0]
    environ = {
        **guarded.host.environ,
        "PYTHONPATH": os.pathsep.join([source, str(packages.site)]),
        "AGGUARD_CONFIG_DIR": guarded.paths.config,
        "AGGUARD_STATE_DIR": guarded.paths.state,
        "COLUMNS": "300",
    }
    command = [sys.executable, "-m", "agguard", *arguments]
    done = subprocess.run(
        command, env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    return done.stdout + done.stderr


def info(guarded: Guarded, packages: Packages) -> dict[str, Any]:
    found = agguard_says(guarded, packages, "plugins", "info", "mmm", "--json")
    return dict(json.loads(found))


def trust(guarded: Guarded, packages: Packages) -> str:
    said = agguard_says(guarded, packages, "plugins", "trust", "mmm")
    packages.build(guarded)
    return said


def test_a_trusted_plugin_runs_as_it_is(guarded: Guarded, packages: Packages) -> None:
    """The command says what it pinned; `list` shows state, faults and times."""
    said = trust(guarded, packages)

    assert "agguard-mmm 1.0, 4 files, sum " in said
    assert guarded.run(guarded.worker(), "make").said == ["mmm objects"]
    found = info(guarded, packages)
    assert found["state"] == "active"
    assert found["pinned"]["version"] == "1.0"
    assert found["worst_ms"] >= found["median_ms"] > 0
    listed = json.loads(agguard_says(guarded, packages, "plugins", "list", "--json"))
    assert [(one["name"], one["faults"]) for one in listed] == [("builtin", 0), ("mmm", 0)]


def _edit(packages: Packages) -> None:
    with open(packages.site / MODULE, "a", encoding="utf-8") as file:
        file.write("# one more line\n")


def _edit_in_place(packages: Packages) -> None:
    """The size stays; the time of change does not."""
    path = packages.site / MODULE
    path.write_text(path.read_text().replace("objects", "0bjects"))


def _edit_and_record(packages: Packages) -> None:
    """The RECORD agrees with the changed file: its sums are no proof of anything."""
    _edit(packages)
    record(packages)


def _upgrade(packages: Packages) -> None:
    metadata = packages.site / INFO / "METADATA"
    metadata.write_text(metadata.read_text().replace("Version: 1.0", "Version: 1.1"))
    record(packages)


def _another(packages: Packages) -> None:
    """Another package takes the name."""
    packages.remove("mmm")
    packages.add("mmm", DENIES, distribution="another-package")


def _unlisted(packages: Packages) -> None:
    """A file of the package is not in its RECORD any more."""
    path = packages.site / INFO / "RECORD"
    path.write_text("\n".join(x for x in path.read_text().splitlines() if MODULE not in x))


CHANGES: dict[str, tuple[Callable[[Packages], None], str]] = {
    "a line is added": (_edit, f"files changed since: .*{MODULE}"),
    "a letter is changed": (_edit_in_place, f"files changed since: .*{MODULE}"),
    "the RECORD is changed, too": (_edit_and_record, "files changed since"),
    "it is upgraded": (_upgrade, "it is version 1.1, and 1.0 was trusted"),
    "another package takes the name": (_another, "it comes from 'another-package'"),
    "its RECORD forgets a file": (_unlisted, "files changed since"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_untrusted_again_and_everybody_is_told(
    guarded: Guarded, packages: Packages, change: str
) -> None:
    """It does not run; doctor, `info`, and the next decision with a reason say so."""
    trust(guarded, packages)
    act, told = CHANGES[change]
    act(packages)
    packages.build(guarded)

    assert guarded.run(guarded.worker(), "make").decision == "allow"
    denied = guarded.write(guarded.primary(), f"{guarded.workspace}/app.py")
    assert denied.decision == "deny"
    assert "the plugin 'mmm' does not run" in denied.reason
    found = info(guarded, packages)
    assert found["state"] == "untrusted"
    assert pytest.approx(0) == found["worst_ms"]
    import re

    assert re.search(told, found["problem"])
    assert "mmm" in agguard_says(guarded, packages, "doctor")


@pytest.mark.parametrize("distribution", ["aaa", "zzz"])
@pytest.mark.parametrize("upgraded", [False, True])
def test_a_package_that_takes_a_trusted_name_displaces_nobody(
    guarded: Guarded, packages: Packages, distribution: str, *, upgraded: bool
) -> None:
    """Whatever comes first by name, the one that was trusted has it; the other one is refused."""
    trust(guarded, packages)
    other = DENIES.replace("mmm objects", "the other one objects")
    packages.add("mmm", other, distribution=distribution)
    if upgraded:
        _upgrade(packages)
        assert "agguard-mmm 1.1, 4 files" in trust(guarded, packages)
    packages.build(guarded)
    found = guarded.run(guarded.worker(), "make")

    assert found.decision == "deny"
    assert found.said[0] == "mmm objects"
    assert "another plugin is already named 'mmm'" in found.reason
    assert (info(guarded, packages)["distribution"], info(guarded, packages)["state"]) == (
        "agguard-mmm",
        "active",
    )


def test_a_hook_notices_a_changed_file_by_itself(guarded: Guarded, packages: Packages) -> None:
    """The manifest depends on every file of a plugin that runs; nothing else has to be run."""
    trust(guarded, packages)
    worker = guarded.worker()
    assert guarded.run(worker, "make").said == ["mmm objects"]

    _edit(packages)

    assert "mmm objects" not in guarded.run(worker, "make").reason


def test_a_file_that_is_only_touched_stays_trusted(guarded: Guarded, packages: Packages) -> None:
    """Another time of change makes the sum anew, and the sum is the same."""
    trust(guarded, packages)
    os.utime(packages.site / MODULE, (1, 1))
    packages.build(guarded)

    assert guarded.run(guarded.worker(), "make").said == ["mmm objects"]


def test_trusting_again_lets_the_changed_plugin_run(guarded: Guarded, packages: Packages) -> None:
    """The person has looked at it."""
    trust(guarded, packages)
    _edit(packages)
    trust(guarded, packages)

    assert guarded.run(guarded.worker(), "make").said == ["mmm objects"]


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"mmm": 1}', '{"mmm": {"x": 1}}', None])
def test_pins_that_cannot_be_read_trust_nothing(
    guarded: Guarded, packages: Packages, damage: str | None
) -> None:
    """A name in the configuration is not enough, so removing the pins lets no changed code in."""
    trust(guarded, packages)
    pins = os.path.join(guarded.paths.config, "trust.json")
    if damage is None:
        os.unlink(pins)
    else:
        with open(pins, "w", encoding="utf-8") as file:
            file.write(damage)
    packages.build(guarded)

    assert guarded.run(guarded.worker(), "make").decision == "allow"
    assert info(guarded, packages)["state"] == "untrusted"
    denied = guarded.write(guarded.primary(), f"{guarded.workspace}/app.py")
    assert "trust.json' was changed outside agguard" in denied.reason.replace('"', "'")


def test_an_editable_install_is_trusted_by_folder_and_said_loudly(
    guarded: Guarded, packages: Packages, tmp_path: Path
) -> None:
    """Its files may change; its folder may not."""
    url = packages.site / INFO / "direct_url.json"

    def editable(folder: str) -> None:
        source = (tmp_path / folder).as_uri()
        url.write_text(json.dumps({"url": source, "dir_info": {"editable": True}}))

    editable("source")
    assert "is trusted whatever" in trust(guarded, packages)
    _edit(packages)
    packages.build(guarded)
    assert guarded.run(guarded.worker(), "make").said == ["mmm objects"]
    assert "is an editable install" in agguard_says(guarded, packages, "doctor")

    editable("elsewhere")
    packages.build(guarded)
    assert guarded.run(guarded.worker(), "make").decision == "allow"
    assert "which was not trusted" in info(guarded, packages)["problem"]


def test_the_order_of_the_user_is_the_order_of_the_rewrites(
    guarded: Guarded, packages: Packages
) -> None:
    """`plugins order` comes before the names; decisions do not depend on it."""
    for name in ("aaa", "zzz"):
        rewrite = f"Rewrite(command.text + ' {name}')"
        code = f"@hookimpl\ndef rewrite_command(command):\n    return {rewrite}\n"
        packages.add(name, code)
    guarded.configure('[plugins]\ntrust = "all"\nblock = ["mmm"]\n')
    packages.build(guarded)
    worker = guarded.worker()
    assert guarded.run(worker, "make").command == "make aaa zzz"

    agguard_says(guarded, packages, "plugins", "order", "zzz", "aaa")
    packages.build(guarded)

    assert guarded.run(worker, "make").command == "make zzz aaa"
    listed = json.loads(agguard_says(guarded, packages, "plugins", "list", "--json"))
    assert [(one["name"], one["order"]) for one in listed] == [
        ("zzz", 0),
        ("aaa", 1),
        ("builtin", 2),
        ("mmm", 3),
    ]
    told = agguard_says(guarded, packages, "plugins", "list")
    assert "order 0" in told.partition("aaa")[0]
    assert "named in [plugins] block" in told
    assert "median" not in told.partition("mmm")[2]
