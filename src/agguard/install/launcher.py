"""The launcher: a small script beside hooks.json that always gives the host one valid answer.

It runs Python and captures what Python writes, instead of exec-ing it: an interpreter that is
gone, dies or says nothing still leaves one decision (design, section 6). Python may write several
complete lines, each a JSON document; the last one counts, earlier ones are answers for the case
that the process dies. The script is recognized by its marker line, which carries a digest of the
rest. This module is light, for hooks renew their launcher after an upgrade.
"""

from __future__ import annotations

import re

from agguard.errors import RegistrationError
from agguard.model.value import Value

FORMAT = 1
"""Raised when the protocol between launcher and Python changes."""
BOOTSTRAP = (
    "import sys; sys.path.insert(0, sys.argv[1]); from agguard._entry import hook_main; hook_main()"
)
"""What Python runs; its arguments are the site folder, the state folder and the event."""
IF_MISSING = ("ask", "deny")
_MARKER = re.compile(
    r"^(?:#|@rem) agguard-launcher (?P<format>\d+) (?P<kind>user|workspace)"
    r" (?P<version>\S+) sha256:(?P<digest>[0-9a-f]{64})\r?$",
    re.MULTILINE,
)
_UNSIGNED = "0" * 64
_SETTING = re.compile(
    r"^(?:set \"(?P<name>\w+)=(?P<cmd>[^\r\n]*)\"|(?P<word>\w+)=(?P<sh>'[^\n]*'|\w+))\r?$",
    re.MULTILINE,
)


class Launcher(Value):
    """What a launcher knows. One for a workspace knows no path, so that it can be committed."""

    version: str
    """agguard's version, for people and for `recognize`."""
    python: str = ""
    """The interpreter, absolute; '' makes a launcher that finds agguard when it runs."""
    site: str = ""
    """The folder that holds the package `agguard`."""
    state: str = ""
    if_missing: str = "ask"
    """What PreToolUse is answered when agguard gives no answer: `ask` or `deny`."""

    @property
    def kind(self) -> str:
        """`user` with paths of this machine, `workspace` without."""
        return "user" if self.python else "workspace"


class Recognized(Value):
    """A script that agguard once wrote."""

    launcher: Launcher
    format: int
    intact: bool
    """Whether it is still as it was written."""


def render(launcher: Launcher, *, windows: bool = False) -> str:
    """Return the launcher's text, for `sh` or for Windows' `cmd`.

    Raises:
        RegistrationError: A path is not absolute or cannot be quoted.
    """
    from agguard.install import launcher_cmd, launcher_sh

    _check(launcher)
    text = launcher_cmd.text(launcher) if windows else launcher_sh.text(launcher)
    return text.replace(_UNSIGNED, _digest(text), 1)


def marker(launcher: Launcher) -> str:
    """Return the marker without its comment sign, not yet signed."""
    return f"agguard-launcher {FORMAT} {launcher.kind} {launcher.version} sha256:{_UNSIGNED}"


def recognize(text: str) -> Recognized | None:
    """Tell whether a script is a launcher of ours, of any version, edited or not."""
    found = _MARKER.search(text, 0, 400)
    if not found:
        return None
    unsigned = text[: found.start("digest")] + _UNSIGNED + text[found.end("digest") :]
    settings: dict[str, str] = {}
    for setting in _SETTING.finditer(text):
        name = setting["name"] or setting["word"]
        settings.setdefault(name, _unquoted(setting["cmd"], setting["sh"]))
    launcher = Launcher(
        version=found["version"],
        python=settings.get("python", "") if found["kind"] == "user" else "",
        site=settings.get("site", ""),
        state=settings.get("state", ""),
        if_missing=settings.get("decision", "ask"),
    )
    return Recognized(launcher, int(found["format"]), _digest(unsigned) == found["digest"])


def _unquoted(cmd: str | None, sh: str | None) -> str:
    if sh is None:
        return (cmd or "").replace("%%", "%")
    return sh[1:-1].replace("'\\''", "'") if sh.startswith("'") else sh


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _check(launcher: Launcher) -> None:
    if launcher.if_missing not in IF_MISSING:
        msg = f"if_missing is {launcher.if_missing!r}: expected one of {', '.join(IF_MISSING)}"
        raise RegistrationError(msg)
    if not re.fullmatch(r"[\w.+!-]+", launcher.version, re.ASCII):
        msg = f"version is {launcher.version!r}: expected a version such as '1.0'"
        raise RegistrationError(msg)
    if launcher.kind == "workspace":
        return
    paths = {"python": launcher.python, "site": launcher.site, "state": launcher.state}
    for name, path in paths.items():
        if not re.match(r"/|[A-Za-z]:[\\/]|\\\\", path) or re.search(r"[\x00-\x1f\x7f]", path):
            msg = f"{name} is {path!r}: expected an absolute path without control characters"
            raise RegistrationError(msg)
