"""The SDK's hooks, answered by the guards in this process.

This is a composition root beside `agguard.pipeline.hook`: it fires the same pipeline, without a
launcher, so what ends this process is not answered. Third parties are still asked in a process of
their own. Guards run in a thread, where the shipped ones cannot be interrupted; the whole answer
is waited for no longer than the deadline and a grace, and then the call is denied.
"""

from __future__ import annotations

import os

from agguard import jsontext
from agguard.hosts.antigravity import answer, parse
from agguard.hosts.antigravity_sdk import payload
from agguard.hosts.antigravity_sdk.reminders import Reminders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any

    from agguard.hosts.antigravity_sdk.reminders import Voice
    from agguard.model.verdict import Outcome

    Approve = Callable[[str, Mapping[str, Any], str], bool]

HOST = "antigravity_sdk"


class Hooks(list["Any"]):
    """The hooks of one agent, and what lets `remind` speak to it."""

    triggers: Sequence[Callable[[Any], Awaitable[None]]] = ()
    """Pass them as the agent's `triggers`; without them nobody is asked for reminders."""


def guard_hooks(
    *,
    app_data_dir: str,
    workspaces: Sequence[str] = (),
    home: str | None = None,
    approve: Approve | None = None,
) -> Hooks:
    """Return the hooks that put an `Agent` under the guards: pass them as its `hooks`.

    Each agent needs hooks of its own, and takes their `triggers` if it is to be reminded.

    Args:
        app_data_dir: The agent's `app_data_dir`, below which the engine keeps its transcripts.
        workspaces: The agent's workspaces.
        home: A home to use in the place of the user's, for its configuration and ledger.
        approve: Asked in the user's place with tool, arguments and reason; without it, or when it
            fails, what is to be asked is denied.

    Raises:
        ImportError: google-antigravity is not installed.
    """
    from importlib import import_module

    # By name, for the SDK is optional and has no types.
    types: Any = import_module("google.antigravity.types")
    sdk: Any = import_module("google.antigravity.hooks.hooks")

    guard = Guard(os.path.abspath(app_data_dir), tuple(map(os.path.abspath, workspaces)), home)
    reminders = Reminders(guard.answered)

    class Turn(sdk.PreTurnHook):  # type: ignore[misc] # it has no types
        async def run(self, context: Any, data: Any) -> Any:  # noqa: ANN401, ARG002 - the SDK's
            await reminders.turn()
            return types.HookResult(allow=True)

    class Before(sdk.PreToolCallDecideHook):  # type: ignore[misc] # it has no types
        async def run(self, context: Any, data: Any) -> Any:  # noqa: ANN401, ARG002 - the SDK's
            conversation, step = payload.place(data.step_id)
            reminders.called(conversation)
            name = payload.tool_name(data.name, data.server_name)
            fields = payload.call(name, data.args, step)
            found = await guard.answered("PreToolUse", conversation, fields)
            if not permitted(found, approve, name, data.args):
                return types.HookResult(allow=False, message=found.get("reason", ""))
            return types.HookResult(allow=True, modified_args=found.get("overwrite"))

    class After(sdk.PostToolCallHook):  # type: ignore[misc] # it has no types
        async def run(self, context: Any, data: Any) -> None:  # noqa: ANN401, ARG002 - the SDK's
            conversation, step = payload.place(data.step_id)
            name = payload.tool_name(data.name, data.server_name)
            fields = payload.call(name, {}, step, str(data.error or ""))
            await guard.answered("PostToolUse", conversation, fields)
            await reminders.ended(conversation, step)

    class Stop(sdk.StopHook):  # type: ignore[misc] # it has no types
        async def run(self, context: Any, data: Any) -> Any:  # noqa: ANN401, ARG002 - the SDK's
            reminders.called(data.trajectory_id)
            fields = payload.stop(data.continuation_count, data.stop_reason, data.error_message)
            found = await guard.answered("Stop", data.trajectory_id, fields)
            if found.get("decision") == "continue":
                go_on = types.StopDecision.CONTINUE
                return types.StopHookResult(decision=go_on, reason=found["reason"])
            return types.StopHookResult()

    async def speak(context: Any) -> None:  # noqa: ANN401 - the SDK's
        await _lend(context.send, reminders)

    hooks = Hooks([Turn(), Before(), After(), Stop()])
    hooks.triggers = [speak]
    return hooks


def permitted(
    found: Mapping[str, Any], approve: Approve | None, tool: str, args: Mapping[str, Any]
) -> bool:
    """Whether a tool call may run; what is to be asked is asked once, and only a yes permits."""
    if found["decision"] not in ("ask", "force_ask"):
        return bool(found["decision"] == "allow")
    try:
        return bool(approve and approve(tool, args, found.get("reason", "")))
    except Exception:  # noqa: BLE001 - nobody has said yes
        return False


async def _lend(voice: Voice, reminders: Reminders) -> None:
    """Let the reminders speak until the agent ends."""
    import asyncio

    reminders.voice = voice
    try:
        await asyncio.Event().wait()
    finally:
        reminders.voice = None


class Guard:
    """Answers events of one agent and its subagents.

    Args:
        app_data: The engine's folder.
        workspaces: The folders that the agent works in.
        home: The home with configuration and ledger; the user's own when None.
    """

    def __init__(self, app_data: str, workspaces: Sequence[str], home: str | None) -> None:
        from agguard.paths import resolve

        self._app_data = app_data
        self._workspaces = workspaces
        self._paths = resolve(home)

    async def answered(
        self, event: str, conversation: str, fields: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the answer to an event, as a hooks.json command would give it; never raises."""
        import asyncio

        from agguard.pipeline.caller import DEADLINE
        from agguard.pipeline.hook import GRACE, failed

        about = payload.common(conversation, self._app_data, self._workspaces)
        try:
            data = jsontext.dumps({**fields, **about}).encode()
            outcome = await asyncio.wait_for(
                asyncio.to_thread(self._outcome, event, data), DEADLINE + GRACE
            )
        except Exception as error:  # noqa: BLE001 - whatever happened, the call needs an answer
            outcome = failed(error, event)
        return answer(event, outcome)

    def _outcome(self, event: str, data: bytes) -> Outcome:
        import time

        from agguard.dispatch.deadline import Clock
        from agguard.hosts.port import host
        from agguard.pipeline import hook, pause
        from agguard.pipeline.books import Books
        from agguard.pipeline.caller import DEADLINE, session
        from agguard.pipeline.desk import Desk
        from agguard.pipeline.firing import fire
        from agguard.pipeline.integrity import changed
        from agguard.pipeline.project import in_force
        from agguard.plugins.places import remember

        state = self._paths.state
        if not os.path.exists(state):
            remember(self._paths)
        compiled = hook.manifest(state, lambda: None)
        clock = Clock(compiled.settings.get("hooks", {}).get("deadline", DEADLINE))
        parsed = parse(event, data)
        compiled = in_force(state, compiled, parsed.workspaces)
        dispatcher, asker = hook._dispatcher(compiled, clock)  # noqa: SLF001 - the other composition root
        now = time.time()
        books = Books(state, clock.left, now)
        try:
            who = session(parsed, compiled, books, now).replace(host=HOST)
            wrong = (
                *hook._problems(compiled),  # noqa: SLF001 - as above
                *changed(compiled.paths.get("watched", ()), books),
            )
            paused = pause.current(state, now)
            return fire(parsed, Desk(dispatcher, host(HOST), books, now, who, paused, wrong))
        finally:
            asker.close()
            books.close()
