"""The launcher as a POSIX shell script, for dash, bash, busybox and their kin.

No pattern here walks a long answer more than a few times: `${x##*...}` is quadratic in dash,
splitting at line ends is not. The dot after Python's output tells a complete last line from one
that was cut off, which `$(...)` alone cannot.
"""

from __future__ import annotations

from agguard.install import last_resort
from agguard.install.launcher import BOOTSTRAP, marker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.install.launcher import Launcher

_HEAD = """\
#!/bin/sh
# {marker}
# Written by `agguard install`, removed by `agguard uninstall`; edits are lost.
{settings}
decision={decision}
event=${{1-}}
set -f
IFS='
'
"""

_USER_RUN = """\
run() {{
  "$python" -I -S -c {bootstrap} "$site" "$state" "$event"
  printf '.%s' "$?"
}}
"""

# GUI applications lack the PATH of a login shell (contract, section 10.32). What `command -v`
# finds must be absolute: the working directory is the workspace's. -P keeps it out of sys.path.
_WORKSPACE_RUN = """\
PATH="${PATH:-/usr/bin:/bin}:${HOME:+$HOME/.local/bin:}/usr/local/bin:/opt/homebrew/bin"
agguard=$(command -v agguard)
python=$(command -v python3)
run() {
  case $agguard in
    /*) "$agguard" hook "$event" ;;
    *) case $python in /*) "$python" -P -m agguard hook "$event" ;; *) false ;; esac ;;
  esac
  printf '.%s' "$?"
}
"""

# A background job has no stdin of its own, so it is handed over as 3. It reads what the host
# still writes, for the host must not meet a closed pipe, and nobody waits for it.
_TAIL = """\
answer= last=
for line in $(run); do
  case $last in '{{'*'}}') answer=$last ;; esac
  last=$line
done
status=${{last##*.}}
if [ -z "$answer" ] || [ "$status" != 0 ]; then
  {{ PATH=/usr/bin:/bin${{PATH:+:$PATH}} cat <&3 >/dev/null & }} 2>/dev/null 3<&0
fi
refuse() {{
  printf '{{"decision":"%s","reason":"%s%s%s"}}\\n' "$decision" "$@"
}}
if [ -n "$answer" ]; then
  printf '%s\\n' "$answer"
elif [ "$event" != PreToolUse ]; then
  printf '{{}}\\n'
{reasons}
else
  refuse {before} "${{status:-unknown}}" {after}
fi
exit 0
"""


def quoted(word: str) -> str:
    """Quote a word for `sh`; single quotes leave nothing else to be interpreted."""
    return "'" + word.replace("'", "'\\''") + "'"


def text(launcher: Launcher) -> str:
    """Return the script for a launcher whose paths have been checked, its marker not signed."""
    user = launcher.kind == "user"
    before, after = last_resort.silent()
    return (
        _HEAD.format(
            marker=marker(launcher),
            settings=_settings(launcher) if user else "# Finds agguard when it runs.",
            decision=launcher.if_missing,
        )
        + (_USER_RUN.format(bootstrap=quoted(BOOTSTRAP)) if user else _WORKSPACE_RUN)
        + _TAIL.format(
            reasons=_user_reasons(launcher) if user else _workspace_reasons(),
            before=quoted(before),
            after=quoted(after),
        )
    )


def _settings(launcher: Launcher) -> str:
    paths = {"python": launcher.python, "site": launcher.site, "state": launcher.state}
    return "\n".join(f"{name}={quoted(path)}" for name, path in paths.items())


def _user_reasons(launcher: Launcher) -> str:
    gone = quoted(last_resort.gone(launcher.python))
    removed = quoted(last_resort.uninstalled(launcher.site))
    return (
        f"elif [ ! -x \"$python\" ]; then\n  refuse {gone} '' ''\n"
        f"elif [ ! -f \"$site/agguard/_entry.py\" ]; then\n  refuse {removed} '' ''"
    )


def _workspace_reasons() -> str:
    missing = quoted(last_resort.not_found())
    # Where only a Python is found, it has no agguard, or it would have answered.
    return f"elif [ -z \"$agguard\" ]; then\n  refuse {missing} '' ''"
