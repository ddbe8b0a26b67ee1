"""What the launcher says when agguard gives no answer: the reasons, as JSON that `sh` can print.

They name what happened and what to run. The event decides the form: PreToolUse needs an explicit
decision, `{}` there denies every tool (contract, section 1.6); everywhere else `{}` is no opinion.
"""

from __future__ import annotations

import json

_CANNOT = "agguard cannot answer"
_SILENT = "agguard gave no answer"
_NOT_FOUND = "this workspace is guarded by agguard, which is not on the PATH here"


def gone(python: str) -> str:
    """Explain that the interpreter is no longer there."""
    return _text(
        f"{_CANNOT}: its Python, {python}, is gone. Run `pip install agguard` and "
        "`agguard install` in an environment that stays, or delete the entry agguard in hooks.json."
    )


def uninstalled(site: str) -> str:
    """Explain that the package was taken away and its registration left behind."""
    return _text(
        f"{_CANNOT}: it was removed from {site} but is still registered. Run "
        "`pip install agguard` and `agguard install`, or delete the entry agguard in hooks.json."
    )


def silent() -> tuple[str, str]:
    """Explain that Python ended without an answer; its exit status goes between the two parts."""
    return (
        _text(f"{_SILENT}: its process ended with status "),
        _text(". Run `agguard doctor` to see why."),
    )


def not_found() -> str:
    """Explain that a workspace asks for agguard and the machine does not have it."""
    return _text(
        f"{_NOT_FOUND}. Run "
        "`pip install agguard`, or delete the entry agguard in .agents/hooks.json."
    )


def is_one(reason: str) -> bool:
    """Whether a reason is the launcher's own, so that agguard itself did not answer."""
    return reason.startswith((_CANNOT, _SILENT, _NOT_FOUND))


def _text(words: str) -> str:
    """Return words as the inside of a JSON string; a path's undecodable bytes become marks."""
    clean = words.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return json.dumps(clean)[1:-1]
