"""The launcher's text: quoting, the marker, and what can be read back from it."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agguard.paths as paths_module
from agguard.errors import RegistrationError
from agguard.install.launcher import Launcher, recognize, render

USER = Launcher("1.2.0", "/opt/py/bin/python3", "/opt/py/site-packages", "/home/u/.local/state")
WINDOWS = Launcher("1.2.0", "C:\\Py\\python.exe", "C:\\Py\\Lib", "C:\\Users\\u\\State", "deny")
AWKWARD = st.text(
    st.characters(blacklist_categories=("Cc", "Cs"), blacklist_characters="\x7f"), min_size=1
)


@settings(deadline=None)
@given(AWKWARD, AWKWARD, AWKWARD, st.sampled_from(["ask", "deny"]))
def test_what_a_launcher_knows_can_be_read_back(
    python: str, site: str, state: str, if_missing: str
) -> None:
    """Quotes, dollars, backticks and blanks survive; so an upgrade can render it anew."""
    launcher = Launcher("1.0", f"/{python}", f"/{site}", f"/{state}", if_missing)
    found = recognize(render(launcher))
    assert found
    assert found.launcher == launcher
    assert found.intact


@settings(deadline=None)
@given(AWKWARD)
def test_a_path_is_one_word_for_the_shell(path: str) -> None:
    """`sh` splits the setting as shlex does: one word, literally the path."""
    text = render(USER.replace(site=f"/{path}"))
    line = next(line for line in text.split("\n") if line.startswith("site="))
    assert shlex.split(line) == [f"site=/{path}"]


@pytest.mark.parametrize(
    "launcher",
    [USER, WINDOWS, Launcher("1.2.0"), Launcher("1.2.0", if_missing="deny")],
    ids=["user", "windows", "workspace", "workspace that denies"],
)
@pytest.mark.parametrize("windows", [False, True])
def test_an_edit_of_any_line_is_noticed(launcher: Launcher, windows: bool) -> None:
    """The marker's digest covers the rest; an edited launcher is still known as ours."""
    text = render(launcher, windows=windows)
    lines = text.split("\n")
    for index, line in enumerate(lines[:-1]):
        edited = "\n".join([*lines[:index], f"{line} #", *lines[index + 1 :]])
        found = recognize(edited)
        if "agguard-launcher" in line:
            assert found is None
        else:
            assert found
            assert not found.intact


def test_a_workspace_launcher_holds_no_path_of_this_machine() -> None:
    """It is committed, so it is the same for everybody."""
    text = render(Launcher("1.2.0"))
    assert sys.prefix not in text
    assert sys.executable not in text
    assert text == render(Launcher("1.2.0"))
    found = recognize(text)
    assert found
    assert found.launcher == Launcher("1.2.0")


OURS_OF_OTHER_VERSIONS = [
    "#!/bin/sh\n# agguard-launcher 1 user 0.0.1 sha256:" + "0" * 64 + "\nexec something else\n",
    "#!/bin/sh\n# agguard-launcher 9 workspace 3.0rc1 sha256:" + "f" * 64 + "\n",
    "@rem agguard-launcher 2 user 0.9 sha256:" + "a" * 64 + "\r\n@echo off\r\n",
]
NOT_OURS = [
    "",
    "#!/bin/sh\nexec agguard hook\n",
    "#!/bin/sh\n# agguard-launcher\n",
    "#!/bin/sh\necho '# agguard-launcher 1 user 1.0 sha256:" + "0" * 64 + "'\n",
    "x\n" * 300 + "# agguard-launcher 1 user 1.0 sha256:" + "0" * 64 + "\n",
]


@pytest.mark.parametrize("text", OURS_OF_OTHER_VERSIONS)
def test_launchers_of_other_versions_are_recognized(text: str) -> None:
    """Earlier and later ones, so that they can be replaced and removed."""
    assert recognize(text) is not None


@pytest.mark.parametrize("text", NOT_OURS)
def test_other_scripts_are_not_taken_for_ours(text: str) -> None:
    """A script that merely mentions us is somebody's own."""
    assert recognize(text) is None


REFUSED = [
    USER.replace(python="/opt/py\n/bin"),
    USER.replace(site="/opt/\0"),
    USER.replace(state="/opt/\r"),
    USER.replace(state="/opt/\x1b[2J"),
    USER.replace(python="python3"),
    USER.replace(site=""),
    USER.replace(state="~/state"),
    USER.replace(if_missing="allow"),
    USER.replace(version="1.0 beta"),
    USER.replace(version=""),
]


@pytest.mark.parametrize("launcher", REFUSED, ids=repr)
def test_what_cannot_be_quoted_or_is_not_absolute_is_refused(launcher: Launcher) -> None:
    """A line end in a path, or a path that depends on the folder, never gets into a script."""
    with pytest.raises(RegistrationError):
        render(launcher)


def test_a_double_quote_is_refused_on_windows() -> None:
    """No Windows path holds one, and `cmd` cannot quote it."""
    with pytest.raises(RegistrationError, match="double quote"):
        render(WINDOWS.replace(site='C:\\a"b'), windows=True)


def test_the_windows_script_quotes_percent_signs_and_ends_lines_as_cmd_wants() -> None:
    """`%` would expand; a backslash before the closing quote would take it along."""
    text = render(WINDOWS.replace(site="C:\\100%\\", state="C:\\Jörg"), windows=True)
    assert 'set "site=C:\\100%%"\r\n' in text
    assert "chcp 65001 >nul\r\n" in text
    assert text.count("\n") == text.count("\r\n")
    assert text.endswith("exit /b 0\r\n")
    found = recognize(text)
    assert found
    assert found.launcher.site == "C:\\100%"


def test_every_label_that_the_windows_script_jumps_to_is_there() -> None:
    """`cmd` ends a script that jumps to nowhere, which would leave no answer."""
    for launcher in (WINDOWS, Launcher("1.2.0")):
        lines = render(launcher, windows=True).split("\r\n")
        labels = {line[1:] for line in lines if line.startswith(":")}
        jumps = {line.rpartition("goto ")[2] for line in lines if "goto " in line}
        assert jumps
        assert jumps <= labels


def test_rendering_needs_no_heavy_module() -> None:
    """The hook renews its launcher, so this stays inside the hook's budget."""
    program = (
        "from agguard.install.launcher import Launcher, render, recognize;"
        "recognize(render(Launcher('1', '/a', '/b', '/c')));"
        "recognize(render(Launcher('1', 'C:/a', 'C:/b', 'C:/c'), windows=True));"
        "from agguard.install.renewal import renew;"
        "print(sorted({'pathlib', 'typing', 'dataclasses', 'inspect', 'logging', 'subprocess',"
        "'shlex', 'platformdirs', 'importlib.metadata', 'difflib'} & set(sys.modules)))"
    )
    site = str(Path(paths_module.__file__).parents[1])
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys; sys.path.insert(0, {site!r}); {program}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
