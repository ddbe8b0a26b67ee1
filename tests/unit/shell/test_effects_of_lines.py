"""What command lines do: lists of lines, and the rules behind them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agguard.model.effect import Effect
from agguard.shell.effects import Effects, effect_of
from agguard.shell.parser import parse

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
SHARED = Path(__file__).resolve().parents[4] / "shared" / "corpora" / "shell_effects.jsonl"
BRAIN = "/home/u/.gemini/brain"


def effects(text: str, cwd: str = "/ws") -> Effects:
    return effect_of(text, cwd=cwd, workspaces=("/ws",), writable=(BRAIN, "/ws/plans"))


def lines_of(name: str) -> list[str]:
    """Return the lines of a list; a newline inside one is written as a return sign."""
    text = (CORPUS / name).read_text(encoding="utf-8")
    return [line.replace("\u23ce", "\n") for line in text.splitlines()]


@pytest.mark.parametrize("line", lines_of("shell_not_read.txt"))
def test_what_may_do_more_is_never_called_read(line: str) -> None:
    """Each line writes, runs, sends, or cannot be known."""
    assert not effects(line).reads


@pytest.mark.parametrize("line", lines_of("shell_read.txt"))
def test_what_only_looks_is_called_read(line: str) -> None:
    """Each line only reads and prints, in a workspace."""
    found = effects(line)
    assert found.reads, [part.why for part in found.parts]


@pytest.mark.skipif(not SHARED.exists(), reason="the shared corpus is not beside this checkout")
def test_the_shared_corpus_has_no_hole_and_little_friction() -> None:
    """Of the rows that are not reading none is called read, of the others nine in ten are."""
    rows = [json.loads(line) for line in SHARED.read_text(encoding="utf-8").splitlines()]
    called = {row["command"] for row in rows if effects(row["command"]).reads}
    holes = [row["command"] for row in rows if row["effect"] != "read" and row["command"] in called]
    reading = [row["command"] for row in rows if row["effect"] == "read"]
    assert holes == []
    assert sum(command in called for command in reading) >= 0.9 * len(reading)


KINDS = [
    ("ls", Effect.READ),
    ("", Effect.READ),
    ("# a comment", Effect.READ),
    ("rm -rf x", Effect.WRITE),
    ("echo x > f", Effect.WRITE),
    ("sort -o f f", Effect.WRITE),
    ("git branch -D x", Effect.WRITE),
    ("git branch new", Effect.WRITE),
    ("git config user.name ann", Effect.WRITE),
    ("git push", Effect.NETWORK | Effect.WRITE),
    ("curl https://example.com", Effect.NETWORK),
    ("curl -o f https://example.com", Effect.NETWORK | Effect.WRITE),
    ("dig $HOST", Effect.NETWORK),
    ("python3 x.py", Effect.EXECUTE),
    ("./run.sh", Effect.EXECUTE),
    ("make", Effect.EXECUTE),
    ("bash x.sh", Effect.EXECUTE),
    ("git diff --ext-diff", Effect.EXECUTE),
    ("find . -exec python3 {} +", Effect.EXECUTE),
    ("fd -x rm", Effect.EXECUTE),
    ("sudo ls", Effect.EXECUTE),
    ("claude -p x", Effect.DELEGATE),
    ("agguard uninstall", Effect.CONTROL),
    ("$X y", Effect.UNKNOWN),
    ("frobnicate", Effect.UNKNOWN),
    ("ls --frobnicate", Effect.UNKNOWN),
    ("git status &&", Effect.UNKNOWN),
    ("PATH=/tmp ls", Effect.UNKNOWN),
    ("ls; rm x; curl y", Effect.NETWORK | Effect.WRITE),
    ("sudo rm x", Effect.WRITE | Effect.EXECUTE),
    ("rtk rm x", Effect.WRITE),
    ("cd a && rtk git push --force", Effect.NETWORK | Effect.WRITE),
    ("bash -c 'rm x'", Effect.WRITE),
]


@pytest.mark.parametrize(("line", "effect"), KINDS)
def test_a_line_has_every_effect_of_its_parts(line: str, effect: Effect) -> None:
    """Reading beside anything else is not mentioned."""
    assert effects(line).effect == effect


AGENTS = [
    "./agy -p x",
    "~/.local/bin/claude -p x",
    "$HOME/.local/bin/claude -p x",
    "/home/ann/.npm-global/bin/codex exec x",
    "env A=1 ./node_modules/.bin/gemini -p x",
    "npx claude -p x",
    "npx -y @google/gemini-cli@latest -p x",
    "npx --package=@openai/codex codex",
    "npx -p @anthropic-ai/claude-code@1 claude",
    "bunx @openai/codex",
    "bun x codex",
    "pnpm dlx @openai/codex",
    "yarn dlx @google/gemini-cli",
    "npm exec claude -- -p x",
    "npm x -- @openai/codex",
    "uvx aider-chat",
    "uvx --from 'aider-chat[browser]' aider",
    "uv tool run --from aider-chat==0.5 aider",
    "uv run aider",
    "pipx run --spec aider-chat aider",
]


@pytest.mark.parametrize("line", AGENTS)
def test_an_agent_is_started_from_wherever_it_lies(line: str) -> None:
    """By its path, where most of them are installed, or out of its package."""
    assert effects(line).effect & Effect.DELEGATE


@pytest.mark.parametrize(
    "line",
    [
        "./build.sh claude",
        "~/.local/bin/agyx",
        "claude/run.sh",
        "npx prettier claude",
        "npx -y tsc --project codex",
        "npm run claude",
        "npm install @openai/codex",
        "uv add aider-chat",
        "uvx ruff check goose",
        "pnpm build",
        "bun test claude",
        "pipx install aider-chat",
    ],
)
def test_what_only_names_an_agent_starts_none(line: str) -> None:
    """Neither does what installs one."""
    assert not effects(line).effect & Effect.DELEGATE


def test_parts_say_which_command_did_what() -> None:
    """Each part has its command's span, its program, its effect and a reason."""
    line = "ls -la && sudo rm x > log"
    parts = [
        (line[part.start : part.end], part.program, part.effect) for part in effects(line).parts
    ]
    assert parts == [
        ("ls -la", "ls", Effect.READ),
        ("> log", ">", Effect.WRITE),
        ("sudo rm x > log", "sudo", Effect.EXECUTE),
        ("sudo rm x > log", "rm", Effect.WRITE),
    ]
    assert all(part.why for part in effects(line).parts)


def test_a_text_in_an_argument_is_shown_at_its_command() -> None:
    """What stands inside `sh -c` has no offsets of its own in the line."""
    line = "ls; sh -c 'cat a; rm b'"
    found = [(part.program, line[part.start : part.end]) for part in effects(line).parts]
    assert found[1:] == [("cat", "sh -c 'cat a; rm b'"), ("rm", "sh -c 'cat a; rm b'")]


def test_a_script_that_is_parsed_already_gives_the_same() -> None:
    """Parsing is the caller's to save."""
    line = "git log | head -3"
    assert effect_of(line, script=parse(line), cwd="/ws") == effect_of(line, cwd="/ws")


PLACES = [
    ("git status", "/ws", True),
    ("git status", "/ws/src", True),
    ("git status", "/tmp", False),
    ("git status", "/wsx", False),
    ("git status", "/ws/plans/deep", False),
    ("git status", f"{BRAIN}/1", False),
    ("cat a.txt", "/tmp", True),
    ("cat a.txt", f"{BRAIN}/1", True),
    ("cd src && git status", "/ws", True),
    ("cd /ws && git status", "/tmp", True),
    ("cd /ws; git status", "/tmp", False),
    ("cd /tmp && git status", "/ws", False),
    ("cd ..; git status", "/ws", False),
    ("cd plans && git status", "/ws", False),
    ("cd PLANS && git status", "/ws", False),
    ("cd src/../plans && git status", "/ws", False),
    ("(cd /tmp); git status", "/ws", True),
    ("(cd /tmp && git status)", "/ws", False),
    ("{ cd /tmp; }; git status", "/ws", False),
    ("if cd /tmp; then ls; fi; git status", "/ws", False),
    ("cd src && cd /tmp || git status", "/ws", False),
    ("cd src || cd /tmp; git status", "/ws", False),
    ("while ls; do git status; cd /tmp; done", "/ws", False),
    ("for x in 1 2; do cd src; done; git status", "/ws", False),
    ("f() { git status; }; cd /tmp; f", "/ws", False),
    ("f() { cd /tmp; }; f; git status", "/ws", False),
    ("f() { git status; }; f", "/ws", True),
    ("eval 'cd /tmp'; git status", "/ws", False),
    ("D=/tmp; cd $D && git status", "/ws", False),
    ("D=src; cd $D && git status", "/ws", True),
    ("D=src; D=$X; cd $D && git status", "/ws", False),
    ("git -C src log", "/ws", True),
    ("git -C /tmp log", "/ws", False),
    ("git -C $D log", "/ws", False),
    ("git --git-dir=/tmp/.git log", "/ws", False),
    ("env -C /tmp git status", "/ws", False),
    ("env -C src git status", "/ws", True),
    ("sh -c 'cd /tmp && git status'", "/ws", False),
    ("cd $PWD && git status", "/ws", True),
]


@pytest.mark.parametrize(("line", "cwd", "expected"), PLACES)
def test_reading_is_reading_only_where_the_folder_is_the_users(
    line: str, cwd: str, expected: bool
) -> None:
    """Programs that take configuration from their folder need a workspace nobody else writes."""
    assert effects(line, cwd).reads is expected


def test_an_unknown_folder_is_nobodys() -> None:
    """Without a folder only programs count that do not look there."""
    assert effect_of("cat /usr/share/x; ls x", workspaces=("/ws",)).reads
    assert not effect_of("cat x", workspaces=("/ws",)).reads
    assert not effect_of("git status", workspaces=("/ws",)).reads
    assert not effect_of("git status", cwd="/ws").reads


def test_a_listed_folder_is_the_users_unless_the_caller_may_write_in_the_workspace() -> None:
    """What git calls the top is a workspace's, but a folder of the caller could be listed too."""
    line = 'cd "$(git rev-parse --show-toplevel)" && git status'
    assert effect_of(line, cwd="/ws", workspaces=("/ws",)).reads
    assert effect_of(line, cwd="/ws", workspaces=("/ws",), writable=(BRAIN,)).reads
    assert not effect_of(line, cwd="/ws", workspaces=("/ws",), writable=("/ws/plans",)).reads


ROUNDS = [
    ("for b in main dev; do git log $b; done", True),
    ("for b in --output=x dev; do git log $b; done", False),
    ("for f in passwd hosts; do cat /etc/$f; done", True),
    ("for f in passwd shadow; do cat /etc/$f; done", False),
    ("for f in a; do for g in b; do cat $f/$g; done; done", True),
    ("for f in a {1..9}; do cat ${f}x; done", False),
    (f"for f in {' '.join(map(str, range(300)))}; do git log x$f; done", True),
    (f"for f in {' '.join(map(str, range(300)))} -delete; do find . $f; done", False),
    ("ls | while read -r f; do cat $f; done", True),
    ("ls | while read -r f; do cat /etc/$f; done", False),
    ("ls | while read -r f; do f=$(cat x); cat $f; done", False),
    ("ls | while read -r f g; do cat $g; done", False),
    ("ls | while read -r f; do cat $f; done < x", False),
    ("while read -r f; do cat $f; done < <(git ls-files)", True),
    ("while read -r f; do cat $f; done < <(cat list)", False),
]


@pytest.mark.parametrize(("line", "expected"), ROUNDS)
def test_each_round_of_a_loop_is_looked_at(line: str, expected: bool) -> None:
    """A variable is what the loop's list says, as long as that is spelled out or only lists."""
    assert effects(line).reads is expected


def test_links_are_followed_where_the_caller_can() -> None:
    """A link in the workspace that leads to what the caller may write is not the workspace."""

    def resolve(path: str) -> str:
        return path.replace("/ws/link", BRAIN)

    line = "cd link && git status"
    known = {"cwd": "/ws", "workspaces": ("/ws",), "writable": (BRAIN,)}
    assert effect_of(line, **known).reads
    assert not effect_of(line, **known, resolve=resolve).reads


HOME = [
    ("cat ~/notes.txt", True),
    ("cat ~/.ssh/config", False),
    ("grep -rn x ~", False),
    ("grep -rn x /home/u", False),
    ("cd ~ && rg x", False),
    ("cat $HOME/.netrc", False),
]


@pytest.mark.parametrize(("line", "expected"), HOME)
def test_credentials_are_kept_also_by_the_homes_own_path(line: str, expected: bool) -> None:
    """`~` and the folder that it stands for are the same."""
    found = effect_of(line, cwd="/ws", workspaces=("/ws",), home="/home/u")
    assert found.reads is expected


WINDOWS = [
    ("git status", True),
    ("GIT.EXE status", True),
    ("kubectl get pods", True),
    ("git push", False),
    ("git status & del x", False),
    ("dir /s", False),
    ("sort x /o y", False),
    ("cat x", False),
    ("echo %PATH%", False),
    ("Get-ChildItem", False),
]


@pytest.mark.parametrize("shell", ["cmd", "powershell"])
@pytest.mark.parametrize(("line", "expected"), WINDOWS)
def test_on_windows_only_plain_lines_of_shared_programs_are_known(
    line: str, expected: bool, shell: str
) -> None:
    """Everything else is unknown, whatever it says."""
    assert effect_of(line, cwd="/ws", workspaces=("/ws",), shell=shell).reads is expected
