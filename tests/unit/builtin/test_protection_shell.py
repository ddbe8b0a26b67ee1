"""Command lines and MCP tools that touch the guard, and such that do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from agguard.model.call import ToolCall
from agguard.model.effect import Effect
from agguard.model.session import Role, Session
from agguard.model.verdict import Decision
from agguard_builtin.protection.guard import judge

HOOKS = "~/.gemini/config/hooks.json"

DENIED = [
    f"echo '{{}}' > {HOOKS}",
    f"rm {HOOKS}",
    f"rm -f -- {HOOKS}",
    "cd ~/.gemini/config && rm hooks.json",
    "cd ~/.gemini; cd config; : > hooks.json",
    "(cd ~/.gemini/config; truncate -s0 hooks.json)",
    "rm ~/.gemini/conf*/hooks.json",
    "rm ~/.gemini/config/*.json",
    "rm ~/.config/agguard/*",
    "rm ~/.config/agguard/c*",
    "rm ~/.config/agguard/[c]onfig.toml",
    "rm ~/.config/agg*/config.toml",
    "rm ~/.con*/*/config.tom?",
    "cd ~/.local/state/agguard && rm *",
    "cp x ~/.local/state/agguard/ledger.d?",
    "rm ~/.gemini/antigravity/brain/x/.sys*/logs/transcript.jsonl",
    "rm ~/.gemini/antigravity/brain/*/.system_generate?/logs/*",
    "rm ~/.gemini/antigravity/brain/x/m?p/srv/tool.json",
    "cp x /w/.agent?/hooks.json",
    "cp x /w/.a*/hooks.j*",
    "rm -rf ~/.gemini",
    "rm -rf ~/.gem*",
    "mv ~/.gemini/config /tmp/x",
    "chmod -R a-x ~/.gemini/config",
    "find ~/.gemini -name hooks.json -delete",
    "X=~/.gemini; cp a $X/config/hooks.json",
    f"bash -c 'echo x > {HOOKS}'",
    f'sh -lc "rm {HOOKS}"',
    f"eval 'rm {HOOKS}'",
    f"sudo tee {HOOKS} < x",
    f"env A=1 rm {HOOKS}",
    f"nohup rm {HOOKS} &",
    f"echo {HOOKS} && rm ~/.gemini/config/agguard-hook",
    f"sed -i s/a/b/ {HOOKS}",
    f"dd of={HOOKS}",
    "cp x --target-directory=~/.gemini/config/plugins/agguard",
    "ln -sf /tmp/x ~/.gemini/config/hooks.json",
    "ln -s ~/.local/state/agguard /tmp/link && rm /tmp/link/ledger.db",
    "rm ~/.local/state/agguard/ledger.db",
    "sqlite3 ~/.local/state/agguard/ledger.db 'delete from decisions'",
    "echo x >> ~/.config/agguard/config.toml",
    "rm ~/.GEMINI/config/hooks.json",
    "python3 -c \"open('{home}/.gemini/config/hooks.json','w')\"",
    "perl -e 'unlink \"/x/.gemini/config/hooks.json\"'",
    "rm .agents/hooks.json",
    "echo {} > _agents/hooks.json",
    "rm -rf ~/.gemini/antigravity/brain/c/.system_generated/logs",
    "echo '{}' | ~/.gemini/config/agguard-hook PreToolUse",
    "sh ~/.gemini/config/agguard-hook PreToolUse < p.json",
    "env -C ~/.gemini/config rm hooks.json",
    "env --chdir={home}/.gemini/config rm hooks.json",
    "patch -d ~/.gemini/config < x",
    "tar xf x -C ~/.gemini/config",
    "unzip x -d{home}/.gemini/config",
    "wget -P ~/.gemini/config http://x/hooks.json",
    "git -C ~/.gemini/config checkout .",
    "jobs -x rm ~/.gemini/config/hooks.json",
    "rtk test rm ~/.gemini/config/hooks.json",
    "agguard hook PreToolUse < p.json",
    "python3 -m agguard hook Stop",
    "agguard uninstall",
    "/usr/bin/agguard uninstall --dry-run",
    "agguard config set delegation.mode off",
    "agguard plugins block builtin",
    "agguard pause 30m",
    "rtk agguard uninstall",
    "pip uninstall -y agguard",
    "python3 -m pip install agguard==0.0.1",
    "uv pip uninstall agguard",
    "pipx uninstall agguard",
    "uvx --from agguard agguard pause 1h",
    "AGGUARD_HOOKS_OBSERVE=true agy -p x",
    "env -u ANTIGRAVITY_AGENT agy -p x",
    "unset ANTIGRAVITY_AGENT; agy",
    "export AGGUARD_STATE_DIR=/tmp",
    "ANTIGRAVITY_AGENT= ./run",
    "cat <<'E > ~/.gemini/config/hooks.json",
    # What one command names and another one changes.
    "rm ~/.config/agguard/*.toml",
    "for f in ~/.config/agguard/*; do rm $f; done",
    "for f in config.toml; do rm ~/.config/agguard/$f; done",
    "ls ~/.config/agguard/* | xargs rm",
    "echo ~/.config/agguard | xargs rm -rf",
    'while read -r f; do rm "$f"; done <<< ~/.config/agguard/config.toml',
    "a=(~/.config/agguard); rm -rf ${a[0]}",
    "printf x > $(echo .agents/hooks.json)",
    "printf x > .agents/hook?.json",
    "cp hooks.json .agents/",
    "mv x/hooks.json .agents",
    "cp agguard-hook ~/.gemini/config/",
    "python3 - <<E\nopen('{home}/.gemini/config/hooks.json', 'w')\nE",
    "sh <<E\nrm ~/.gemini/config/hooks.json\nE",
    'cat() { rm "$@"; }; cat ~/.config/agguard/config.toml',
]

LEFT_ALONE = [
    f"cat {HOOKS}",
    f"grep -n agguard {HOOKS}",
    "ls -la ~/.gemini/config",
    "agguard status",
    "agguard explain 'rm -rf /'",
    "agguard config get delegation.mode",
    "agguard doctor",
    "agguard ledger show",
    "agguard rules lint",
    "pip install requests",
    "pip install agguard-terraform",
    "pip show agguard",
    "git commit -m 'fix hooks.json handling in agguard'",
    "git commit -am 'rm ~/.gemini/config/hooks.json'",
    "echo 'agguard uninstall'",
    "rm hooks.json",
    "rm -f build/*/*/*",
    "rm *",
    "rm ~/.config/other/*",
    "rm ~/.config/agguard-notes/*",
    "cp docs/*.json out/",
    "rm -rf node_modules/.cache/*",
    "eslint --fix src/*/*/*/*/*/*/*.ts",
    "rm -rf build",
    "python3 -c 'print(1)'",
    "npm test",
    "cp a.json b.json",
    "make agguard-hook.o",
    "export FOO=1; ./run",
    "echo $ANTIGRAVITY_AGENT",
    "env | grep ANTIGRAVITY",
    "cat <<'E'",
    "wc -l ~/.config/agguard/*",
    "cat ~/.config/agguard/config.toml; rm build/*.o",
    "for f in *.o; do rm $f; done",
    "ls | xargs rm",
    "cp hooks.json backup/",
    "cp a.json .agents/",
    "python3 - <<E\nprint('hooks.json')\nE",
    "grep -c x ~/.gemini/config/hooks.json | tee count",
]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    home = tmp_path / "home"
    for folder in (".gemini/config/plugins/agguard", ".local/state/agguard", ".config/agguard"):
        (home / folder).mkdir(parents=True)
    (tmp_path / "work" / ".agents").mkdir(parents=True)
    names = (
        *(".gemini/config/hooks.json", ".gemini/config/agguard-hook"),
        *(".gemini/config/plugins/agguard", ".local/state/agguard", ".config/agguard"),
    )
    return Session(
        "c",
        Role.WORKER,
        workspaces=(str(tmp_path / "work"),),
        home=str(home),
        protected=tuple(str(home / name) for name in names),
    )


def decide(command: str, session: Session) -> Decision:
    text = command.replace("{home}", session.home)
    call = ToolCall("run_command", {"CommandLine": text, "Cwd": session.workspaces[0]})
    verdict = judge(call, Effect.EXECUTE, session)
    return verdict.decision if verdict else Decision.ABSTAIN


@pytest.mark.parametrize("command", DENIED)
def test_a_command_that_touches_the_guard_is_denied(command: str, session: Session) -> None:
    """By path, through `cd`, variables, patterns, wrappers and code; and by program."""
    assert decide(command, session) == Decision.DENY


@pytest.mark.parametrize("command", LEFT_ALONE)
def test_a_command_that_reads_or_only_speaks_of_it_is_left_alone(
    command: str, session: Session
) -> None:
    """Reading is fine, and so are other files of the same name."""
    assert decide(command, session) == Decision.ABSTAIN


UNREADABLE = {
    "a control character": "echo \a; ",
    "many words": "echo a; " * 3000,
    "sheer length": f": {'a' * 300_000}; ",
    "deep nesting": f"echo {'$(echo ' * 60}{')' * 60}; ",
}
"""What makes a line unreadable, and bash runs it."""


@pytest.mark.parametrize("padding", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("agguard uninstall", Decision.DENY),
        ("ag''guard pause 30m", Decision.DENY),
        ("python3 -m agguard plugins block x", Decision.DENY),
        ("pip uninstall -y agguard", Decision.DENY),
        ("cd ~/.gemini && cd config && rm hooks.json", Decision.DENY),
        ("rm -r ~/.config/agg\\uard", Decision.DENY),
        ("rm '{home}'/.local/state/agguard/ledger.db", Decision.DENY),
        ("rm ~/.GEMINI/x", Decision.DENY),
        ("unset ANTIGRAVITY_AGENT; make", Decision.DENY),
        ("make", Decision.ABSTAIN),
        ("cat agguard-notes.md safeagguard agguards", Decision.ABSTAIN),
    ],
)
def test_a_line_that_cannot_be_read_is_judged_by_its_text(
    command: str, decision: Decision, padding: str, session: Session
) -> None:
    """Padding hides nothing that names the guard, and condemns nothing else."""
    assert decide(padding + command, session) == decision


def test_a_link_is_followed(session: Session) -> None:
    """Another name of a protected folder is that folder."""
    link = Path(session.workspaces[0]) / "innocent"
    link.symlink_to(Path(session.home) / ".gemini" / "config")
    assert decide("rm innocent/hooks.json", session) == Decision.DENY
    assert decide("cat innocent/hooks.json", session) == Decision.ABSTAIN


@pytest.mark.parametrize("spelling", ["{0}", "file://{0}", "{0}/../hooks.json"])
def test_an_mcp_file_server_is_no_way_around(session: Session, spelling: str) -> None:
    """Paths in the arguments of a tool that writes, or that nobody knows, count."""
    target = spelling.format(f"{session.home}/.gemini/config/hooks.json")
    args = {"ServerName": "fs", "ToolName": "write", "Arguments": {"files": [{"path": target}]}}
    call = ToolCall("call_mcp_tool", args)
    for effect, expected in (
        (Effect.WRITE, Decision.DENY),
        (Effect.UNKNOWN, Decision.DENY),
        (Effect.READ, None),
    ):
        verdict = judge(call, effect, session)
        assert (verdict and verdict.decision) == expected


def test_it_can_be_switched_off(session: Session) -> None:
    """`[protection] mode = "off"`, by the operator."""
    off = session.replace(settings={"protection": {"mode": "off"}})
    assert decide(f"rm {HOOKS}", off) == Decision.ABSTAIN
