"""Guards asked in this process: fast, and open to a debugger."""

from __future__ import annotations

import os
import tempfile
import time
from typing import TYPE_CHECKING

from agguard import __version__
from agguard.dispatch.ask import Asker
from agguard.dispatch.deadline import Clock
from agguard.dispatch.dispatcher import Dispatcher
from agguard.dispatch.implementation import Implementation
from agguard.errors import PluginError
from agguard.hosts.port import host as find_host
from agguard.model.call import Invocation, Record, Stop, ToolCall
from agguard.model.contribution import Addition, Reminder, Rewrite
from agguard.model.effect import Effect
from agguard.model.verdict import Decision, Outcome, Reason, StopVerdict, Verdict
from agguard.pipeline import stop as stopping
from agguard.pipeline.tool import ToolPipeline
from agguard.plugins import standin
from agguard.plugins.build import rules_of, schema_of
from agguard.plugins.discovery import DEFAULT, DEFAULT_TARGET, Found, discover
from agguard.plugins.registry import Registry, load
from agguard.testing.result import Result
from agguard.testing.sessions import session as make_session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from agguard.dispatch.implementation import Answer
    from agguard.model.session import Role, Session
    from agguard.plugins.registry import Plugin


NO_RTK = os.devnull
"""Stands for `[rtk] path` where the configuration gives none: what a test says must not depend on
whether the machine has an rtk."""


class Guards:
    """Some plugins, asked as the hook asks them, in this process.

    Args:
        plugins: Each as its entry point says it, `name=package.module`, or the name alone of one
            that is installed.
        config: The user's configuration, in TOML. There is an rtk only if `[rtk] path` names one.
        builtin: Whether the shipped plugin is asked, too; without it, as where a user blocks it,
            every effect is unknown unless your plugin classifies.
        seconds: How long an event may take.

    Raises:
        PluginError: A plugin cannot be imported or breaks the contract, or the configuration is
            not sound.
    """

    def __init__(
        self, *plugins: str, config: str = "", builtin: bool = True, seconds: float = 20.0
    ) -> None:
        shipped = [Found(DEFAULT, DEFAULT_TARGET, "agguard", __version__)] if builtin else []
        loaded = [load(one) for one in (*shipped, *map(_found, plugins))]
        self.plugins: tuple[Plugin, ...] = tuple(plugin for plugin, _ in loaded)
        for plugin in self.plugins:
            if plugin.state != "active":
                msg = f"the plugin {plugin.found.name!r} is {plugin.state}: {plugin.problem}"
                raise PluginError(msg)
        ordered = sorted((row for _, rows in loaded for row in rows), key=lambda pair: pair[0])
        rows = [row for _, row in ordered]
        if not builtin and (blocked := standin.row("blocked")):
            rows.append(blocked)
        self._rows = [
            Implementation(**{**row, "arguments": tuple(row["arguments"])}) for row in rows
        ]
        registry = Registry(self.plugins, ())
        self.settings = {**_settings(registry, config), **rules_of(registry)}
        self._seconds = seconds
        self._host = find_host("antigravity")

    def session(self, role: Role | str = "worker", **fields: Any) -> Session:  # noqa: ANN401
        """Make a session with this configuration; see `agguard.testing.session`."""
        return make_session(role, self.settings, **fields)

    def dispatch(
        self, call: ToolCall, role: Role | str = "worker", *, session: Session | None = None
    ) -> Result:
        """Take a tool call through classify, judge, rewrite and augment, as a hook does.

        Args:
            call: The call; `agguard.testing.calls` makes them.
            role: Who makes it.
            session: The whole session, where the role says too little.
        """
        who = session or self.session(role)

        def decide(guards: Dispatcher) -> Outcome:
            return ToolPipeline(who, guards, self._host).decide(call).outcome

        def seen(outcome: Outcome) -> Record:
            return Record("PreToolUse", who, call, outcome)

        return self._ask("PreToolUse", decide, seen)

    def stop(self, stop: Stop, role: Role | str = "primary", **fields: Any) -> Result:  # noqa: ANN401
        """Ask whether an agent may stop; `fields` are the session's."""
        who = self.session(role, **fields)
        return self._ask(
            "Stop",
            lambda guards: stopping.decide(stop, who, guards),
            lambda outcome: Record("Stop", who, None, outcome),
        )

    def remind(
        self,
        invocation: Invocation | None = None,
        role: Role | str = "primary",
        **fields: Any,  # noqa: ANN401 - the session's
    ) -> Result:
        """Ask what an agent is told before its model is called; `fields` are the session's."""
        asked, who = invocation or Invocation(), self.session(role, **fields)
        return self._ask(
            asked.event, lambda guards: Outcome(messages=tuple(guards.remind(asked, who)))
        )

    def observe(self, record: Record) -> Result:
        """Show a record, such as the end of a tool call."""

        def look(guards: Dispatcher) -> Outcome:
            guards.observe(record)
            return Outcome()

        return self._ask(record.event, look)

    def _ask(
        self,
        event: str,
        decide: Callable[[Dispatcher], Outcome],
        seen: Callable[[Outcome], Record] | None = None,
    ) -> Result:
        asker = _Near(self._rows, Clock(self._seconds), self._seconds)
        dispatcher = Dispatcher.configured(asker, self.settings)
        started = time.monotonic()
        outcome = decide(dispatcher)
        if seen:
            dispatcher.observe(seen(outcome))
        outcome = outcome.replace(faults=dispatcher.faults)
        return Result(
            event=event,
            outcome=outcome,
            answer=self._host.answer(event, outcome),
            opinions=tuple(filter(None, map(_opinion, dispatcher.answers))),
            limit=self._seconds,
            seconds=time.monotonic() - started,
        )


class _Near(Asker):
    """Asks everybody in this process, third parties included."""

    @staticmethod
    def _is_near(one: Implementation) -> bool:
        return bool(one)


def _found(plugin: str) -> Found:
    name, _, target = plugin.partition("=")
    if target:
        return Found(name.strip(), target.strip())
    names = []
    for one in discover(__version__):
        if one.name == name:
            return one
        names.append(one.name)
    msg = f"no plugin is named {name!r}; installed are {', '.join(names)}"
    raise PluginError(msg)


def _settings(registry: Registry, config: str) -> Mapping[str, Any]:
    from agguard.config.load import load as load_config

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "config.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config)
        loaded = load_config(path, schema=schema_of(registry, load_config(path)))
    if not loaded.sound:
        msg = "; ".join(problem.text for problem in loaded.problems)
        raise PluginError(msg)
    rtk = loaded.settings["rtk"]
    return {**loaded.settings, "rtk": {**rtk, "path": rtk["path"] or NO_RTK}}


def _opinion(answer: Answer) -> Reason | None:
    """Say in one line what a guard answered; what it left alone is nothing."""
    value: Any = answer.value
    if isinstance(value, Verdict):
        return Reason(answer.guard, value.reason, value.decision)
    if isinstance(value, StopVerdict):
        decision = Decision.DENY if value.again else Decision.ALLOW
        return Reason(answer.guard, value.reason, decision)
    if isinstance(value, Effect):
        return Reason(answer.guard, value.words, Decision.ALLOW)
    if isinstance(value, Rewrite | Addition | Reminder):
        return Reason(answer.guard, " ".join(filter(None, value.asdict().values())))
    return None
