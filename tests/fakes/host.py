"""A host that runs registered commands the way Antigravity does (contract, sections 1.4 to 1.6).

It reads answers as strictly as the host: anything but exit status 0 and one JSON object with the
fields of that event is an assertion error. It shares no code with `agguard.doctor`, which is under
test itself.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

FIELDS: dict[str, set[str]] = {
    "PreToolUse": {"decision", "reason", "overwrite", "permissionOverrides"},
    "Stop": {"decision", "reason"},
    "SessionStart": {"injectSteps"},
    "PreInvocation": {"injectSteps"},
    "PostInvocation": {"injectSteps", "terminationBehavior"},
    "PostToolUse": set(),
}
"""What each event may be answered; one more key and the host drops the whole answer."""

DECISIONS: dict[str, set[str]] = {
    "PreToolUse": {"allow", "ask", "force_ask", "deny"},
    "Stop": {"continue", "stop"},
}


class Answered(NamedTuple):
    """What came back from one hook."""

    answer: dict[str, Any]
    status: int
    out: bytes
    stderr: str
    seconds: float

    @property
    def decision(self) -> str:
        """The decision; a stop that nobody objects to has none."""
        return str(self.answer.get("decision", ""))

    @property
    def reason(self) -> str:
        return str(self.answer.get("reason", ""))

    @property
    def said(self) -> list[str]:
        """The reason line by line, without the number of the decision."""
        lines = self.reason.splitlines()
        return lines[:-1] if lines and re.fullmatch(r"\(decision \d+\)", lines[-1]) else lines

    @property
    def command(self) -> str:
        """The command line as it was overwritten; empty when it was left alone."""
        return str(self.answer.get("overwrite", {}).get("CommandLine", ""))

    @property
    def prompts(self) -> list[str]:
        """The prompts of the subagents as they were overwritten."""
        return [one["Prompt"] for one in self.answer.get("overwrite", {}).get("Subagents", ())]


class Host:
    """Fires events at the commands that a hooks.json registers.

    Args:
        hooks: The file; its folder is where the commands run.
        environ: The host's environment.
    """

    def __init__(self, hooks: str, environ: Mapping[str, str]) -> None:
        self.hooks = hooks
        self.environ = dict(environ)

    def fire(
        self,
        event: str,
        payload: Mapping[str, Any] | bytes,
        *,
        closes: bool = True,
        environ: Mapping[str, str] | None = None,
        before: Callable[[], None] | None = None,
    ) -> Answered:
        """Run the one command of an event, and return its valid answer.

        Args:
            event: The event.
            payload: What the host sends: an object, or bytes as they are.
            closes: Whether the host closes the command's standard input when it has written.
            environ: The whole environment, where it is not the host's own.
            before: Called in the new process before the command starts.
        """
        raw = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        handler = self._handler(event, _tool(payload))
        variables = dict(self.environ if environ is None else environ)
        if not isinstance(payload, bytes):
            variables["ANTIGRAVITY_CONVERSATION_ID"] = str(payload.get("conversationId", ""))
        started = time.monotonic()
        with (
            subprocess.Popen(
                ["sh", "-c", handler["command"]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=os.path.dirname(self.hooks),
                env=variables,
                start_new_session=True,
                preexec_fn=before,  # noqa: PLW1509 - no test has threads
            ) as process,
            _held_open(process, raw, closes=closes) as left,
        ):
            try:
                out, err = process.communicate(left, timeout=handler["timeout"])
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                msg = f"{event}: no end within the host's {handler['timeout']} s"
                raise AssertionError(msg) from None
        return _valid(
            event, process.returncode, out, err.decode(errors="replace"), time.monotonic() - started
        )

    def _handler(self, event: str, tool: str) -> dict[str, Any]:
        with open(self.hooks, encoding="utf-8") as file:
            registered = json.load(file)
        found = [
            handler
            for spec in registered.values()
            for entry in spec.get(event, ())
            if _matches(entry, tool)
            for handler in entry.get("hooks", [entry])
        ]
        assert len(found) == 1, f"{event} {tool}: {len(found)} commands are registered, not one"
        return dict(found[0])


@contextlib.contextmanager
def _held_open(
    process: subprocess.Popen[bytes], raw: bytes, *, closes: bool
) -> Iterator[bytes | None]:
    """Leave the input to `communicate`, or write it here and keep the pipe open till the end."""
    if closes:
        yield raw
        return
    assert process.stdin is not None
    pipe, process.stdin = process.stdin, None
    try:
        pipe.write(raw)
        pipe.flush()
        yield None
    finally:
        with contextlib.suppress(OSError):
            pipe.close()


def _matches(entry: Mapping[str, Any], tool: str) -> bool:
    """Whether a handler runs for a tool: lifecycle events have no matcher."""
    if "hooks" not in entry:
        return True
    matcher = entry.get("matcher", "")
    return matcher in ("", "*") or re.fullmatch(matcher, tool) is not None


def _tool(payload: Mapping[str, Any] | bytes) -> str:
    call = payload.get("toolCall") if not isinstance(payload, bytes) else None
    return str(call.get("name", "")) if isinstance(call, dict) else ""


def _valid(event: str, status: int, out: bytes, err: str, seconds: float) -> Answered:
    """Return the answer if the host would take it."""
    shown = f"{event}: status {status}, out {out[:500]!r}, stderr {err[-1500:]!r}"
    assert status == 0, shown
    try:
        answer = json.loads(out)
    except ValueError as error:
        msg = f"not exactly one JSON document ({error}): {shown}"
        raise AssertionError(msg) from None
    assert isinstance(answer, dict), shown
    # Go's protojson refuses half a surrogate pair, and with it the whole answer.
    json.dumps(answer, ensure_ascii=False).encode()
    assert not set(answer) - FIELDS[event], shown
    if event == "PreToolUse" or "decision" in answer:
        assert answer.get("decision") in DECISIONS.get(event, ()), shown
    return Answered(answer, status, out, err, seconds)
