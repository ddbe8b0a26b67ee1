"""The work that redaction does: it grows with the text, and most texts cause next to none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agguard.model.redact import LIMIT, redact
from agguard.model.redact.programs import ARGUMENTS, OPTIONS, are_named

SRC = Path(__file__).parents[3] / "src"
UNITS = [
    *("a", " ", "\n", "=", ":", "'", '"', "\\", '\\"', "$", "${", "$(", "`", "[", "{", "<", "-"),
    *(
        "token=",
        "token=a ",
        "token=a,",
        "code=a,",
        "key:",
        "key='",
        "token='",
        'token="',
        "pwd=/a,",
    ),
    *('"token":"a",', '"token": 1,', 'token=\\"a;', "token=';\"", 'echo "token=\';"', "token=[1,"),
    *("--token ", "--code a ", "name=a,", "name: token ", "--from-literal=", "token: |\n "),
    *("://", "a:b://", "a://b:c@", "a://b:c/", "a:b://xxxxxxxxxxxxxxxxxxxxxxxxxxx"),
    *("mysql ", "mysql -p ", 'mysql "mysql "', "docker login -p a ", "curl -u a:b ", "curl 'curl "),
    *(
        "sudo -S ",
        "echo a|sudo -S ",
        "(echo a)|passwd ",
        "passwd <<<",
        "passwd << ",
        "passwd <<E\n",
    ),
    *("set set ", "config ", "set token ", "login a password b ", "machine ", "identified by "),
    *("Cookie: a=b;", "Authorization: a ", '-H "Authorization: ', '-e "code=', '("token","'),
    *("ghp_", "AKIA", "eyJaaaaaaaa.", "8Q~", "a.atlasv1.", "$6$a", "bearer aaaaaaaaa "),
    *("-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-----BEGIN A ", "Private-Lines: 1 "),
    *("password is a1b2c3d4 ", "sed s/token/a1b2c3d4/ ", "${token=", "${token:-a", "$(token="),
]


def calls(text: str) -> int:
    """Return how many functions, in Python or in C, a redaction calls."""
    count = 0

    def profile(_frame: object, event: str, _arg: object) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(profile)
    try:
        redact(text)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("unit", UNITS)
def test_the_work_grows_with_the_text(unit: str) -> None:
    """Four times the text makes at most some four times the calls."""
    small, large = (calls(unit * (size // len(unit))) for size in (2048, 8192))
    assert large <= 5 * small + 200


@pytest.mark.parametrize("unit", UNITS)
def test_a_text_of_the_longest_size_is_answered(unit: str) -> None:
    """Patterns may not backtrack either: each of these texts ends within pytest's timeout."""
    assert len(redact(unit * (2 * LIMIT // len(unit)))) <= LIMIT


@pytest.mark.parametrize("text", ["git status --short", "ls -la src", "npm run build", "make -j4"])
def test_most_commands_import_no_finder(text: str) -> None:
    """A hook is a new process each time: a plain command costs one import and a few searches."""
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(SRC)!r})\n"
        "from agguard.model.redact import redact\n"
        f"redact({text!r})\n"
        "print(*(name for name in sys.modules if name.startswith('agguard.model.redact.')))\n"
        "print(*({'typing', 'pathlib', 'inspect', 'shlex', 'dataclasses'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    loaded, banned = run.stdout.split("\n")[:2]
    short = {name.rpartition(".")[2] for name in loaded.split()}
    assert short == {"hints", "programs", "text", "value"}
    assert banned == ""


@pytest.mark.parametrize("row", [*OPTIONS, *ARGUMENTS], ids=lambda row: f"{row[0][:20]} {row[1]}")
def test_every_program_is_asked_about(row: tuple[str, str, object, str]) -> None:
    """No row of the tables is out of the reach of the hints."""
    for program in row[0].split():
        assert are_named(f"x; {program} {row[1]} y".lower())
        assert are_named(f'["{program}", "{row[1]}"]'.lower())
