"""A session of the real Antigravity engine, guarded in process; only the model is a script.

The google-antigravity wheel holds the engine. It is pointed at a model endpoint on loopback that
answers from a script, so tools really run, subagents really start, and nothing leaves the machine.
"""

from __future__ import annotations

import json
import os
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import TYPE_CHECKING, Any

from agguard.hosts.antigravity_sdk import guard_hooks
from agguard.model.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from agguard.hosts.antigravity_sdk.hooks import Hooks
    from agguard.model.call import ToolCall
    from agguard.testing.home import Home

    Turn = Sequence[ToolCall | str]
    """What the model does at once: calls, and text."""

PATIENCE = 120.0
"""Seconds for a whole session."""

SETTLING = 1.0
"""Seconds that subagents have to end in after the answer."""


class Played(Value):
    """What a session did."""

    text: str
    """The agent's last words."""
    requests: tuple[dict[str, Any], ...]
    """Everything that the model was sent."""
    transcripts: Mapping[str, list[dict[str, Any]]]
    """The engine's records, by conversation."""

    @property
    def told(self) -> str:
        """Everything that the model was told, as one text."""
        return json.dumps(self.requests)


def play(
    home: Home,
    *turns: Turn,
    prompt: str = "Do the task.",
    subagents: Mapping[str, Sequence[Turn]] | None = None,
    approve: Callable[[str, Mapping[str, Any], str], bool] | None = None,
) -> Played:
    """Hold one conversation under the guards of a home.

    Args:
        home: Where agguard is installed.
        turns: What the model does, turn by turn; then it says that it is done.
        prompt: What the user asks.
        subagents: The turns of a subagent, by a text that stands in its prompt.
        approve: Asked in the user's place.

    Raises:
        ImportError: google-antigravity is not installed.
    """
    import asyncio

    import_module("google.antigravity")
    app_data = os.path.join(home.paths.home, ".gemini", "antigravity")
    os.makedirs(app_data, exist_ok=True)
    model = _Model(turns, subagents or {})
    try:
        hooks = guard_hooks(
            app_data_dir=app_data,
            workspaces=[home.workspace],
            home=home.paths.home,
            approve=approve,
        )
        chat = _chat(home, app_data, model.url, hooks, prompt)
        text = asyncio.run(asyncio.wait_for(chat, PATIENCE))
    finally:
        model.close()
    return Played(text, tuple(model.requests), _transcripts(app_data))


async def _chat(home: Home, app_data: str, url: str, hooks: Hooks, prompt: str) -> str:
    import asyncio

    sdk = import_module("google.antigravity")
    types = import_module("google.antigravity.types")
    policy = import_module("google.antigravity.hooks.policy")
    endpoint = types.GeminiAPIEndpoint(base_url=url, api_key="offline")
    saved = os.path.join(home.paths.home, "saved")
    os.makedirs(saved, exist_ok=True)
    config = sdk.LocalAgentConfig(
        models=[
            types.ModelTarget(name="scripted", types=[kind], endpoint=endpoint)
            for kind in (types.ModelType.TEXT, types.ModelType.IMAGE)
        ],
        workspaces=[home.workspace],
        policies=[policy.allow_all()],
        env={"HOME": home.paths.home},
        app_data_dir=app_data,
        save_dir=saved,
        conversation_id=uuid.uuid4().hex,
        session_continuation_mode=types.SessionContinuationMode.CREATE_ONLY,
        hooks=hooks,
        triggers=hooks.triggers,
    )
    async with sdk.Agent(config) as agent:
        answer = await (await agent.chat(prompt)).text()
        await asyncio.sleep(SETTLING)
    return str(answer)


def _transcripts(app_data: str) -> dict[str, list[dict[str, Any]]]:
    brain = os.path.join(app_data, "brain")
    found = {}
    for name in sorted(os.listdir(brain)) if os.path.isdir(brain) else ():
        path = os.path.join(brain, name, ".system_generated", "logs", "transcript.jsonl")
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                found[name] = [json.loads(line) for line in file]
    return found


class _Model:
    """A Gemini endpoint on loopback that plays a script."""

    def __init__(self, turns: Sequence[Turn], subagents: Mapping[str, Sequence[Turn]]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._turns = turns
        self._subagents = subagents
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return what the model says next, found by how often it has spoken already."""
        self.requests.append(request)
        contents = request.get("contents", [])
        opening = json.dumps(contents[:1])
        plan = self._turns
        for text, turns in self._subagents.items():
            if text in opening and "<USER_REQUEST>" not in opening:
                plan = turns
        spoken = sum(map(_is_spoken, contents))
        turn: Turn = plan[spoken] if contents and spoken < len(plan) else ("Done.",)
        content = {"role": "model", "parts": [_part(one) for one in turn]}
        return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}


def _is_spoken(content: dict[str, Any]) -> bool:
    """Whether a content is the model's own; results of tools come under its name, too."""
    parts = content.get("parts", ())
    return content.get("role") == "model" and not any("functionResponse" in x for x in parts)


def _part(one: ToolCall | str) -> dict[str, Any]:
    if isinstance(one, str):
        return {"text": one}
    return {"functionCall": {"name": one.name, "args": dict(one.args)}}


def _handler(model: _Model) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            """Say nothing."""

        def do_POST(self) -> None:
            data = json.dumps(model.answer(json.loads(self._body() or b"{}"))).encode()
            streamed = "stream" in self.path
            self.send_response(200)
            kind = "text/event-stream" if streamed else "application/json"
            self.send_header("Content-Type", kind)
            data = b"data: " + data + b"\r\n\r\n" if streamed else data
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = b""
            while size := int(self.rfile.readline().strip() or b"0", 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

    return Handler
