"""The rules engine on a real disk: nothing that stands in a rule's place makes it hang or crash."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from agguard.rules import port
from agguard.rules.disk import LARGEST, Disk
from agguard.rules.engine import Rendered, render
from agguard.rules.lint.linter import lint, lint_below

RULE = "---\ntrigger: always_on\ndescription: d\n---\nbody\n"
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs FIFOs and links of POSIX")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "ws/.git").mkdir(parents=True)
    (tmp_path / "ws/.git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "ws/.agents/rules").mkdir(parents=True)
    (tmp_path / "home/.gemini/config/rules").mkdir(parents=True)
    return (tmp_path / "ws").resolve()


def told(workspace: Path, product: str = "sdk") -> Rendered:
    home = str(workspace.parent / "home")
    rendered = render(str(workspace), home, product=product)
    lint(str(workspace), home, product=product)
    return rendered


def reasons(rendered: Rendered, workspace: Path) -> dict[str, str]:
    return {os.path.relpath(rule.path, workspace): rule.reason for rule in rendered.left_out}


@posix
@pytest.mark.timeout(20)
def test_fifos_and_sockets_are_reported_wherever_they_stand(workspace: Path) -> None:
    """The host's own engine hangs on each of these."""
    for name in (
        "AGENTS.md",
        ".agents/rules/f.md",
        ".agents/rules.json",
        ".agents/plugins.json",
        "fifo",
        "../home/.gemini/GEMINI.md",
        "../home/.gemini/config/config.json",
    ):
        os.mkfifo(workspace / name)
    (workspace / "GEMINI.md").write_text("@[f](fifo) @fifo\n")
    server = socket.socket(socket.AF_UNIX)
    server.bind(os.path.relpath(workspace / ".agents/rules/s.md"))
    rendered = told(workspace, "app")
    server.close()
    assert f"@[f](fifo) @{workspace}/fifo\n" in rendered.block
    assert reasons(rendered, workspace) == {
        "AGENTS.md": "special",
        ".agents/rules/f.md": "special",
        ".agents/rules/s.md": "special",
        "../home/.gemini/GEMINI.md": "special",
    }


@posix
def test_circles_of_links_end(workspace: Path) -> None:
    for link, target in {
        "AGENTS.md": "AGENTS.md",
        "x": "y",
        "y": "x",
        ".agents/rules/l.md": "../../x",
        "_agents": "_agents",
        ".agent": ".",
        "_agent": "../ws",
    }.items():
        (workspace / link).symlink_to(target)
    (workspace / "GEMINI.md").write_text("@[x](x) @x\n")
    rendered = told(workspace)
    lint_below(str(workspace), str(workspace.parent / "home"), product="sdk")
    assert "\n@[x](x) @x\n" in rendered.block
    assert reasons(rendered, workspace)[".agents/rules/l.md"] == "dangling"


@posix
def test_a_folder_that_links_to_itself_is_met_once(workspace: Path) -> None:
    (workspace / ".agents/rules/a.md").write_text(RULE)
    for name in (".agent", "_agents"):
        (workspace / name).symlink_to(".agents")
    assert [Path(rule.path).name for rule in told(workspace).rules] == ["a.md"]


@posix
@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else True, reason="root reads all")
def test_files_without_permission_are_reported(workspace: Path) -> None:
    rule = workspace / ".agents/rules/a.md"
    rule.write_text(RULE)
    rule.chmod(0)
    assert reasons(told(workspace), workspace) == {".agents/rules/a.md": "unreadable"}


@posix
def test_a_user_without_permission_gets_a_report() -> None:
    """The same where the tests run as root: by another user, in a folder open to all."""
    if os.geteuid() != 0:
        pytest.skip("needs root to become another user")
    program = (
        "import os, sys\n"
        "from agguard.rules.disk import Disk\n"
        "from agguard.rules.engine import render\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "rendered = render(sys.argv[1], '/nowhere', product='sdk', read=Disk())\n"
        "print(rendered.block)\n"
        "print(*(f'{os.path.basename(r.path)}={r.reason}' for r in rendered.left_out))\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o755)
        (root / "GEMINI.md").write_text("@[a](AGENTS.md) @AGENTS.md\n")
        (root / "AGENTS.md").write_text("x")
        (root / "AGENTS.md").chmod(0)
        (root / "_agents/rules").mkdir(parents=True)
        (root / "_agents").chmod(0)
        done = subprocess.run(
            [sys.executable, "-c", program, str(root.resolve())],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
    assert f"@[a](AGENTS.md) @{root.resolve()}/AGENTS.md\n" in done.stdout
    assert done.stdout.splitlines()[-1] == (
        "AGENTS.md=unreadable AGENTS.md=closed GEMINI.md=closed"
    )


def test_folders_in_the_places_of_files_and_the_other_way_round(workspace: Path) -> None:
    (workspace / "AGENTS.md").mkdir()
    (workspace / ".agents/rules/a.md").mkdir()
    (workspace / ".agents/rules.json").mkdir()
    (workspace / ".agent").write_text("a file")
    (workspace / "_agents").mkdir()
    (workspace / "_agents/rules").write_text("a file")
    rendered = told(workspace)
    assert reasons(rendered, workspace) == {"AGENTS.md": "folder", ".agents/rules/a.md": "folder"}


def test_a_workspace_and_a_home_that_are_not_there(tmp_path: Path) -> None:
    rendered = render(str(tmp_path / "no"), str(tmp_path / "nobody"), product="app")
    assert (rendered.block, rendered.rules, rendered.left_out) == ("", (), ())


def test_files_too_large_to_read_are_reported(workspace: Path) -> None:
    with (workspace / "AGENTS.md").open("wb") as file:
        file.truncate(LARGEST + 1)
    rendered = told(workspace)
    assert reasons(rendered, workspace) == {"AGENTS.md": "unreadable"}
    assert rendered.left_out[0].detail == f"larger than {LARGEST} bytes"


@posix
def test_names_that_are_not_utf8(workspace: Path) -> None:
    name = os.fsencode(workspace / ".agents/rules") + b"/a\xff.md"
    try:
        Path(os.fsdecode(name)).write_text(RULE)
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    block = told(workspace).block
    assert f"<RULE[{workspace}/.agents/rules/a\ufffd.md]>" in block
    block.encode()


def test_nulls_and_overlong_names_in_includes_and_mentions(workspace: Path) -> None:
    text = f"@[a](\0) @\0 @[b]({'x' * 5_000}) @{'y' * 5_000}\n"
    (workspace / "AGENTS.md").write_text(text)
    assert text in told(workspace).block


@posix
def test_proc_files_say_that_they_are_empty() -> None:
    if not Path("/proc/self/status").is_file():
        pytest.skip("no /proc")
    assert b"Name:" in Disk().data("/proc/self/status")


@posix
def test_a_device_is_special() -> None:
    assert Disk().kind("/dev/null") == port.SPECIAL
    with pytest.raises(OSError, match="not a regular file"):
        Disk().data("/dev/zero")


def test_the_session_may_be_opened_through_a_link(workspace: Path) -> None:
    (workspace / "app").mkdir()
    (workspace / "app/AGENTS.md").write_text("app\n")
    (workspace / "AGENTS.md").write_text("root\n")
    link = workspace.parent / "link"
    try:
        link.symlink_to(workspace / "app")
    except OSError:
        pytest.skip("no links here")
    rendered = render(str(link), str(workspace.parent / "home"), product="sdk")
    assert [Path(rule.path).parent.name for rule in rendered.rules] == ["ws", "app"]
