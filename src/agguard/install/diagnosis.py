"""What is wrong with a hooks file, read as the host reads it (contract, section 1.2).

The host decodes the whole file into Go structs: one field of a wrong type or one handler that
says too little, in whatever entry, and every hook of the file is gone with a line in a log. Field
names are matched without regard to case, `null` counts as absent, unknown fields are ignored.
"""

from __future__ import annotations

from agguard.errors import RegistrationError
from agguard.install.entry import LIFECYCLE_EVENTS, TOOL_EVENTS
from agguard.install.json_text import scan
from agguard.install.matcher import problem as matcher_problem
from agguard.model.value import Value
from agguard.quantity import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.install.json_text import Document

_EVENTS = {event.lower(): event for event in TOOL_EVENTS + LIFECYCLE_EVENTS}
_INT32 = 1 << 31
_KINDS = {
    str: "a string",
    bool: "a truth value",
    int: "a number",
    float: "a decimal number",
    list: "a list",
    dict: "an object",
}
_PROMPT_MODELS = ("inherit", "flash", "pro", "flash_lite")


class Finding(Value):
    """One thing that is wrong with a hooks file."""

    hook: str
    """The key of the entry; '' when the file as a whole is meant."""
    event: str
    """The event as the host calls it; '' when the entry as a whole is meant."""
    where: str
    """The place below the entry: `Stop[0].timeout`."""
    problem: str
    fatal: bool
    """Whether the host drops the whole file for it; else only this hook does not do its work."""


def diagnose(text: str) -> tuple[Finding, ...]:
    """Find every entry, whoever wrote it, that harms the file or does not work itself.

    Args:
        text: The text of a hooks file; blank text is a file that the host refuses.
    """
    try:
        document = scan(text)
    except RegistrationError as error:
        return (Finding("", "", "", str(error), fatal=True),)
    return findings(document)


def findings(document: Document) -> tuple[Finding, ...]:
    """Find the same in a file that has been read."""
    return tuple(
        finding for member in document.members for finding in _entry(member.key, member.value)
    )


def _entry(hook: str, spec: object) -> Iterator[Finding]:
    if spec is None:
        return
    if not isinstance(spec, dict):
        yield _wrong_type(hook, "", "", spec, "an object of events")
        return
    for key, value in spec.items():
        event = _EVENTS.get(key.lower(), "")
        if key.lower() == "enabled":
            if not isinstance(value, bool | None):
                yield _wrong_type(hook, "", key, value, "true or false")
        elif not event:
            why = f"{key!r} is no event of the host: it is dropped without a word"
            yield Finding(hook, "", key, why, fatal=False)
        elif not isinstance(value, list | None):
            yield _wrong_type(hook, event, key, value, "a list")
        else:
            for index, item in enumerate(value or ()):
                yield from _item(hook, event, f"{key}[{index}]", item)


def _item(hook: str, event: str, where: str, item: object) -> Iterator[Finding]:
    """Check one element of an event's list: a group for tool events, else a handler."""
    if not isinstance(item, dict | None):
        yield _wrong_type(hook, event, where, item, "an object")
        return
    fields = _fields(item)
    if event in LIFECYCLE_EVENTS:
        if "hooks" in fields and "command" not in fields:
            why = f"handlers of {event} stand in a flat list, without matcher and hooks"
            yield Finding(hook, event, where, why, fatal=True)
        else:
            yield from _handler(hook, event, where, fields)
        return
    yield from _group(hook, event, where, fields)


def _group(hook: str, event: str, where: str, fields: dict[str, object]) -> Iterator[Finding]:
    matcher, handlers = fields.get("matcher"), fields.get("hooks")
    if not isinstance(matcher, str | None):
        yield _wrong_type(hook, event, f"{where}.matcher", matcher, "a string")
    elif matcher and (why := matcher_problem(matcher)):
        why = f"matcher {matcher!r} is no regular expression of the host, so it never fires: {why}"
        yield Finding(hook, event, f"{where}.matcher", why, fatal=False)
    if not isinstance(handlers, list | None):
        yield _wrong_type(hook, event, f"{where}.hooks", handlers, "a list of handlers")
        return
    if not handlers:
        why = "no handlers in 'hooks', so it never fires; handlers of tool events stand in groups"
        yield Finding(hook, event, where, why, fatal=False)
    for index, handler in enumerate(handlers or ()):
        inner = f"{where}.hooks[{index}]"
        if isinstance(handler, dict | None):
            yield from _handler(hook, event, inner, _fields(handler))
        else:
            yield _wrong_type(hook, event, inner, handler, "an object")


def _handler(hook: str, event: str, where: str, fields: dict[str, object]) -> Iterator[Finding]:
    for name in ("type", "command", "prompt", "model"):
        if not isinstance(fields.get(name), str | None):
            yield _wrong_type(hook, event, f"{where}.{name}", fields[name], "a string")
            return
    timeout = fields.get("timeout")
    if isinstance(timeout, bool) or not isinstance(timeout, int | None):
        yield _wrong_type(hook, event, f"{where}.timeout", timeout, "whole seconds")
    elif timeout is not None and not -_INT32 <= timeout < _INT32:
        why = f"{timeout} does not fit into 32 bits"
        yield Finding(hook, event, f"{where}.timeout", why, fatal=True)
    elif timeout is not None and timeout < 0:
        why = f"{counted(timeout, 'second')} leave the hook no time"
        yield Finding(hook, event, f"{where}.timeout", why, fatal=False)
    if why := _action_problem(event, fields):
        yield Finding(hook, event, where, why, fatal=True)
    elif fields.get("type") == "prompt":
        why = "prompt hooks work only where the host has them switched on"
        yield Finding(hook, event, where, why, fatal=False)


def _action_problem(event: str, fields: dict[str, object]) -> str:
    """Return what the host's own validation says about a handler; texts as in its binary."""
    kind = fields.get("type") or "command"
    command, prompt, model = (fields.get(name) for name in ("command", "prompt", "model"))
    found: list[tuple[object, str]]
    if kind == "command":
        found = [
            (not command, "command hook must specify 'command'"),
            (prompt, "command hook cannot specify 'prompt'"),
            (model, "command hook cannot specify 'model'"),
        ]
    elif kind == "prompt":
        found = [
            (event == "PostToolUse", "prompt hooks are not supported for the PostToolUse event"),
            (not prompt, "prompt hook must specify 'prompt'"),
            (command, "prompt hook cannot specify 'command'"),
            (
                model and model not in _PROMPT_MODELS,
                f"model {model!r} is none of {', '.join(_PROMPT_MODELS)}",
            ),
        ]
    else:
        found = [(True, f"unsupported hook type: {kind!r}")]
    return next((why for wrong, why in found if wrong), "")


def _fields(item: dict[str, object] | None) -> dict[str, object]:
    """Return the fields by their lower-case names, as Go matches them; the last of two counts."""
    return {key.lower(): value for key, value in (item or {}).items() if value is not None}


def _wrong_type(hook: str, event: str, where: str, value: object, expected: str) -> Finding:
    shown = f" ({value!r})" if isinstance(value, str | bool | int | float) else ""
    why = f"{_KINDS[type(value)]}{shown} where the host expects {expected}"
    return Finding(hook, event, where, why, fatal=True)
