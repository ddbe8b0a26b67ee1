"""What makes the host drop a hooks file or switch a hook off, named by hook and event."""

from __future__ import annotations

import json

import pytest

from agguard.install.diagnosis import Finding, diagnose
from agguard.install.entry import entry

HANDLER = {"type": "command", "command": "x", "timeout": 30}
FATAL = {
    "a lifecycle event in a group": (
        {"Stop": [{"matcher": "*", "hooks": [HANDLER]}]},
        ("Stop", "Stop[0]", "flat list"),
    ),
    "a decimal timeout": (
        {"Stop": [{"command": "x", "timeout": 10.0}]},
        ("Stop", "Stop[0].timeout", "whole seconds"),
    ),
    "a timeout in words": (
        {"PreToolUse": [{"hooks": [HANDLER, {"command": "x", "timeout": "30"}]}]},
        ("PreToolUse", "PreToolUse[0].hooks[1].timeout", "'30'"),
    ),
    "a timeout of 33 bits": (
        {"Stop": [{"command": "x", "timeout": 2**31}]},
        ("Stop", "Stop[0].timeout", "32 bits"),
    ),
    "a truth value for a timeout": (
        {"Stop": [{"command": "x", "timeout": True}]},
        ("Stop", "Stop[0].timeout", "truth value"),
    ),
    "command and model": (
        {"PostToolUse": [{"hooks": [{"command": "x", "model": "flash"}]}]},
        ("PostToolUse", "PostToolUse[0].hooks[0]", "cannot specify 'model'"),
    ),
    "command and prompt": (
        {"Stop": [{"command": "x", "prompt": "y"}]},
        ("Stop", "Stop[0]", "cannot specify 'prompt'"),
    ),
    "no command": (
        {"SessionStart": [{"type": "command"}]},
        ("SessionStart", "SessionStart[0]", "must specify 'command'"),
    ),
    "an empty command": ({"Stop": [{"command": ""}]}, ("Stop", "Stop[0]", "must specify")),
    "a null handler": ({"Stop": [None]}, ("Stop", "Stop[0]", "must specify 'command'")),
    "a prompt after a tool": (
        {"PostToolUse": [{"hooks": [{"type": "prompt", "prompt": "x"}]}]},
        ("PostToolUse", "PostToolUse[0].hooks[0]", "PostToolUse"),
    ),
    "a prompt without words": (
        {"Stop": [{"type": "prompt"}]},
        ("Stop", "Stop[0]", "must specify 'prompt'"),
    ),
    "a prompt of an unknown model": (
        {"Stop": [{"type": "prompt", "prompt": "x", "model": "gpt"}]},
        ("Stop", "Stop[0]", "'gpt'"),
    ),
    "an unknown type": (
        {"Stop": [{"type": "script", "command": "x"}]},
        ("Stop", "Stop[0]", "type"),
    ),
    "a command as a list": (
        {"Stop": [{"command": ["x", "y"]}]},
        ("Stop", "Stop[0].command", "a string"),
    ),
    "a matcher as a list": (
        {"PreToolUse": [{"matcher": ["a"], "hooks": [HANDLER]}]},
        ("PreToolUse", "PreToolUse[0].matcher", "a string"),
    ),
    "handlers as an object": (
        {"PreToolUse": [{"hooks": HANDLER}]},
        ("PreToolUse", "PreToolUse[0].hooks", "a list of handlers"),
    ),
    "an event as an object": ({"Stop": HANDLER}, ("Stop", "Stop", "a list")),
    "an event in other letters": (
        {"STOP": [{"hooks": [HANDLER]}]},
        ("Stop", "STOP[0]", "flat list"),
    ),
    "handlers as text": ({"Stop": ["./x"]}, ("Stop", "Stop[0]", "an object")),
    "enabled in words": ({"enabled": "yes"}, ("", "enabled", "true or false")),
    "an entry that is no object": ([HANDLER], ("", "", "an object of events")),
}
HARMLESS_TO_OTHERS = {
    "a matcher that does not compile": (
        {"PreToolUse": [{"matcher": "(", "hooks": [HANDLER]}]},
        ("PreToolUse", "PreToolUse[0].matcher", "never fires"),
    ),
    "handlers without a group": (
        {"PreToolUse": [HANDLER]},
        ("PreToolUse", "PreToolUse[0]", "never fires"),
    ),
    "an unknown event": ({"PreToolCall": [HANDLER]}, ("", "PreToolCall", "no event")),
    "a prompt hook": (
        {"Stop": [{"type": "prompt", "prompt": "x", "model": "flash"}]},
        ("Stop", "Stop[0]", "switched on"),
    ),
    "a negative timeout": (
        {"Stop": [{"command": "x", "timeout": -1}]},
        ("Stop", "Stop[0].timeout", "no time"),
    ),
}
FINE = {
    "ours": entry(),
    "ours for windows": entry(windows=True),
    "nothing": {},
    "null": None,
    "switched off": {"enabled": False, "Stop": [HANDLER]},
    "nulls": {"enabled": None, "Stop": None, "PreToolUse": [{"matcher": None, "hooks": [HANDLER]}]},
    "no type": {"Stop": [{"command": "x"}]},
    "the default timeout": {"Stop": [{"command": "x", "timeout": 0}]},
    "unknown fields": {"Stop": [{"command": "x", "env": {}, "name": 3}]},
    "other letters": {"stop": [{"Command": "x", "TIMEOUT": 3}]},
    "an expression": {"PreToolUse": [{"matcher": "run_command|view_.*", "hooks": [HANDLER]}]},
}


def _only(spec: object) -> Finding:
    found = diagnose(json.dumps({"good": entry(), "foreign": spec}))
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize("case", FATAL)
def test_an_entry_that_costs_the_whole_file_is_named(case: str) -> None:
    """Whoever wrote it: hook, event and place are in the finding."""
    spec, (event, where, words) = FATAL[case]
    found = _only(spec)
    assert (found.hook, found.event, found.where, found.fatal) == ("foreign", event, where, True)
    assert words in found.problem


@pytest.mark.parametrize("case", HARMLESS_TO_OTHERS)
def test_an_entry_that_only_fails_itself_is_not_called_fatal(case: str) -> None:
    """The file loads, this hook does not do its work."""
    spec, (event, where, words) = HARMLESS_TO_OTHERS[case]
    found = _only(spec)
    assert (found.hook, found.event, found.where, found.fatal) == ("foreign", event, where, False)
    assert words in found.problem


@pytest.mark.parametrize("case", FINE)
def test_an_entry_that_the_host_takes_is_left_alone(case: str) -> None:
    """`null` counts as absent, names are matched without case, unknown fields are ignored."""
    assert diagnose(json.dumps({"good": entry(), "foreign": FINE[case]})) == ()


def test_every_wrong_handler_is_found_at_once() -> None:
    """A person mends the file once, not finding by finding."""
    spec = {"Stop": [{}, {"command": "x", "timeout": 1.5}], "PreToolUse": [{"hooks": [{}]}]}
    assert len(diagnose(json.dumps({"a": spec, "b": 3}))) == 4


@pytest.mark.parametrize("text", ["", '{"a": 1,}', "[]", "\ufeff{}"])
def test_a_file_that_is_no_strict_object_is_one_fatal_finding(text: str) -> None:
    """The finding says where, and belongs to no hook."""
    (found,) = diagnose(text)
    assert (found.hook, found.event, found.fatal) == ("", "", True)
