"""Whether the parts work: configuration, plugins, rtk, the project's rules."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from agguard.doctor.finding import BAD, GOOD, WARNING, Finding
from agguard.doctor.quirks import parsed
from agguard.plugins.discovery import DEFAULT as SHIPPED
from agguard.quantity import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agguard.config.load import Loaded
    from agguard.paths import Paths
    from agguard.plugins.registry import Plugin

STATES = {"active": GOOD, "blocked": GOOD, "untrusted": WARNING, "refused": BAD}

OLDEST_RTK = (0, 28)
"""The first rtk that the shipped guard puts commands through."""

RECENT = 86_400.0
"""Seconds in which faults count."""

LOOKED_AT = 5000
"""Decisions that are looked through for faults, at the most."""


def configuration(paths: Paths, folder: str) -> Iterator[Finding]:
    """Whether the configuration is sound, which layers count here, and which profile is on."""
    loaded = _loaded(paths, folder)
    for problem in loaded.problems:
        level = BAD if problem.grave else WARNING
        yield Finding("configuration", level, problem.text, "see `agguard config validate`")
    files = [source.path for source in loaded.sources if source.data is not None]
    layers = sorted({one.layer for one in loaded.origin.values()})
    text = f"the profile {loaded.settings['profile']!r} is on; layers here: {', '.join(layers)}"
    if loaded.settings["hooks"]["observe"]:
        step = "`agguard config unset hooks.observe` or another profile enforces"
        yield Finding("configuration", WARNING, f"{text}; nothing is enforced", step)
    elif loaded.settings["delegation"]["observe"]:
        step = "`agguard config unset delegation.observe` enforces it"
        yield Finding("configuration", WARNING, f"{text}; delegation is only observed", step)
    elif loaded.sound:
        yield Finding("configuration", GOOD, f"{text} ({', '.join(files) or 'no file'})")


def launcher(paths: Paths, folder: str) -> Iterator[Finding]:
    """Whether the launcher answers what the configuration says when agguard is gone."""
    from agguard.config.load import DEFAULT
    from agguard.install.examination import examine
    from agguard.install.place import of_user
    from agguard.install.store import Store

    loaded = _loaded(paths, folder)
    wanted = loaded.settings["hooks"]["if_missing"]
    if loaded.origin["hooks.if_missing"].layer == DEFAULT:
        return
    found = examine(of_user(paths), Store(paths.state))
    for one in found.launchers if found.installed else ():
        if one.launcher and one.launcher.if_missing != wanted:
            text = f"hooks.if_missing is {wanted!r}; the launcher says {one.launcher.if_missing!r}"
            yield Finding("launcher", WARNING, text, "run `agguard install`", "install")


def _loaded(paths: Paths, folder: str) -> Loaded:
    from agguard.config import trust
    from agguard.config.load import load
    from agguard.config.project import files
    from agguard.plugins.build import configuration as configured
    from agguard.plugins.build import plugins as registered
    from agguard.plugins.build import schema_of

    user = configured(paths, None)
    return load(
        paths.config_file,
        schema=schema_of(registered(user), user),
        projects=files(folder),
        trusted=trust.load(paths.state).trusts,
        environ=os.environ,
    )


def plugins(paths: Paths, _folder: str) -> Iterator[Finding]:
    """Which plugins run, which do not and why; what each says of itself, and its faults."""
    from agguard.plugins.build import configuration as configured
    from agguard.plugins.build import plugins as registered
    from agguard.plugins.registry import diagnosed

    loaded = configured(paths, None)
    faults = _faults(paths)
    for plugin in registered(loaded).plugins:
        name = plugin.found.name
        unguarded = name == SHIPPED and plugin.state == "blocked"
        state = BAD if unguarded else STATES[plugin.state]
        yield Finding("plugin", state, _about(plugin), _step(plugin))
        for text in plugin.warnings:
            yield Finding("plugin", WARNING, f"{name}: {text}")
        for text in diagnosed(plugin, loaded.settings.get("plugins", {}).get(name, {})):
            yield Finding("plugin", WARNING, f"{name}: {text}")
        if count := faults.get(name, 0):
            text = f"{name} failed {counted(count, 'time')} in the last day"
            yield Finding("plugin", WARNING, text, f"`agguard log --guard {name}` shows when")


def _about(plugin: Plugin) -> str:
    found = plugin.found
    detail = plugin.problem or ", ".join(plugin.hooks)
    return f"{found.name} ({found.distribution} {found.version}) is {plugin.state}: {detail}"


def _step(plugin: Plugin) -> str:
    if plugin.found.name == SHIPPED and plugin.state == "blocked":
        return f"the shipped guards are not asked: run `agguard plugins unblock {SHIPPED}`"
    if plugin.state != "refused":
        return ""
    return f"mend or uninstall it, or run `agguard plugins block {plugin.found.name}`"


def _faults(paths: Paths) -> Mapping[str, int]:
    """Count the faults of each plugin in the last day."""
    import json

    from agguard.errors import LedgerError
    from agguard.ledger.decisions import Wanted
    from agguard.ledger.reader import Reader
    from agguard.pipeline.books import NAME

    found: dict[str, int] = {}
    path = os.path.join(paths.state, NAME)
    try:
        with Reader.open(path) as reader:
            entries = reader.wanted(Wanted(since=time.time() - RECENT), LOOKED_AT)
    except LedgerError:
        return found
    for entry in entries:
        for plugin, *_ in json.loads(entry.faults):
            found[plugin] = found.get(plugin, 0) + 1
    return found


def rtk(paths: Paths, folder: str) -> Iterator[Finding]:
    """Whether the real rtk is there."""
    import shutil
    import subprocess

    settings = _loaded(paths, folder).settings["rtk"]
    if settings["mode"] == "off":
        yield Finding("rtk", GOOD, "rtk.mode is off: commands run as they are")
        return
    path = settings["path"] or shutil.which("rtk")
    if not path:
        text = "rtk is not on the PATH: commands run as they are"
        yield Finding("rtk", WARNING, text, "install rtk, or `agguard config set rtk.mode off`")
        return
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, check=False, timeout=5, text=True
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield Finding("rtk", WARNING, f"{path} does not run: {error}")
        return
    version = done.stdout.strip()
    if version.startswith("rtk ") and parsed(version) < OLDEST_RTK:
        oldest = ".".join(map(str, OLDEST_RTK))
        text = f"{version} ({path}) is older than {oldest}: commands run as they are"
        yield Finding("rtk", WARNING, text, "upgrade rtk, or `agguard config set rtk.mode off`")
    elif version.startswith("rtk "):
        yield Finding("rtk", GOOD, f"{version} ({path})")
    else:
        text = f"{path} is another tool of that name: commands run as they are"
        yield Finding("rtk", WARNING, text, "put the real rtk before it on the PATH")


def rules(paths: Paths, folder: str) -> Iterator[Finding]:
    """How the rule files of a session here stand, in one line."""
    from agguard.rules.disk import Disk
    from agguard.rules.lint.linter import lint
    from agguard.rules.product import product_shown

    found = lint(folder, paths.home, product=product_shown(paths.home, Disk()).name)
    counts = {kind: found.count(kind) for kind in ("error", "warning", "notice")}
    text = ", ".join(counted(count, kind) for kind, count in counts.items())
    level = WARNING if counts["error"] or counts["warning"] else GOOD
    step = "`agguard rules lint` names them" if level == WARNING else ""
    yield Finding("rules", level, f"rule files of {folder}: {text}", step)
