"""`agguard trust`: let a project's file set what has no stricter direction."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agguard.cli import moments, operator, output, settings

if TYPE_CHECKING:
    from agguard.config.load import Loaded
    from agguard.config.source import Source
    from agguard.config.trust import Pin, Trust


def add(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(trust)


def trust(
    folder: Annotated[str, typer.Argument(help="The project's folder.")] = ".",
    show: Annotated[bool, typer.Option("--list", help="List what is trusted.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Take the trust back.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what trusting would allow, only.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print data instead of text.")] = False,
) -> None:
    """Trust a project's configuration file, exactly as it is now.

    Every project's file can make agguard stricter. A trusted one may also set what has no
    stricter direction, such as `rtk.mode`; it can never loosen anything. One changed byte, and
    it is no longer trusted.

    Example: agguard trust .
    """
    from agguard.config.trust import load

    known = load(settings.paths().state)
    if known.problem:
        output.note(known.problem, "bold yellow")
    if show:
        _list(known, as_json=as_json)
    elif revoke:
        _revoke(known, folder, as_json=as_json)
    else:
        _trust(known, folder, dry_run=dry_run, as_json=as_json)


def _trust(known: Trust, folder: str, *, dry_run: bool, as_json: bool) -> None:
    from agguard.config.trust import save
    from agguard.install.user import accept

    if not dry_run:
        operator.require("trusting a project")
    sources = _sources(folder)
    before, after = _loaded(sources, trusted=False), _loaded(sources, trusted=True)
    _refuse_broken(after, sources)
    allowed = {
        key: _value(after, key) for key in after.origin if _value(after, key) != _value(before, key)
    }
    if not dry_run:
        for source in sources:
            known = known.pinned(source.path, source.data or b"", time.time())
        save(known)
        accept(settings.paths())
    if as_json:
        output.data({"files": [one.path for one in sources], "allows": allowed, "dry_run": dry_run})
    else:
        _report(sources, allowed, dry_run=dry_run)


def _sources(folder: str) -> list[Source]:
    """Read the files of a project that are about agguard; none ends the command."""
    from agguard.config.document import parse
    from agguard.config.project import PYPROJECT, files
    from agguard.config.source import read

    found = []
    for path in files(os.path.abspath(folder)):
        source = read(path)
        if source.problem:
            output.fail(source.problem.text)
        if source.data is None:
            continue
        tool = parse(source.data, path).table.get("tool", {})
        if os.path.basename(path) != PYPROJECT or "agguard" in tool:
            found.append(source)
    if not found:
        wanted = " or ".join(files(os.path.abspath(folder)))
        output.fail(f"there is nothing to trust: no [tool.agguard] or file {wanted}", 1)
    return found


def _loaded(sources: list[Source], *, trusted: bool) -> Loaded:
    from agguard.config.load import load

    return load(
        settings.paths().config_file,
        schema=settings.schema(),
        projects=tuple(source.path for source in sources),
        trusted=lambda *_: trusted,
    )


def _refuse_broken(loaded: Loaded, sources: list[Source]) -> None:
    ours = {source.path for source in sources}
    grave = [one.text for one in loaded.problems if one.grave and one.file in ours]
    if grave:
        output.fail("mend this first; nothing was trusted:\n" + "\n".join(grave))


def _value(loaded: Loaded, key: str) -> Any:  # noqa: ANN401 - a setting's value
    from agguard.config.keys import split
    from agguard.config.lookup import lookup

    return lookup(loaded.settings, split(key))


def _report(sources: list[Source], allowed: dict[str, Any], *, dry_run: bool) -> None:
    from agguard.config.literal import literal

    done = "would be trusted" if dry_run else "trusted"
    for source in sources:
        output.note(f"{done}, as it is now: {source.path}", "green")
    for key, value in allowed.items():
        output.note(f"  it sets {key} = {literal(value)}", "none")
    if not allowed:
        output.note("  it sets nothing that it could not set without", "none")
    if not dry_run:
        output.note("a changed byte ends the trust; `agguard trust --revoke` does, too", "none")


def _revoke(known: Trust, folder: str, *, as_json: bool) -> None:
    from agguard.config.project import files
    from agguard.config.trust import save
    from agguard.install.user import accept

    path = os.path.abspath(folder)
    gone = [pin.path for one in (path, *files(path)) if (pin := known.find(one))]
    for one in gone:
        known = known.without(one)
    if gone:
        save(known)
        accept(settings.paths())
    if as_json:
        output.data({"revoked": gone})
    elif gone:
        output.note(f"no longer trusted: {', '.join(gone)}", "green")
    else:
        output.note("nothing there was trusted; `agguard trust --list` shows what is", "none")


def _list(known: Trust, *, as_json: bool) -> None:
    rows = [{**pin.asdict(), "state": state_of(pin)} for pin in known.pins]
    if as_json:
        output.data(rows)
    elif not rows:
        output.note("no project's file is trusted; `agguard trust FOLDER` trusts one", "none")
    else:
        table = output.table("state", "trusted since", "file")
        for row in rows:
            table.add_row(row["state"], moments.shown(row["at"]), output.plain(row["path"]))
        output.say(table)


def state_of(pin: Pin) -> str:
    """Say how a trusted file stands: `trusted`, `changed` or `gone`."""
    from agguard.config.source import read
    from agguard.config.trust import Trust

    data = read(pin.path).data
    if data is None:
        return "gone"
    return "trusted" if Trust("", (pin,)).trusts(pin.path, data) else "changed"
