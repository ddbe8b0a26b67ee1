"""What guards remember between hooks: JSON in the cache folder, which can be made again."""

from __future__ import annotations

import os

from agguard import jsontext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def recall(path: str) -> dict[str, Any]:
    """Return what was remembered in a file; nothing where there is no such file, or no path."""
    try:
        with open(path, "rb") as file:
            known = jsontext.loads(file.read().decode())
    except (OSError, ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}


def remember(path: str, known: Mapping[str, Any]) -> None:
    """Keep something in a file. Where that cannot be, it is found out anew, and nothing else."""
    if not path:
        return
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(jsontext.dumps(dict(known)))
        os.replace(temporary, path)
    except OSError:
        return
