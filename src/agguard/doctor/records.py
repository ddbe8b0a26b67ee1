"""Whether what agguard keeps is sound: ledger, manifest, sums, trust, rights of its folders."""

from __future__ import annotations

import os
import sqlite3
import stat
import time
from typing import TYPE_CHECKING

from agguard.doctor.finding import BAD, GOOD, WARNING, Finding
from agguard.errors import LedgerError
from agguard.pipeline.books import NAME
from agguard.pipeline.seen import DOCTOR
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.paths import Paths

LARGE = 500_000_000
"""Bytes of a ledger that are worth a word; retention caps it at a gigabyte."""


def ledger(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Whether the ledger can be written, by writing, and whether it is whole."""
    from agguard.ledger.store import Ledger

    path = os.path.join(paths.state, NAME)
    if not os.path.exists(path):
        yield Finding("ledger", GOOD, f"no ledger yet; the first hook makes {path}")
        return
    try:
        store = Ledger.open(path, wait=2.0, now=time.time())
        try:
            store.touch(DOCTOR, time.time())
        finally:
            store.close()
    except LedgerError as error:
        damaged = "malformed" in str(error) or "not a database" in str(error)
        step = "`agguard doctor --fix` moves it away; a new one is begun" if damaged else ""
        yield Finding("ledger", BAD, str(error), step, "ledger" if damaged else "")
        return
    yield from _integrity(path)


def _integrity(path: str) -> Iterator[Finding]:
    from agguard.ledger.connection import uri

    try:
        link = sqlite3.connect(uri(path), uri=True)
        try:
            (result,) = link.execute("PRAGMA integrity_check").fetchone()
            others = "SELECT count(*) FROM decisions WHERE conversation <> ?"
            (count,) = link.execute(others, (DOCTOR,)).fetchone()
        finally:
            link.close()
    except sqlite3.Error as error:
        yield Finding("ledger", BAD, f"{path} cannot be read: {error}", "", "ledger")
        return
    if result != "ok":
        step = "`agguard doctor --fix` moves it away; a new one is begun"
        yield Finding("ledger", BAD, f"{path} is damaged: {result}", step, "ledger")
        return
    size = os.path.getsize(path)
    text = f"{path} can be written and is whole ({size / 1e6:.1f} MB, {counted(count, 'decision')})"
    if size > LARGE:
        step = "lower ledger.keep_decisions"
        yield Finding("ledger", WARNING, f"{text}: it is large", step)
    else:
        yield Finding("ledger", GOOD, text)


def manifest(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Whether hooks work with what a fresh scan finds."""
    from agguard.plugins import manifest as manifests
    from agguard.plugins.build import compiled

    path = os.path.join(paths.state, manifests.NAME)
    if not os.path.exists(path):
        return
    kept = manifests.load(paths.state)
    if kept is None:
        text = f"{path} cannot be used: every hook builds it anew"
        yield Finding("manifest", BAD, text, "run `agguard doctor --fix`", "manifest")
        return
    fresh = compiled(paths)
    differs = [
        name
        for name, was, now in (
            ("guards", kept.rows, fresh.rows),
            ("settings", kept.settings, fresh.settings),
            ("paths", kept.paths, fresh.paths),
        )
        if was != now
    ]
    if differs and kept.is_fresh:
        text = f"{path} counts as fresh and differs from a fresh scan in: {', '.join(differs)}"
        yield Finding("manifest", WARNING, text, "run `agguard doctor --fix`", "manifest")
    elif differs:
        text = "something was installed or changed since the last hook; the next one takes it over"
        yield Finding("manifest", GOOD, text, mend="manifest")
    else:
        yield Finding("manifest", GOOD, f"the manifest is what a fresh scan gives ({path})")


def sums(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Whether the guard's own files are as the operator's last command left them."""
    from agguard import checksum
    from agguard.install.examination import examine
    from agguard.install.place import of_user
    from agguard.install.store import Store
    from agguard.ledger.reader import Reader

    path = os.path.join(paths.state, NAME)
    if not os.path.exists(path):
        return
    try:
        with Reader.open(path) as reader:
            known = reader.hashes()
    except LedgerError:
        return  # said by the check of the ledger
    said = examine(of_user(paths), Store(paths.state)).changed  # by the check of the registration
    for file, was in known.items():
        if file not in said and checksum.of_file(file) != was:
            text = f"{file} was changed outside agguard"
            step = "look at it; if it was you, `agguard install` or `doctor --fix` accepts it"
            yield Finding("changed", WARNING, text, step, "accept")


def trust(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Whether the trusted project files are what was trusted."""
    from agguard.config import trust as trusted
    from agguard.config.source import read

    known = trusted.load(paths.state)
    if known.problem:
        yield Finding("trust", WARNING, known.problem, "run `agguard trust` in each project again")
    for pin in known.pins:
        data = read(pin.path).data
        if data is None:
            text, step = f"{pin.path} was trusted and is gone", "`agguard trust FOLDER --revoke`"
            yield Finding("trust", WARNING, text, step)
        elif not known.trusts(pin.path, data):
            text = f"{pin.path} changed since it was trusted: it only tightens now"
            yield Finding("trust", WARNING, text, "look at it, then `agguard trust FOLDER`")


def pause(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Whether anything is enforced at all."""
    from agguard.pipeline.pause import current

    found = current(paths.state, time.time())
    if found:
        yield Finding("pause", WARNING, found.text)


def rights(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Whether others can read or write what is the user's."""
    if os.name != "posix":
        return
    for path in (paths.config, paths.state, os.path.join(paths.state, NAME)):
        try:
            found = os.stat(path)
        except OSError:
            continue
        if found.st_uid != os.getuid():
            text = f"{path} belongs to another user: hooks cannot trust it"
            yield Finding("rights", BAD, text, f"chown it to yourself: {path}")
        elif stat.S_IMODE(found.st_mode) & 0o022:
            text = f"others can write to {path}"
            yield Finding("rights", BAD, text, "run `agguard doctor --fix`", "rights")
        if not os.access(path, os.W_OK):
            yield Finding("rights", WARNING, f"{path} cannot be written: nothing is recorded")
