"""Command lines that touch the guard: by the paths they name, and by the programs they run.

What a script does is not seen here; it shows afterwards, when the hashes of our files differ.
"""

from __future__ import annotations

import os
import re

from agguard.location import real, spelled
from agguard.shell.invocations import Invocation, invocations
from agguard_builtin.protection.patterns import WILD, matched
from agguard_builtin.protection.what import LAUNCHERS, holds, what

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agguard.model.session import Session

OPERATORS = frozenset("install uninstall hook trust untrust pause resume".split())
"""Commands of agguard that are the operator's."""

OPERATOR_PAIRS = {
    "config": frozenset("set unset profile".split()),
    "plugins": frozenset("trust block unblock order new".split()),
    "doctor": frozenset(("--fix", "--probe")),
}

PACKAGERS = frozenset("pip pip3 pipx uv uvx poetry conda mamba pdm rye easy_install".split())
PACKAGE = re.compile(r"agguard(?:[\[=<>!~@ ].*)?$", re.IGNORECASE)

SWEEPING = frozenset("rm rmdir mv rsync shred chmod chown chgrp ln cp install trash".split())
"""Programs that do to a folder what they do to all that is in it."""

FOLDER_OPTIONS = frozenset(
    "-C -d -P --chdir --directory --directory-prefix --output-dir --work-tree --target".split()
)
"""Options of env, git, make, patch, tar, unzip, wget, curl and their like."""

INTERPRETERS = re.compile(
    r"(?:python|pypy|node|deno|bun|perl|ruby|php|lua|tclsh|awk|gawk|mawk|sed|osascript|jq|ed|ex|vi"
    r"|vim|nvim|emacs)[0-9.]*$"
)
"""Programs whose arguments may be code, in which a path is only a part of the text."""

SHELLS = frozenset("sh bash zsh dash ash ksh fish".split())

MARKS = ("ANTIGRAVITY_", "AGGUARD_")
"""Variables by which the host marks agents, and which configure agguard."""

HOOKS = ("hooks.json", *LAUNCHERS)

TELLING = ("agguard-hook", ".gemini/config/hooks.json", ".agents/hooks.json", ".system_generated")
"""What gives away code that cannot be read."""


def touched(text: str, cwd: str, session: Session) -> tuple[str, str]:
    """Say what a command line would change of ours.

    Args:
        text: The command line.
        cwd: The folder that it runs in.
        session: Who runs it.

    Returns:
        What the line names, and what that is; two empty texts when it touches nothing.
    """
    met = invocations(
        text, cwd=spelled(cwd) or None, home=session.home or None, workspaces=session.workspaces
    )
    if met is None:
        from agguard_builtin.protection.unread import given_away

        found = given_away(text, session.protected)
        return (found, "named in a line that agguard cannot understand") if found else ("", "")
    for one in met:
        for named in (_operator(one), _mark(one), _named(one, session)):
            if named[0]:
                return named
    return _handed_on(met, session)


def _handed_on(met: Sequence[Invocation], session: Session) -> tuple[str, str]:
    """Whether a path that one command names may be what another one changes.

    `echo PATH | xargs rm`, `for f in PATH/*; do rm $f; done`, `python3 - <<E`: what changes
    something does not say what, so what stands elsewhere on the line counts.
    """
    if not any(map(_changes_unknown, met)):
        return "", ""
    for one in met:
        for word in one.arguments if one.reads else ():
            for path in _paths(word, one, session):
                if found := _what(path, session, sweeps=False):
                    return word, found
            for telling in (*TELLING, *session.protected) if one.program == "<<" else ():
                if telling in word:
                    return telling, "a file of agguard or of the host"
    return "", ""


def _changes_unknown(one: Invocation) -> bool:
    if one.reads or one.program == "=":
        return False
    takes_code = INTERPRETERS.match(os.path.basename(one.program)) or one.program in SHELLS
    return bool(takes_code) or any(word.startswith("*") for word in one.arguments)


def _operator(one: Invocation) -> tuple[str, str]:
    """Whether it runs a command that is the operator's, or the launcher."""
    program, words = os.path.basename(one.program), list(one.arguments)
    if program.startswith(("python", "pypy")) and "-m" in words:
        words = words[words.index("-m") + 1 :]
        program = words.pop(0) if words else ""
    if program in LAUNCHERS or any(os.path.basename(word) in LAUNCHERS for word in words[:1]):
        return program, "agguard's launcher, which only the host runs"
    plain = [word for word in words if not word.startswith("-") or word in ("--fix", "--probe")]
    if program == "agguard" and plain:
        pair = OPERATOR_PAIRS.get(plain[0], frozenset())
        if plain[0] in OPERATORS or any(word in pair for word in plain[1:]):
            return f"agguard {' '.join(plain[:2])}", "a command for the operator, at a terminal"
    if program in PACKAGERS and not one.reads and any(PACKAGE.match(word) for word in plain[1:]):
        return f"{program} {plain[0]} agguard", "a change of agguard itself"
    return "", ""


def _mark(one: Invocation) -> tuple[str, str]:
    """Whether it sets or hides a variable by which agents are told from the host."""
    if one.program == "=" or one.program in ("env", "export", "unset", "declare", "typeset"):
        for word in one.arguments:
            name = word.removeprefix("-u").partition("=")[0]
            if name.startswith(MARKS) and (one.program == "=" or "=" in word or _hides(one)):
                return name, "a variable of the host or of agguard"
    return "", ""


def _hides(one: Invocation) -> bool:
    return one.program == "unset" or any(word.startswith(("-u", "-i")) for word in one.arguments)


def _named(one: Invocation, session: Session) -> tuple[str, str]:
    """Whether it names a protected path in an argument that is not only read."""
    if one.reads:
        return "", ""
    program = os.path.basename(one.program)
    sweeps = program in SWEEPING or (program == "find" and _changes(one))
    for word in one.arguments:
        for path in _paths(word, one, session):
            found = _what(path, session, sweeps=sweeps) or (
                sweeps and _received(path, one, session)
            )
            if found:
                return word, found
    for folder in _folders(one.arguments):
        if any(_is_home(path, session) for path in _paths(folder, one, session)):
            return folder, "a folder of agguard or of the host"
    if INTERPRETERS.match(program):
        code = " ".join(one.arguments)
        for telling in (*TELLING, *session.protected):
            if telling in code:
                return telling, "a file of agguard or of the host"
    return "", ""


def _received(folder: str, one: Invocation, session: Session) -> str:
    """Say what a folder would get: `cp hooks.json .agents/` names it in two parts."""
    names = {os.path.basename(word.rstrip("/")) for word in one.arguments}
    wanted = names & set(HOOKS)
    return next(
        (found for name in wanted if (found := what(f"{folder}/{name}", session.protected))), ""
    )


def _folders(arguments: Sequence[str]) -> Iterator[str]:
    """Return what the options name in which, or into which, a program works."""
    for word, following in zip(arguments, (*arguments[1:], ""), strict=False):
        name, _, value = word.partition("=")
        if name in FOLDER_OPTIONS:
            yield value or following
        elif word[:2] in FOLDER_OPTIONS and word[2:]:
            yield word[2:]


def _is_home(path: str, session: Session) -> bool:
    """Whether a folder directly holds something protected, or is the place for a hooks.json.

    A workspace is not, though a project's `.agguard.toml` lies there.
    """
    return any(
        what(os.path.join(folder, "hooks.json"), session.protected)
        or any(os.path.dirname(one) == folder for one in session.protected)
        for folder in dict.fromkeys((path, real(path)))
        if folder not in session.workspaces
    )


def _changes(one: Invocation) -> bool:
    return any(word in ("-delete", "-exec", "-execdir", "-ok") for word in one.arguments)


def _paths(word: str, one: Invocation, session: Session) -> Iterator[str]:
    """Return the absolute paths that a word may mean: it, its value, what follows its letter."""
    spellings = {word, word.partition("=")[2], word[2:] if word[:1] == "-" else ""}
    for text in spellings - {""}:
        home = session.home or "~"
        path = home + text[1:] if text[:1] == "~" and text[1:2] in ("", "/") else text
        if os.path.isabs(path):
            yield os.path.normpath(path)
        elif text == word or "=" in word:
            for cwd in one.cwds or ():
                joined = os.path.normpath(os.path.join(cwd, path))
                # Prose, such as a commit message, is no path into a folder that is there.
                if " " not in path or os.path.isdir(os.path.dirname(joined)):
                    yield joined


def _what(path: str, session: Session, *, sweeps: bool) -> str:
    if set(path) & WILD:
        return matched(path, session.protected, sweeps=sweeps)
    for spelling in dict.fromkeys((path, real(path))):
        found = what(spelling, session.protected)
        if found:
            return found
        if sweeps and holds(spelling, session.protected):
            return "a folder that holds files of agguard"
    return ""
