"""No Terraform change without a saved plan, and none in production without the user.

`terraform apply` without a plan file decides at that moment what it does; with one, it does what
somebody could read before. OpenTofu's `tofu` is the same program here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from agguard import Session, ToolCall, Verdict, hookimpl
from agguard.shell.invocations import invocations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

agguard_hookspec = 1
agguard_settings = {
    "production": {
        "type": "list",
        "default": ["prod", "production"],
        "meaning": "workspaces in which every change needs the user's word",
        "stricter": "grow",
    },
}

PROGRAMS = ("terraform", "tofu")
CHANGES = ("apply", "destroy", "import", "taint", "untaint", "state", "force-unlock")
VALUED = (
    *("-var", "-var-file", "-target", "-replace", "-state", "-state-out", "-backup"),
    *("-lock-timeout", "-parallelism", "-exclude", "-config", "-provider"),
)
"""Options whose value may be the next word."""


@hookimpl(on_error="ask")
def judge_tool(call: ToolCall, session: Session) -> Verdict | None:
    """Deny an unplanned apply or destroy; ask about changes in production."""
    text = call.text("CommandLine")
    if call.name != "run_command" or not any(name in text for name in PROGRAMS):
        return None
    folder = call.text("Cwd") or None
    runs = invocations(text, cwd=folder, home=session.home or None)
    if runs is None:
        return Verdict.ask("terraform: this command line is not understood; write it plainly")
    settings = session.section("plugins").get("terraform", {})
    verdicts = [
        verdict
        for run in runs
        if os.path.basename(run.program) in PROGRAMS
        for verdict in _judge(list(run.arguments), text, folder, settings)
    ]
    return max(verdicts, key=lambda one: one.decision, default=None)


def _judge(
    arguments: list[str], text: str, folder: str | None, settings: Mapping[str, object]
) -> Iterator[Verdict]:
    folder, words = _moved(folder, arguments)
    command, rest = (words[0], words[1:]) if words else ("", [])
    if "*" in command:
        yield Verdict.ask("terraform: it cannot be told what this does; name the subcommand")
    if command == "destroy" or (command == "apply" and not _plan(rest)):
        kind = "plan -destroy" if command == "destroy" or "-destroy" in rest else "plan"
        yield Verdict.deny(
            f"terraform: {command} needs a saved plan; run `terraform {kind} -out plan.bin`, "
            "show it, then `terraform apply plan.bin`"
        )
    if command in CHANGES:
        wanted = settings.get("production")
        production = [str(one) for one in wanted] if isinstance(wanted, list | tuple) else []
        where = _workspace(text, folder)
        if where is None:
            yield Verdict.ask("terraform: the line changes the workspace; select it beforehand")
        elif where in production:
            yield Verdict.force_ask(f"terraform: {command} in the production workspace {where!r}")


def _moved(folder: str | None, arguments: list[str]) -> tuple[str | None, list[str]]:
    """Take the global options off the front; -chdir says where the command works."""
    while arguments and arguments[0].startswith("-"):
        option, _, value = arguments.pop(0).lstrip("-").partition("=")
        if option == "chdir":
            folder = os.path.join(folder or "", value) if "*" not in value else None
    return folder, arguments


def _plan(rest: list[str]) -> str:
    """Return the plan file that `apply` is given."""
    words = iter(rest)
    for word in words:
        if word.startswith("-"):
            option = "-" + word.lstrip("-")
            if option in VALUED:
                next(words, None)
        elif "*" not in word:
            return word
    return ""


def _workspace(text: str, folder: str | None) -> str | None:
    """Return the selected workspace; None when the line itself changes it or nothing is known."""
    if "TF_WORKSPACE" in text or "workspace select" in text or folder is None:
        return None
    try:
        path = os.path.join(folder, ".terraform", "environment")
        with open(path, encoding="utf-8") as file:
            return file.read(200).strip() or "default"
    except FileNotFoundError:
        return os.environ.get("TF_WORKSPACE", "default")
    except OSError:
        return None


def agguard_health(settings: Mapping[str, object]) -> Iterator[str]:
    """Say what `agguard plugins info` and the doctor should show."""
    if not settings.get("production"):
        yield "no workspace counts as production: [plugins.terraform] production is empty"
