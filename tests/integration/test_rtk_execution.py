"""Bash decides: a rewritten line runs the same programs in the same way.

Every program is a stub that records its name, arguments and folder (the parts of a pipeline run at
once, so their order is not compared); `rtk` is one that runs
its arguments. No rtk is needed, except for the last test.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from agguard_builtin.rtk.rewrite import rewrite

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")

V1 = (1, 1, 0)
PROGRAMS = [
    "git",
    "cargo",
    "kubectl",
    "docker",
    "ls",
    "grep",
    "pytest",
    "make",
    "curl",
    "wc",
    "tee",
]
COMMANDS = [
    "git status",
    "git log -n 3",
    "git commit -m 'a; b && c'",
    'git commit -m "x $HOME y"',
    "git -C sub diff",
    "git log --format=%H",
    "cargo test",
    "cargo test -- --nocapture",
    "kubectl get pods",
    "kubectl get pods -o json",
    "docker ps",
    "ls -la",
    "ls 'a b' c\\ d",
    "grep -rn 'x|y' .",
    "grep -c x f",
    "pytest -q",
    "make all",
    "curl -s http://x",
    "A=1 git status",
    "A='b c' cargo build",
    "cd sub",
    "true",
    "false",
    "echo git status",
    "printf '%s\\n' x",
]
WRAPS = [
    "{0}",
    "{0} 2>&1",
    "{0} 2>/dev/null",
    "{0} > out.txt",
    "{0} >> out.txt",
    "{0} < in.txt",
    "({0})",
    "{{ {0}; }}",
    "! {0}",
    "if {0}; then {1}; fi",
    "for i in 1 2; do {0}; done",
    'x=$({0}); echo "$x"',
    "echo `{0}`",
    "{0} | wc -l",
    "{0} |& tee log",
    "cat <<E\n{0}\nE",
    "f() {{ {0}; }}; f",
    "case a in a) {0};; esac",
    "time {0}",
    "{0} # {1}",
    "RTK_DISABLED=1 {0}",
]
JOINS = [" && ", " || ", "; ", "\n", " ; ", "&&", "\r\n"]

STUB = """#!/bin/sh
call=$(printf '%s\\001' "${0##*/}" "$PWD" "$A" "$@")
printf '%s\\n' "$call" >> "$RECORD"
printf 'out of %s\\n' "$*"
case "$*" in *diff*) exit 3;; esac
"""


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in PROGRAMS:
        (folder / program).write_text(STUB, encoding="utf-8")
        (folder / program).chmod(0o755)
    (folder / "rtk").write_text('#!/bin/sh\nexec "$@"\n', encoding="utf-8")
    (folder / "rtk").chmod(0o755)
    return folder


def lines(count: int) -> list[str]:
    source = random.Random(20261130)  # noqa: S311 - the same lines each time
    found = []
    while len(found) < count:
        parts = [
            source.choice(WRAPS).format(source.choice(COMMANDS), source.choice(COMMANDS))
            for _ in range(source.randint(1, 3))
        ]
        line = parts[0]
        for part in parts[1:]:
            line += source.choice(JOINS) + part
        found.append(line)
    return found


SCRIPT = """
import json, os, shutil, subprocess, sys
folder, bins = sys.argv[1:3]
env = {"PATH": bins + ":/usr/bin:/bin", "HOME": "/home/x"}
for number, line in enumerate(json.load(sys.stdin)):
    where = os.path.join(folder, str(number))
    os.makedirs(where + "/sub")
    open(where + "/in.txt", "w").write("input")
    record = os.path.join(folder, "record")
    open(record, "w").close()
    done = subprocess.run(["bash", "-c", line], cwd=where, env={**env, "RECORD": record},
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=20)
    calls = sorted(open(record, "rb").read().replace(where.encode(), b"").split(b"\\n"))
    names = sorted(set(os.listdir(where)) - {"sub"})
    files = [(name, open(os.path.join(where, name)).read()) for name in names]
    shutil.rmtree(where)
    seen = [call.decode() for call in calls]
    print(json.dumps([done.returncode, done.stdout.decode(), seen, files]))
"""


def run(folder: Path, stubs: Path, commands: list[str]) -> list[list[object]]:
    """Run each line in a folder of its own; return status, output, calls and files."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder), str(stubs)],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_rewritten_line_runs_the_same_programs(tmp_path: Path, stubs: Path) -> None:
    """Same arguments, folders, variables, output, files and exit status, on generated lines."""
    pairs = [(line, rewrite(line, version=V1)) for line in lines(7000)]
    changed = [(line, after) for line, after in pairs if after][:1000]
    assert len(changed) >= 1000

    before = run(tmp_path, stubs, [line for line, _ in changed])
    after = run(tmp_path, stubs, [line for _, line in changed])

    wrong = [
        changed[place]
        for place, (one, other) in enumerate(zip(before, after, strict=True))
        if one != other
    ]
    assert wrong == []


def test_the_real_rtk_keeps_the_exit_status(tmp_path: Path) -> None:
    """On a hundred commands, good and bad ones, in a real repository."""
    scripts = sysconfig.get_path("scripts")
    if not shutil.which("rtk", path=scripts):
        pytest.skip("needs the real rtk (extra `engine`)")
    env = {
        "PATH": f"{scripts}{os.pathsep}/usr/bin:/bin",
        "HOME": str(tmp_path),
        "RTK_TELEMETRY_DISABLED": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    setup = "git init -q . && git config user.email a@b.c && git config user.name n && echo x > f"
    subprocess.run(["bash", "-c", f"{setup} && git add f"], cwd=tmp_path, env=env, check=True)
    subprocess.run(["git", "commit", "-qm", "m"], cwd=tmp_path, env=env, check=True)
    operands = ["", "f", "nothing-here", "HEAD", "-- f", "--bad-option", "-n 1", "HEAD~9", "."]
    commands = [
        f"{name} {operand}".strip()
        for name in (
            *(
                "git status",
                "git log",
                "git diff",
                "git show",
                "git branch --list",
                "git stash list",
            ),
            *("ls -la", "ls", "grep -rn x", "ps aux", "git fetch", "git -C . status"),
        )
        for operand in operands
    ][:100]
    wrong = []
    for command in commands:
        changed = rewrite(command, version=V1)
        assert changed is not None, command
        statuses = [
            subprocess.run(
                ["bash", "-c", line],
                cwd=tmp_path,
                env=env,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                check=False,
            ).returncode
            for line in (command, changed)
        ]
        if statuses[0] != statuses[1]:
            wrong.append((command, statuses))
    assert wrong == []
