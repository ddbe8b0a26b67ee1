"""Writes a complete package for a guard: what `agguard plugins new` does."""

from __future__ import annotations

import os
import re

from agguard import hookspecs
from agguard.errors import PluginError
from agguard.plugins import templates
from agguard.plugins.discovery import DEFAULT

NAME = re.compile(r"(?=.{1,30}\Z)[a-z][a-z0-9]*(-[a-z0-9]+)*")


def scaffold(folder: str, name: str, hooks: tuple[str, ...]) -> list[str]:
    """Write the package `agguard-NAME` into a folder.

    Args:
        folder: Where the package's own folder is made.
        name: The plugin's name.
        hooks: The hooks to implement.

    Returns:
        The files that were written.

    Raises:
        PluginError: The name cannot be used, there is no such hook, or the folder exists.
    """
    _refuse(name, hooks)
    root = os.path.join(folder, f"agguard-{name}")
    if os.path.lexists(root):
        msg = f"{root!r} exists; choose another name, or another folder with --in"
        raise PluginError(msg)
    written = []
    for path, text in files(name, tuple(dict.fromkeys(hooks))).items():
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        written.append(target)
    return written


def files(name: str, hooks: tuple[str, ...]) -> dict[str, str]:
    """Return the package's files, by their path in it."""
    module = f"agguard_{name.replace('-', '_')}"
    return {
        "pyproject.toml": templates.project(name, module),
        f"src/{module}/__init__.py": templates.module(name, hooks),
        f"src/{module}/py.typed": "",
        "tests/conftest.py": templates.conftest(name, module),
        "tests/test_guard.py": templates.tests(name, hooks),
        "README.md": templates.readme(name, hooks),
    }


def _refuse(name: str, hooks: tuple[str, ...]) -> None:
    if not NAME.fullmatch(name) or name == DEFAULT:
        msg = f"{name!r} cannot be a plugin's name; expected lower case such as 'terraform-plan'"
        raise PluginError(msg)
    from agguard.config.declared import declared

    declared(name, {})
    for hook in hooks:
        if hook not in hookspecs.HOOKS:
            msg = f"there is no hook {hook!r}; there are {', '.join(hookspecs.HOOKS)}"
            raise PluginError(msg)
