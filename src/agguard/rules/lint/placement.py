"""Files that look like rules and stand where nothing reads them (1, 2)."""

from __future__ import annotations

from agguard.rules import port
from agguard.rules.discovery import CONFIG_FOLDERS
from agguard.rules.frontmatter import split
from agguard.rules.lint.finding import Finding, finding
from agguard.rules.lint.subject import Subject, about
from agguard.rules.path import leaf, parent, under, upward
from agguard.rules.text import lossless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.rules.session import Session

FOREIGN_NAMES = ("CLAUDE.md", ".cursorrules", ".windsurfrules", "copilot-instructions.md")
FOREIGN_ROOTS = (".hg", ".svn", ".jj", ".sl")
EXTENSIONS = (".mdc", ".markdown", ".txt", ".mdx")


def check(subject: Subject) -> Iterator[Finding]:
    """Yield the findings about places."""
    for rule in subject.met:
        if rule.reason in (port.FOLDER, port.SPECIAL, port.DANGLING, port.CLOSED, "unreadable"):
            yield about(rule, "not-regular", _irregular(rule.reason, rule.detail))
    seen: set[str] = set()
    for session in subject.rendered.sessions:
        yield from _root(session, subject)
        for folder in session.chain:
            if folder not in seen and subject.in_focus(folder):
                seen.add(folder)
                yield from _folder(folder, subject)
    if subject.in_focus(subject.rendered.home):
        yield from _home(subject)


def _irregular(reason: str, detail: str) -> str:
    if reason == port.SPECIAL:
        return "a FIFO, a socket or a device: the host waits for it for ever"
    if reason == port.DANGLING:
        return "the link leads nowhere or in a circle, and is passed over"
    if reason == port.FOLDER:
        return "a folder of this name is passed over"
    return f"it cannot be read: {detail}" if detail else "it may not be looked at"


def _root(session: Session, subject: Subject) -> Iterator[Finding]:
    read = subject.read
    if not session.marker:
        yield from _no_root(session, subject)
    elif leaf(session.marker) == ".repo":
        for folder in session.chain[:-1]:
            if read.kind(under(folder, ".git")) != port.MISSING:
                message = f"{session.marker!r} makes the root, not this folder"
                yield finding(under(folder, ".git"), 1, "repo-marker", message)


def _no_root(session: Session, subject: Subject) -> Iterator[Finding]:
    """Say that a marker is missing where something above the session seems to count on it."""
    read = subject.read
    for folder in upward(session.folder):
        foreign = [name for name in FOREIGN_ROOTS if read.kind(under(folder, name)) != port.MISSING]
        if read.kind(under(folder, ".git")) == port.FOLDER:
            foreign.append(".git without HEAD")
        if foreign:
            message = f"{foreign[0]} makes no root; only the session's own folder is read"
            yield finding(under(folder, foreign[0].split()[0]), 1, "no-root", message)
            return
    for folder in upward(session.folder)[1:]:
        for name in subject.rendered.product.filenames:
            if read.kind(under(folder, name)) == port.FILE:
                message = "no .git or .repo is above it, so sessions below do not read it"
                yield finding(under(folder, name), 1, "no-root", message)
                return


def _folder(folder: str, subject: Subject) -> Iterator[Finding]:
    names = subject.read.names(folder)
    yield from _names(folder, names, subject)
    yield from _foreign(folder, names, subject)
    for name in subject.rendered.product.filenames:
        stray = f"{under(folder, '.gemini')}/{name}"
        if ".gemini" in names and folder != subject.rendered.home:
            yield from _unread(stray, f"move it to {under(folder, name)!r}", subject)
    if "rules" in names and leaf(folder) not in CONFIG_FOLDERS:
        yield from _triggered(under(folder, "rules"), subject)
    for config in CONFIG_FOLDERS:
        if config in names:
            yield from _config(under(folder, config), subject)


def _config(config: str, subject: Subject) -> Iterator[Finding]:
    names = subject.read.names(config)
    yield from _names(config, names, subject)
    yield from _rules(f"{config}/rules", subject)
    yield from _loose(config, names, subject)


def _names(folder: str, names: tuple[str, ...], subject: Subject) -> Iterator[Finding]:
    known = {name.lower(): name for name in subject.rendered.product.filenames}
    for name in names:
        right = known.get(name.lower(), name)
        if right != name:
            message = f"rename it to {right!r}"
            yield finding(under(folder, name), 1, "wrong-case", message)


def _foreign(folder: str, names: tuple[str, ...], subject: Subject) -> Iterator[Finding]:
    own = subject.rendered.product.filenames
    if not own or not set(own).isdisjoint(names):
        return
    for name in names:
        if name in FOREIGN_NAMES:
            message = f"the host does not read it; link {own[-1]!r} to it, or include it there"
            yield finding(under(folder, name), 1, "unread-name", message)


def _rules(rules: str, subject: Subject) -> Iterator[Finding]:
    read = subject.read
    for name in read.names(rules):
        path = f"{rules}/{name}"
        if name.endswith(".md"):
            continue
        kind = read.kind(path)
        if kind == port.FILE and name.lower().endswith((".md", *EXTENSIONS)):
            stem = name.rpartition(".")[0]
            yield finding(path, 1, "wrong-extension", f"rename it to {stem + '.md'!r}")
        elif kind == port.FOLDER:
            yield from _nested(path, subject)


def _nested(folder: str, subject: Subject) -> Iterator[Finding]:
    for name in subject.read.names(folder):
        if name.lower().endswith(".md"):
            yield finding(f"{folder}/{name}", 1, "nested-rule", f"move it to {parent(folder)!r}")


def _loose(config: str, names: tuple[str, ...], subject: Subject) -> Iterator[Finding]:
    """Find rules that stand beside the rules folder instead of in it."""
    met = subject.paths
    for name in names:
        path = f"{config}/{name}"
        if name.endswith(".md") and path not in met and _has_trigger(path, subject):
            yield finding(path, 1, "unread-place", f"move it to {config + '/rules'!r}")


def _triggered(folder: str, subject: Subject) -> Iterator[Finding]:
    met = subject.paths
    for name in subject.read.names(folder):
        path = f"{folder}/{name}"
        if name.endswith(".md") and path not in met and _has_trigger(path, subject):
            message = f"move it to {under(parent(folder), '.agents/rules')!r}"
            yield finding(path, 1, "unread-place", message)


def _has_trigger(path: str, subject: Subject) -> bool:
    if subject.read.kind(path) != port.FILE:
        return False
    try:
        head = split(lossless(subject.read.data(path))).head
    except OSError:
        return False
    return head is not None and "trigger" in head


def _unread(path: str, message: str, subject: Subject) -> Iterator[Finding]:
    if subject.read.kind(path) == port.FILE:
        yield finding(path, 1, "unread-place", message)


def _home(subject: Subject) -> Iterator[Finding]:
    own = f"{subject.rendered.home}/.gemini"
    for folder in (own, f"{own}/config"):
        yield from _names(folder, subject.read.names(folder), subject)
    yield from _rules(f"{own}/config/rules", subject)
    for name in subject.read.names(f"{own}/rules"):
        if name.endswith(".md"):
            message = f"move it to {own + '/config/rules'!r}"
            yield from _unread(f"{own}/rules/{name}", message, subject)
    for app in ("antigravity", "antigravity-cli", "antigravity-ide"):
        for name in subject.rendered.product.filenames:
            yield from _unread(f"{own}/{app}/{name}", f"move it to {own!r}", subject)
