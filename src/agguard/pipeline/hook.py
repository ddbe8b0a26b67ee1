"""One firing of one hook, from standard input to exactly one answer on standard output."""

from __future__ import annotations

import os
import sys
import time

from agguard import __version__, jsontext
from agguard.dispatch.ask import Asker
from agguard.dispatch.deadline import Clock
from agguard.dispatch.dispatcher import Dispatcher
from agguard.dispatch.implementation import Implementation
from agguard.errors import AgguardError
from agguard.hosts.port import host as find_host
from agguard.importer import Located
from agguard.model.verdict import Decision, Fault, Outcome, Reason
from agguard.pipeline import seen, streams
from agguard.pipeline.books import Books
from agguard.pipeline.caller import DEADLINE, session
from agguard.pipeline.desk import Desk
from agguard.pipeline.firing import fire
from agguard.pipeline.integrity import changed
from agguard.pipeline.project import in_force
from agguard.plugins import manifest as manifests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from agguard.hosts.port import Host
    from agguard.pipeline.pause import Pause
    from agguard.plugins.manifest import Manifest

PAUSE = "pause.json"
"""`agguard.pipeline.pause.NAME`."""

GRACE = 2.0
"""Seconds after the deadline when the process ends itself and the launcher answers."""

UNREADABLE = ("\\ud", "NaN", "Infinity")
"""Signs of what Python's JSON may hold and the host's may not; texts hold them, too."""


def main(
    state: str,
    event: str,
    host: str = "antigravity",
    upgraded: Callable[[], object] = lambda: None,
) -> NoReturn:
    """Answer one event and end the process; never raises.

    Args:
        state: The folder of ledger and manifest.
        event: The host's name of the event.
        host: Whose event it is.
        upgraded: Called when another version of agguard than this one made the manifest.
    """
    answer = streams.claim_output()
    translator = find_host(host)
    _end_after(DEADLINE + GRACE)  # a manifest that has to be built takes its time, too
    closing: list[Callable[[], None]] = []
    try:
        compiled = manifest(state, upgraded)
        outcome = _outcome(state, event, translator, compiled, answer, closing)
    except BaseException as error:  # noqa: BLE001 - whatever happened, the host needs an answer
        outcome = failed(error, event)
    _write(answer, translator.answer(event, outcome))
    _close(closing)
    # Leaving without finalization saves 2 ms, and outlives guards that left threads behind.
    os._exit(0)


def _close(closing: list[Callable[[], None]]) -> None:
    """Close what was opened; the answer is out, so nothing that fails here matters any more."""
    for close in closing:
        try:  # contextlib.suppress would cost 5 % of a hook's imports
            close()
        except BaseException:  # noqa: BLE001, S112
            continue


def failed(error: BaseException, event: str) -> Outcome:
    """Return the outcome when agguard itself could not decide: no tool call passes unjudged."""
    what = str(error) if isinstance(error, AgguardError) else f"{type(error).__name__}: {error}"
    text = f"agguard could not judge this call: {what}; run `agguard doctor`"
    # A stop passes: nobody counts how often a broken agguard would send it back.
    decision = Decision.DENY if event == "PreToolUse" else Decision.ALLOW
    return Outcome(decision, (Reason("agguard", text, decision),))


def _outcome(  # noqa: PLR0913, PLR0917 - the composition root of the hook path
    state: str,
    event: str,
    host: Host,
    compiled: Manifest,
    answer: int,
    closing: list[Callable[[], None]],
) -> Outcome:
    seconds = compiled.settings.get("hooks", {}).get("deadline", DEADLINE)
    clock = Clock(seconds)
    _end_after(seconds + GRACE)
    payload = host.parse(event, streams.read_input(clock))
    compiled = in_force(state, compiled, payload.workspaces)
    dispatcher, asker = _dispatcher(compiled, clock)
    closing.append(lambda: asker.close(reap=False))
    if event == "PreToolUse":
        asker.prepare("classify_tool", "judge_tool")
    now = time.time()
    books = Books(state, clock.left, now)
    closing.append(books.close)
    desk = Desk(
        dispatcher,
        host,
        books,
        now,
        session(payload, compiled, books, now),
        _pause(state, now),
        (*_problems(compiled), *changed(compiled.paths.get("watched", ()), books)),
        lambda early: _write(answer, host.answer(event, early)),
    )
    seen.note(state, event, desk.session)
    return fire(payload, desk)


def _pause(state: str, now: float) -> Pause | None:
    """Return the operator's pause; most of the time there is no file of one, and no import."""
    if not os.access(os.path.join(state, PAUSE), os.F_OK):
        return None
    from agguard.pipeline.pause import current

    return current(state, now)


def _problems(compiled: Manifest) -> tuple[Fault, ...]:
    """Return what was wrong when the manifest was built, warnings aside."""
    return tuple(
        Fault(plugin, "manifest", kind, text)
        for plugin, kind, text in compiled.problems
        if kind != "warning"
    )


def manifest(state: str, upgraded: Callable[[], object]) -> Manifest:
    """Load the manifest, or rebuild it when it is stale, unreadable or foreign."""
    found = manifests.load(state)
    if found is not None and found.is_fresh:
        return found
    if found is not None and found.key.get("version") != __version__:
        upgraded()
    from agguard.pipeline.renewal import renewed

    return renewed(state)


def _dispatcher(compiled: Manifest, clock: Clock) -> tuple[Dispatcher, Asker]:
    hooks = compiled.settings.get("hooks", {})
    rows = [Implementation(**{**r, "arguments": tuple(r["arguments"])}) for r in compiled.rows]
    foreign = [row for row in rows if not row.in_process]
    if foreign:
        sys.path += [entry for entry, _ in compiled.key["path"] if entry not in sys.path]
        Located({row.module: row.source for row in foreign}).come_first()
    asker = Asker(rows, clock, hooks.get("guard_deadline", 1.0))
    return Dispatcher.configured(asker, compiled.settings), asker


def _end_after(seconds: float) -> None:
    """End the process if it hangs where no exception reaches it; the launcher then answers.

    This watchdog is a thread in C that needs no interpreter lock.
    """
    import faulthandler

    # By its number: where the caller has closed stderr, `sys.stderr` is None.
    faulthandler.dump_traceback_later(seconds, exit=True, file=2)


def _write(descriptor: int, document: dict[str, Any]) -> None:
    text = jsontext.dumps(document)
    if any(sign in text for sign in UNREADABLE):
        # Half a surrogate pair, as in a path that is no UTF-8, or a number that JSON does not have
        # would void the answer: the host's parser of JSON refuses it.
        import json

        whole = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
        text = json.dumps(json.loads(whole, parse_constant=lambda _: None))
    streams.write_line(descriptor, text)
