"""The launcher as a Windows command script.

`cmd` cannot hold a long answer in a variable, so Python writes into a file. One short line of a
process that ended well is printed as it is; anything else is picked from the file by Python
again, or by a loop where no interpreter is known.
"""

from __future__ import annotations

from agguard.errors import RegistrationError
from agguard.install import last_resort
from agguard.install.launcher import BOOTSTRAP, marker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.install.launcher import Launcher

_PICK = (
    "import sys; lines = open(sys.argv[1], 'rb').read().split(b'\\n')[:-1]; "
    "good = [line for line in map(bytes.strip, lines) if line[:1] + line[-1:] == b'{}']; "
    "sys.stdout.buffer.write(b''.join(good[-1:]) + b'\\n'); sys.exit(not good)"
)

# `for /f` reads lines of up to some 8000 characters, so longer files take the careful way.
_HEAD = """\
@rem {marker}
@rem Written by `agguard install`, removed by `agguard uninstall`; edits are lost.
@echo off
setlocal DisableDelayedExpansion
{settings}
set "decision={decision}"
set "event=%~1"
set "out=%TEMP%\\agguard-%RANDOM%-%RANDOM%-%RANDOM%.out"
"""

_USER_RUN = """\
"%python%" -I -S -c "{bootstrap}" "%site%" "%state%" "%event%" >"%out%"
set "status=%ERRORLEVEL%"
set "size=0"
set "more="
for %%F in ("%out%") do set "size=%%~zF"
for /f "usebackq skip=1 delims=" %%L in ("%out%") do set "more=1"
if not "%status%"=="0" goto pick
if defined more goto pick
if %size% GTR 8000 goto pick
if %size% EQU 0 goto silent
type "%out%"
goto done
:pick
"%python%" -I -S -c "{pick}" "%out%"
if not errorlevel 1 goto done
:silent
findstr "^" >nul 2>&1
if not "%event%"=="PreToolUse" goto nothing
if not exist "%python%" goto gone
if not exist "%site%\\agguard\\_entry.py" goto uninstalled
goto unknown
"""

_WORKSPACE_RUN = """\
set "agguard="
set "python="
for %%P in (agguard.exe) do set "agguard=%%~$PATH:P"
for %%P in (python.exe) do set "python=%%~$PATH:P"
set "status=9009"
if defined agguard goto installed
if not defined python goto silent
"%python%" -P -m agguard hook "%event%" >"%out%"
set "status=%ERRORLEVEL%"
goto ran
:installed
"%agguard%" hook "%event%" >"%out%"
set "status=%ERRORLEVEL%"
:ran
set "size=0"
set "answer="
for %%F in ("%out%") do set "size=%%~zF"
if not "%status%"=="0" goto silent
if %size% GTR 8000 goto long
for /f "usebackq delims=" %%L in ("%out%") do set "answer=%%L"
if not defined answer goto silent
setlocal EnableDelayedExpansion
echo !answer!
endlocal
goto done
:long
type "%out%"
goto done
:silent
findstr "^" >nul 2>&1
if not "%event%"=="PreToolUse" goto nothing
if not defined agguard goto missing
goto unknown
"""

_TAIL = """\
{reasons}:unknown
echo {{"decision":"%decision%","reason":"{before}%status%{after}"}}
goto done
:nothing
echo {{}}
:done
del /q "%out%" >nul 2>&1
exit /b 0
"""


def text(launcher: Launcher) -> str:
    """Return the script for a launcher whose paths have been checked, its marker not signed.

    Raises:
        RegistrationError: A path holds a double quote, which no Windows path can.
    """
    user = launcher.kind == "user"
    before, after = last_resort.silent()
    run = _USER_RUN.format(bootstrap=BOOTSTRAP, pick=_escaped(_PICK)) if user else _WORKSPACE_RUN
    reasons = _user_reasons(launcher) if user else _reason("missing", last_resort.not_found())
    script = (
        _HEAD.format(
            marker=marker(launcher),
            settings=_settings(launcher) if user else "@rem Finds agguard when it runs.",
            decision=launcher.if_missing,
        )
        + run
        + _TAIL.format(
            reasons=reasons,
            before=_escaped(before),
            after=_escaped(after),
        )
    )
    return script.replace("\n", "\r\n")


def _settings(launcher: Launcher) -> str:
    lines = [
        f'set "{name}={_path(getattr(launcher, name))}"' for name in ("python", "site", "state")
    ]
    if not all(line.isascii() for line in lines):
        # cmd reads scripts in the console's code page.
        lines.insert(0, "chcp 65001 >nul")
    return "\n".join(lines)


def _path(path: str) -> str:
    """Write a path inside quotes; a backslash at its end would take the closing one with it."""
    if '"' in path:
        msg = f"{path!r} holds a double quote: expected a path of this machine"
        raise RegistrationError(msg)
    return _escaped(path.rstrip("\\"))


def _escaped(words: str) -> str:
    return words.replace("%", "%%")


def _user_reasons(launcher: Launcher) -> str:
    gone = _reason("gone", last_resort.gone(launcher.python))
    return gone + _reason("uninstalled", last_resort.uninstalled(launcher.site))


def _reason(label: str, reason: str) -> str:
    return f':{label}\necho {{"decision":"%decision%","reason":"{_escaped(reason)}"}}\ngoto done\n'
