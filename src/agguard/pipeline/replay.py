"""Runs the guards over past sessions: what they would have said. No ledger, no host, no execution.

An agent that is denied goes on otherwise than its record says, so this counts what would have
been objected to, call by call, and does not tell a different story. What a hook takes from the
moment is not there: reminders, files on the disk, subagents that fell silent.
"""

from __future__ import annotations

import os

from agguard.dispatch.ask import Asker
from agguard.dispatch.deadline import Clock
from agguard.dispatch.dispatcher import Dispatcher
from agguard.dispatch.implementation import Implementation
from agguard.hosts.port import host as find_host
from agguard.model.call import Stop, ToolCall
from agguard.model.contribution import Addition, Rewrite
from agguard.model.effect import Effect
from agguard.model.redact import redact
from agguard.model.session import Role, Session
from agguard.model.value import Value
from agguard.model.verdict import Decision
from agguard.pipeline import keeping, stop
from agguard.pipeline.past import Ended
from agguard.pipeline.replay_reports import report as reported
from agguard.pipeline.rights import granted
from agguard.pipeline.tool import ToolPipeline
from agguard.quantity import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agguard.dispatch.implementation import Answer
    from agguard.hosts.port import Host
    from agguard.model.call import Spawn
    from agguard.model.report.reading import Report
    from agguard.model.verdict import Outcome
    from agguard.pipeline.past import Past
    from agguard.pipeline.replay_layers import Layers
    from agguard.plugins.manifest import Manifest
    from agguard.transcript.spawns import Spawned

SECONDS = 10.0
"""For all guards, at each call."""

LONGEST = 200
"""Characters of an example."""


class Replayed(Value):
    """One thing that a guard would have done."""

    guard: str
    what: str
    """One of: deny, ask, force_ask, continue, rewrite, inject, fault."""
    conversation: str
    step: int
    subject: str
    text: str


class Summary(Value):
    """What came of one conversation."""

    conversation: str
    role: str
    calls: int
    stops: int
    found: tuple[Replayed, ...]
    reports: tuple[str, ...] = ()
    """How each report of a subagent stands: valid, unverified or invalid."""


class Replay:
    """Judges past conversations.

    Args:
        compiled: Guards, and the settings that hold everywhere.
        layers: The settings that hold in a project.
        cache: A folder in which guards may keep what can be made again.
    """

    def __init__(self, compiled: Manifest, layers: Layers, cache: str) -> None:
        self._layers = layers
        self._cache = cache
        self._host: Host = find_host("antigravity")
        self._rows = [
            Implementation(**{**row, "arguments": tuple(row["arguments"])}) for row in compiled.rows
        ]
        self._spawned: dict[str, Spawn] = {}
        self._places: dict[str, tuple[str, ...]] = {}
        """The folders that each conversation worked in, as its own record shows them."""
        self._related: dict[str, list[str]] = {}
        """Its subagents, and whose it is: all of them work for the same user's session."""

    def know(self, parents: Iterable[Past]) -> None:
        """Learn which agents were started with what rights, before they are judged."""
        for one in parents:
            self._places[one.conversation] = one.workspaces
            by_step = {m.step: m for m in one.moments if isinstance(m, ToolCall) and _starts(m)}
            for child in one.spawned.children:
                self._related.setdefault(one.conversation, []).append(child.conversation)
                self._related.setdefault(child.conversation, []).append(one.conversation)
                call = by_step.get(child.step) or by_step.get(child.step - 1)
                asked = self._host.spawns(call) if call else ()
                if child.position < len(asked):
                    parent = self._session(one)
                    self._spawned[child.conversation] = granted(asked[child.position], parent)

    def judge(self, one: Past) -> Summary:
        """Take every call and every stop of a conversation through the guards."""
        session = self._session(one)
        found: list[Replayed] = []
        reports: list[str] = []
        calls = stops = 0
        work = Effect(0)
        for moment in one.moments:
            if isinstance(moment, Ended):
                stops += 1
                running = _running(one.spawned, moment.step)
                report = None if running else reported(one, moment, session)
                reports += [report.standing] if report else []
                found += self._stop(moment, session, work, running, report)
                work = Effect(0)
            else:
                calls += 1
                outcome, said = self._call(moment, session)
                found += said
                if outcome.decision != Decision.DENY:
                    work |= outcome.effect
        role = str(session.role)
        return Summary(one.conversation, role, calls, stops, tuple(found), tuple(reports))

    def _session(self, one: Past) -> Session:
        workspaces = self._workspaces(one)
        compiled = self._layers.of(workspaces)
        settings = compiled.settings
        child = one.is_child
        spawn = self._spawned.get(one.conversation)
        depth = settings["delegation"]["max_depth"]
        role = Role.WORKER if child else Role.PRIMARY
        return Session(
            conversation=one.conversation,
            role=spawn.role if spawn and child else role,
            remaining_depth=(spawn.remaining_depth if spawn else 0) if child else depth,
            read_only=bool(spawn and child and spawn.read_only),
            parent=one.opening.sender if one.opening and child else "",
            workspaces=workspaces,
            artifact_dir=one.artifacts,
            transcript=one.transcript,
            home=compiled.paths.get("home", ""),
            protected=tuple(compiled.paths.get("protected", ())),
            cache_dir=self._cache,
            settings=settings,
        )

    def _workspaces(self, one: Past) -> tuple[str, ...]:
        """Return where a conversation worked; where those beside it did, if it shows nothing."""
        own = one.workspaces
        if own:
            return own
        others = (self._places.get(name, ()) for name in self._related.get(one.conversation, ()))
        return tuple(dict.fromkeys(place for places in others for place in places))

    def _call(self, call: ToolCall, session: Session) -> tuple[Outcome, list[Replayed]]:
        asker, dispatcher = self._dispatcher(session)
        try:
            ready = call.replace(spawns=self._host.spawns(call))
            outcome = ToolPipeline(session, dispatcher, self._host).decide(ready).outcome
        finally:
            asker.close()
        subject = _short(keeping.subject(call) or call.name)
        found = []
        if outcome.decision > Decision.ALLOW:
            found += [
                Replayed(
                    reason.guard,
                    reason.decision.word,
                    session.conversation,
                    call.step,
                    f"{call.name} {subject}",
                    _short(reason.text),
                )
                for reason in outcome.reasons
                if reason.decision == outcome.decision
            ]
        else:
            found += _changes(dispatcher.answers, session, call, subject)
        found += _faults(dispatcher.answers, session, call.step)
        return outcome, found

    def _stop(
        self,
        ended: Ended,
        session: Session,
        work: Effect,
        running: tuple[str, ...],
        report: Report | None,
    ) -> list[Replayed]:
        asker, dispatcher = self._dispatcher(session)
        facts = Stop(
            work=work,
            running=running,
            last_message=ended.last_message,
            seconds=ended.seconds,
            report=report,
        )
        try:
            outcome = stop.decide(facts, session, dispatcher)
        finally:
            asker.close()
        if outcome.decision != Decision.DENY:
            return []
        subject = _short(ended.last_message) or "(said nothing)"
        return [
            Replayed(
                reason.guard,
                "continue",
                session.conversation,
                ended.step,
                subject,
                _short(reason.text),
            )
            for reason in outcome.reasons
        ]

    def _dispatcher(self, session: Session) -> tuple[Asker, Dispatcher]:
        hooks = session.section("hooks")
        asker = Asker(self._rows, Clock(SECONDS), hooks["guard_deadline"])
        return asker, Dispatcher.configured(asker, session.settings)


def _running(children: Spawned, step: int) -> tuple[str, ...]:
    """Return the subagents that had not reported when a turn ended; it then only waits."""
    reported = {one.child for one in children.reports if one.step <= step}
    started = (one.conversation for one in children.children if one.step <= step)
    return tuple(name for name in started if name not in reported)


def _starts(call: ToolCall) -> bool:
    return call.name == "invoke_subagent"


def _changes(
    answers: Iterable[Answer], session: Session, call: ToolCall, subject: str
) -> Iterator[Replayed]:
    """Yield what guards would have changed about a call that they let pass."""
    for one in answers:
        value = one.value
        if isinstance(value, Rewrite) and value.text and value.text != call.text("CommandLine"):
            what, text = "rewrite", _short(value.text)
        elif isinstance(value, Addition) and (value.before or value.after):
            added = len(value.before) + len(value.after)
            what, text = "inject", f"{counted(added, 'character')} into the prompt of a subagent"
        else:
            continue
        yield Replayed(one.guard, what, session.conversation, call.step, subject, text)


def _faults(answers: Iterable[Answer], session: Session, step: int) -> Iterator[Replayed]:
    for one in answers:
        if one.fault:
            text = _short(one.fault.text)
            where = one.implementation.hook
            yield Replayed(one.guard, "fault", session.conversation, step, where, text)


def _short(text: str) -> str:
    """Redact, put on one line and shorten: examples are pasted into reports."""
    line = " ".join(redact(text[: 8 * LONGEST]).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def brains(app_data: Iterable[str]) -> list[str]:
    """Return the `brain` folders of the host's products that are there."""
    found = (os.path.join(folder, "brain") for folder in app_data)
    return [folder for folder in found if os.path.isdir(folder)]
