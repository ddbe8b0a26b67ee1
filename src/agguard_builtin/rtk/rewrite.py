"""Puts `rtk ` before command words. Pure, and the only change that is ever made to a line.

A command is touched only if it stands alone on the line's top level, its output goes to the agent
and nothing is fed into it: what another program reads must stay as it is (rtk reference, sections
0 and 1.5). A line that is not understood, or that runs anything inside its words, stays whole.
"""

from __future__ import annotations

from agguard.shell import syntax
from agguard.shell.parser import parse
from agguard_builtin.rtk.table import OLDEST, TABLE, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agguard.shell.syntax import Command, Compound, Redirect, Script

PREFIX = "rtk "
LONGEST = 65_536
"""Characters of a line; longer ones stay as they are."""

ELSEWHERE = ~syntax.BACKGROUND
"""Contexts in which a command's output does not simply go to the agent."""


def rewrite(
    text: str,
    *,
    version: tuple[int, ...],
    extra: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    missing: Callable[[str], bool] | None = None,
) -> str | None:
    """Return the line with rtk put before what gains from it; None when nothing does.

    Args:
        text: A command line for bash.
        version: Of the rtk that will run.
        extra: Commands to put rtk before besides those of the table, as their first words.
        exclude: Commands to leave as they are, likewise.
        missing: Tells whether a program is not there; all are taken to be there without.
    """
    if len(text) > LONGEST or version < OLDEST:
        return None
    script = parse(text)
    if isinstance(script, syntax.Unparsed):
        return None
    # What is in no list is left first: most lines hold nothing that rtk is for.
    found = [
        node
        for node in script.nodes
        if isinstance(node, syntax.Command)
        and node.words
        and (node.words[0].text in TABLE or extra)
        and _is_plain(node, text)
        and _is_wanted([word.text for word in node.words], version, extra, exclude)
    ]
    if not found or _runs_inside(script) or any(map(_is_unknown, script.nodes)):
        return None
    shadowed = set(_defined(script)) if len(script.nodes) > 1 else set()
    places = [
        node.words[0].start
        for node in found
        if node.words[0].text not in shadowed and not _is_replaced(node, missing)
    ]
    for place in reversed(places):
        text = text[:place] + PREFIX + text[place:]
    return text if places else None


def _is_plain(command: Command, text: str) -> bool:
    """Whether a command's output goes to the agent, and its name is written out plainly."""
    if command.prefix or command.context & ELSEWHERE:
        return False
    if command.redirects and not all(_is_harmless(one) for one in command.redirects):
        return False
    if any(assignment.name == "RTK_DISABLED" for assignment in command.assignments):
        return False
    name = command.words[0]
    return bool(name.text) and text[name.start : name.end] == name.text


def _is_unknown(node: Command | Compound) -> bool:
    """Whether only running tells what a command is; PowerShell's `$env:A = 1` looks like that."""
    return isinstance(node, syntax.Command) and bool(node.words) and node.words[0].text is None


def _is_replaced(command: Command, missing: Callable[[str], bool] | None) -> bool:
    """Whether rtk would run something else for a program that is not there."""
    name = command.words[0].text or ""
    entry = TABLE.get(name)
    return missing is not None and entry is not None and entry.replaced and missing(name)


def _is_harmless(redirect: Redirect) -> bool:
    """Whether a redirection only says where errors go."""
    target = redirect.target.text
    return redirect.fd == "2" and (redirect.operator, target) in {(">&", "1"), (">", "/dev/null")}


def _is_wanted(
    words: Sequence[str | None],
    version: tuple[int, ...],
    extra: tuple[str, ...],
    exclude: tuple[str, ...],
) -> bool:
    if any(_begins(words, one) for one in exclude):
        return False
    if any(_begins(words, one) for one in extra):
        return True
    entry = TABLE.get(words[0] or "")
    return entry is not None and version >= entry.since and _is_listed(words, entry)


def _is_listed(words: Sequence[str | None], entry: Entry) -> bool:
    """Whether the table wants this command with these subcommands and options."""
    rest = _after_globals(words[1:], entry)
    if rest is None:
        return False
    if not entry.subcommands:
        return _fits(rest, entry)
    found = _subcommand(rest, entry)
    if not found or not _fits(rest, entry):
        return False
    more = TABLE.get(f"{words[0]} {found}")
    return more is None or _fits(rest[1 + found.count(" ") :], more)


def _subcommand(words: Sequence[str | None], entry: Entry) -> str:
    """Return the subcommand of one or two words that the table has; nothing for another."""
    first, second = (*words[:2], None, None)[:2]
    if first is None or first in entry.subcommands:
        return first or ""
    both = f"{first} {second}"
    return both if both in entry.subcommands else ""


def _after_globals(words: Sequence[str | None], entry: Entry) -> Sequence[str | None] | None:
    """Skip the options before the subcommand; None when one of them is not known."""
    if not entry.subcommands:
        return words
    place = 0
    while place < len(words):
        word = words[place]
        if word is None or not word.startswith("-"):
            break
        if word in entry.valued:
            place += 2
        elif word in entry.flags or word.partition("=")[0] in entry.valued:
            place += 1
        else:
            return None
    return words[place:]


def _fits(words: Sequence[str | None], entry: Entry) -> bool:
    """Whether no forbidden option is there, and a needed one is."""
    options = [word for word in _options(words) if word is not None]
    for word in options:
        for one in entry.never:
            if _is_option(word, one):
                return False
    if entry.words or entry.named:
        plain = [word for word in words if word is None or word[:1] != "-"]
        if entry.words and plain and plain[0] not in entry.words:
            return False
        if _names_the_folder(options, plain, entry):
            return False
    needed = entry.needs
    return not needed or any(_is_option(word, one) for word in options for one in needed)


def _names_the_folder(options: Sequence[str], plain: Sequence[str | None], entry: Entry) -> bool:
    """Whether a command asks about the folder it runs in, where rtk shows nothing."""
    if not any(_is_option(word, one) for word in options for one in entry.named):
        return False
    return not plain or any((word or "").rstrip("/") in (".", "..") for word in plain)


def _options(words: Sequence[str | None]) -> Iterator[str | None]:
    for word in words:
        if word == "--":
            return
        if word == "-":  # it reads what is fed into it
            yield "--stdin"
        elif word is None or word.startswith("-"):
            yield word


def _is_option(word: str, option: str) -> bool:
    """Whether a word is this option: alone, with its value, or in a cluster of short ones."""
    if option.startswith("--"):
        name = word.partition("=")[0]  # programs take `--outp` for `--output`
        return len(name) > len("--x") and option.startswith(name)
    if len(option) != len("-x"):
        return word == option or word.startswith(f"{option}=")
    return not word.startswith("--") and option[1] in word[1:]


def _begins(words: Sequence[str | None], beginning: str) -> bool:
    wanted = beginning.split()
    return bool(wanted) and list(words[: len(wanted)]) == wanted


def _runs_inside(script: Script) -> bool:
    """Whether anything runs inside a word, or a document is fed in, anywhere on the line."""
    running = syntax.SUBSTITUTION | syntax.PROCESS
    for node in script.nodes:
        words = list(node.words)
        for redirect in node.redirects:
            if redirect.body is not None:
                return True
            words.append(redirect.target)
        if isinstance(node, syntax.Compound):
            if any(map(_runs_inside, node.clauses)):
                return True
        else:
            for assignment in node.assignments:
                words += [assignment.value, *(assignment.elements or ())]
        for word in words:
            if word.marks & running:
                return True
    return False


def _defined(script: Script) -> Iterator[str]:
    """Name the functions and aliases that the line itself defines."""
    for node in script.nodes:
        if isinstance(node, syntax.Compound):
            if node.kind == "function":
                yield node.name
            for clause in node.clauses:
                yield from _defined(clause)
        elif node.words and node.words[0].text in ("alias", "unalias", "eval", "source", "."):
            yield from ((word.text or "").partition("=")[0] for word in node.words[1:])
