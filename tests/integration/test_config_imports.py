"""What importing the configuration costs those who must not pay for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import agguard.config

SOURCES = Path(agguard.config.__file__).parent
HEAVY = ("tomllib", "tomlkit", "difflib", "typing", "inspect", "dataclasses", "pathlib", "pluggy")


def modules_after(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after a statement."""
    root = str(SOURCES.parent.parent)
    code = f"import sys; sys.path.insert(0, {root!r}); {statement}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_looking_up_a_compiled_setting_imports_nothing_else() -> None:
    """It is the only module of the package that a hook may use."""
    loaded = modules_after("import agguard.config.lookup")
    own = {name for name in loaded if name.startswith("agguard")}
    assert own == {"agguard", "agguard.config", "agguard.config.lookup"}
    assert not loaded & set(HEAVY)


def test_every_module_can_be_imported_first() -> None:
    """No module depends on another having been imported before."""
    for path in sorted(SOURCES.glob("*.py")):
        name = "agguard.config" if path.stem == "__init__" else f"agguard.config.{path.stem}"
        assert name in modules_after(f"import {name}")
