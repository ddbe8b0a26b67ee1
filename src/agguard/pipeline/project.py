"""The settings of one firing: the manifest's, tightened by its project and the environment.

The usual firing finds no such layer, or what was compiled for it before: no TOML is parsed then.
"""

from __future__ import annotations

import os

from agguard import __version__
from agguard.location import DOTFILE, project_files, root_of, spelled
from agguard.plugins import manifest as manifests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from agguard.plugins.manifest import Manifest

FOLDER = "projects"
"""Below the state folder: what was compiled, one file for each set of project files."""

TRUST = "trust.json"
"""`agguard.config.trust.NAME`; that module parses and digests, which a hook need not."""

LONGEST = 150
"""Characters of a compiled file's name; two projects of one name take turns."""


def in_force(state: str, compiled: Manifest, workspaces: Iterable[str]) -> Manifest:
    """Return the manifest with the settings that hold in these folders.

    A project and the environment only tighten (design, section 7). A project's own configuration
    file is protected like the user's, whether or not it is there.

    Args:
        state: The folder of ledger and manifest.
        compiled: What holds everywhere.
        workspaces: The folders of the session, as the host names them.
    """
    roots = roots_of(workspaces)
    compiled = protecting(compiled, roots)
    files = [path for root in roots for path in project_files(root)]
    stamps = [[path, stamp] for path in files if (stamp := manifests.stamp(path))]
    variables = _variables(compiled.settings)
    if not stamps and not variables:
        return compiled
    key = {
        "version": __version__,
        "user": compiled.key["files"],
        "trust": manifests.stamp(os.path.join(state, TRUST)),
        "files": stamps,
        "variables": variables,
    }
    path = os.path.join(state, FOLDER, _name(roots))
    found = manifests.content(path)
    if not _is_whole(found) or found["key"] != key:
        from agguard.pipeline.tightening import tightened

        found = tightened(state, compiled, key, path)
    return compiled.replace(
        settings=found["settings"] or compiled.settings,
        problems=[*compiled.problems, *found["problems"]],
    )


def roots_of(workspaces: Iterable[str]) -> list[str]:
    """Return the roots of the projects that some folders are in."""
    folders = [folder for one in workspaces if (folder := spelled(one))]
    return list(dict.fromkeys(map(root_of, folders)))


def protecting(compiled: Manifest, roots: list[str]) -> Manifest:
    """Return the manifest with the projects' own configuration files among what is protected."""
    own = [os.path.join(root, DOTFILE) for root in roots]
    if not own:
        return compiled
    known = [*compiled.paths.get("protected", ()), *own, *map(os.path.realpath, own)]
    return compiled.replace(paths={**compiled.paths, "protected": list(dict.fromkeys(known))})


def _variables(settings: dict[str, Any]) -> list[list[str]]:
    """Return the variables that may be settings; none inside an agent's own shell."""
    environ = os.environ
    if environ.get("ANTIGRAVITY_AGENT") or environ.get("ANTIGRAVITY_TRAJECTORY_ID"):
        return []
    ours = [name for name in environ if name.startswith("AGGUARD_")]
    sections = tuple(f"AGGUARD_{section.upper()}" for section in settings) if ours else ()
    return [[name, environ[name]] for name in sorted(ours) if name.startswith(sections)]


def _name(roots: list[str]) -> str:
    text = "+".join(roots) or "environment"
    return "".join(c if c.isalnum() else "-" for c in text)[-LONGEST:] + ".json"


def _is_whole(found: Any) -> bool:  # noqa: ANN401 - any JSON
    """Whether it has the form that `tightened` writes."""
    return (
        isinstance(found, dict)
        and {"key", "settings", "problems"} <= found.keys()
        and isinstance(found["settings"], dict | None)
        and isinstance(found["problems"], list)
        and all(len(problem) == 3 for problem in found["problems"])  # noqa: PLR2004 - triples
    )
