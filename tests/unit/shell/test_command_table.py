"""The table of commands: it can be read, and it says what it means."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import agguard.shell
from agguard.shell.builtins import BUILTINS
from agguard.shell.checks import CHECKS
from agguard.shell.credentials import ANYWHERE, HINTS, KEY_FILE, is_credential
from agguard.shell.effects import effect_of
from agguard.shell.table import ATTACHED, FLAG, READ, UNKNOWN, VALUE, Entry, Table, shipped
from agguard.shell.wrappers import WRAPPERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TEXT = (Path(agguard.shell.__file__).parent / "commands.txt").read_text(encoding="utf-8")
HEAD = re.compile(r"^((?:\\:|[^\s#@])(?:\\:|[^:#])*):(?=[ \n])", re.MULTILINE)
PROGRAMS = [name.replace("\\:", ":") for head in HEAD.findall(TEXT) for name in head.split()]
FLAGS = frozenset(
    """any closed names text walks folder remote sub leaf single numbers posix builtin bare helps
    versioned packages""".split()
)


def entries() -> list[Entry]:
    """Return every entry of every program, subcommands included."""
    table = shipped()
    found = []
    for program in PROGRAMS:
        for words in table._block(program):
            entry = table.entry(program, *words.split())
            assert entry is not None
            found.append(entry)
    return found


ENTRIES = entries()


def test_no_program_is_described_twice() -> None:
    """The second description would never be read."""
    assert sorted(set(PROGRAMS)) == sorted(PROGRAMS)


def test_many_programs_have_a_harmless_form() -> None:
    """The table knows what its readers run all day."""
    reading = {entry.name.split()[0] for entry in ENTRIES if entry.effect == READ or entry.exact}
    assert len(PROGRAMS) > 500
    assert len(reading) > 250


def test_every_entry_is_made_of_known_words() -> None:
    """A misspelled word would silently mean nothing."""
    assert [f"{entry.name}: {problem}" for entry in ENTRIES for problem in problems(entry)] == []


def problems(entry: Entry) -> Iterator[str]:
    """Say what is wrong with an entry."""
    yield from (f"the flag {flag}" for flag in entry.flags - FLAGS)
    if entry.builtin not in {"", *BUILTINS} or entry.wrapper not in {"", *WRAPPERS}:
        yield "an unknown function"
    if entry.check not in {"", *CHECKS}:
        yield "an unknown check"
    if not 0 < entry.effect < 2 * UNKNOWN or entry.least > entry.most:
        yield "its effect or its operands"
    yield from (f"without {one}" for one in (*entry.lifted, *entry.needed) if not entry.option(one))
    for token, _ in entry.tokens:
        name = token.partition("{")[0].rstrip(":%?=")
        letters = name[1] != "-" and "single" not in entry.flags
        option = entry.option(name[:2] if letters else name)
        if option is None or not compiles(option.pattern):
            yield f"the option {token}"
    expressions = (entry.first, entry.operands, entry.lists, entry.passes)
    if not all(map(compiles, expressions)):
        yield "an expression"


def compiles(expression: str) -> bool:
    try:
        re.compile(expression)
    except re.error:
        return False
    return True


def test_options_have_their_kind_effect_and_pattern() -> None:
    """Later descriptions of an option count, `!` changes the effect of those behind it."""
    table = Table("tool: -ab -c: -d? --e --f= --g=? --h=% -i:{x|y} !write -a --k=\n")
    entry = table.entry("tool")
    assert entry is not None
    shapes = {
        name: (option.kind, option.effect, option.pattern, option.place)
        for name in ("-a", "-b", "-c", "-d", "--e", "--f", "--g", "--h", "-i", "--k")
        if (option := entry.option(name))
    }
    assert shapes == {
        "-a": (FLAG, 16, "", False),
        "-b": (FLAG, READ, "", False),
        "-c": (VALUE, READ, "", False),
        "-d": (ATTACHED, READ, "", False),
        "--e": (FLAG, READ, "", False),
        "--f": (VALUE, READ, "", False),
        "--g": (ATTACHED, READ, "", False),
        "--h": (VALUE, READ, "", True),
        "-i": (VALUE, READ, "x|y", False),
        "--k": (VALUE, 16, "", False),
    }
    assert entry.option("--ee") is None
    assert entry.option("-z") is None


SMALL = """
@common: -v --verbose
tool other
  third: sub folder =--version @common
  show|list items|things: @common !write -o:
  delete: write
plain: any
"""

SMALL_LINES = [
    ("tool --version", True),
    ("tool -v show items", True),
    ("third show things -v --verbose", True),
    ("other list items a b", True),
    ("tool show items -o x", False),
    ("tool show", False),
    ("tool show other", False),
    ("tool delete", False),
    ("tool -x show items", False),
    ("tool", False),
    ("plain --anything", True),
    ("fourth", False),
]


@pytest.mark.parametrize(("line", "expected"), SMALL_LINES)
def test_a_table_is_read_by_its_format(line: str, expected: bool) -> None:
    """Heads over several lines, alternatives, macros, subcommands and inheritance."""
    found = effect_of(line, cwd="/ws", workspaces=("/ws",), table=Table(SMALL))
    assert found.reads is expected


def test_subcommands_inherit_the_folder() -> None:
    """What a program says about its folder holds for all of its subcommands."""
    found = effect_of("tool show items", cwd="/tmp", workspaces=("/ws",), table=Table(SMALL))
    assert not found.reads


def test_a_user_adds_and_replaces() -> None:
    """Additions win over the shipped description of the same command, and of no other."""
    table = shipped().extended(
        {"mytool status": "read folder -v", "terraform plan": "read folder", "ls": "write"}
    )
    known = {"cwd": "/ws", "workspaces": ("/ws",), "table": table}
    assert effect_of("mytool status -v", **known).reads
    assert not effect_of("mytool status -x", **known).reads
    assert not effect_of("mytool other", **known).reads
    assert effect_of("terraform plan", **known).reads
    assert not effect_of("terraform apply", **known).reads
    assert not effect_of("ls", **known).reads
    assert effect_of("cat x", **known).reads


def test_versions_of_a_program_are_the_program_only_where_that_is_said() -> None:
    """`python3.11` is Python; `ls2` is anything."""
    names = ("python3.11", "pip3", "gcc-12", "ls2", "git2", "nothing")
    found = [entry.name if entry else "" for entry in map(shipped().program, names)]
    assert found == ["python", "pip", "gcc", "", "", ""]


CREDENTIALS = """~/.ssh/id_rsa|/home/u/.ssh/config|.gnupg/x|~/.aws/credentials|.azure/x
~/.kube/config|.docker/config.json|.password-store/x|.terraform.d/x|.netrc|.pgpass|.my.cnf|.npmrc|.pypirc
.git-credentials|.vault-token|.dockercfg|.htpasswd|.boto|.s3cfg|.config/gcloud/x|.config/gh/hosts.yml
.config/hub|.config/op/x|.config/rclone/rclone.conf|.cargo/credentials.toml|.gem/credentials
.m2/settings.xml|.gradle/gradle.properties|.bash_history|.zsh_history|.local/share/keyrings/x
.mozilla/x|.gemini/oauth_creds.json|.codex/auth.json|.claude/.credentials.json|.env|.envrc|.env.local
id_rsa|id_dsa|id_ecdsa|id_ed25519_sk|/etc/shadow|etc/gshadow|/etc/sudoers|/etc/ssl/private/x
/etc/ssh/ssh_host_rsa_key|/proc/1/environ|/dev/sda|/Library/Keychains/x|known_hosts|authorized_keys
credentials|a/oauth_creds.json|auth.json|application_default_credentials.json|service-account.json
credentials.yml|secrets.yaml|secret.json|token.json|master.key|vault_pass.txt|wp-config.php|x.pem|a/b.key
x.p12|x.pfx|x.jks|x.keystore|x.kdbx|x.ppk|HEAD:.env|--file=.env|~/.SSH/ID_RSA"""
ORDINARY = """README.md|src/app.py|.environment|environ|id_rsa.pub|.env.example|.env.sample|keys.py
monkey.key.py|token.py|secrets.py|.data.key|.gitignore|.github/workflows/x.yml|.config/app.toml
/etc/passwd|/etc/hosts|credentials.py|authentication.json|package.json|sshd.md|aws.md"""


@pytest.mark.parametrize("path", CREDENTIALS.replace("\n", "|").split("|"))
def test_files_with_credentials_are_known_by_name(path: str) -> None:
    """Each name is found, and by the hints that spare the expressions their work."""
    assert is_credential(path)
    assert any(hint in path.lower() for hint in HINTS)


@pytest.mark.parametrize("path", ORDINARY.replace("\n", "|").split("|"))
def test_ordinary_files_are_not_taken_for_credentials(path: str) -> None:
    """Names that only look alike are read."""
    assert not is_credential(path)
    assert not re.search(ANYWHERE, path)
    assert not re.fullmatch(KEY_FILE, path)
