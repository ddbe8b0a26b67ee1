"""The root and the chain of a session (contract, 1)."""

from __future__ import annotations

import pytest

from agguard.rules.session import session
from unit.rules.shelf import Shelf


@pytest.mark.parametrize(
    ("files", "folder", "root"),
    [
        ({"/ws/.git/HEAD": "", "/ws/a/.git": "gitdir: x"}, "/ws/a/b", "/ws/a"),
        ({"/ws/.git/HEAD": "anything"}, "/ws/a/b", "/ws"),
        ({"/ws/.git": ""}, "/ws/a", "/ws"),
        ({"/ws/.git/HEAD/x": ""}, "/ws/a", "/ws"),
        ({"/ws/.repo": "", "/ws/a/.git/HEAD": ""}, "/ws/a/b", "/ws"),
        ({"/ws/.repo/x": "", "/ws/a/.repo": ""}, "/ws/a/b", "/ws/a"),
        ({"/.git/HEAD": ""}, "/ws/a", "/"),
        ({"/g/HEAD": "", "/ws/.git": "-> ../g"}, "/ws/a", "/ws"),
    ],
)
def test_markers_make_the_root(files: dict[str, str], folder: str, root: str) -> None:
    found = session(folder, Shelf(files | {f"{folder}/x": ""}))
    assert found.root == root
    assert found.marker in {f"{root.rstrip('/')}/.git", f"{root.rstrip('/')}/.repo"}


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"/ws/.git/config": "", "/ws/.git/objects/x": "", "/ws/.git/refs/x": ""},
        {"/ws/.hg/x": "", "/ws/.svn/x": "", "/ws/.jj/x": "", "/ws/package.json": ""},
        {"/ws/HEAD": "", "/ws/objects/x": "", "/ws/refs/x": ""},
        {"/ws/.git": "-> nowhere"},
        {"/ws/.git/HEAD": "-> nowhere"},
        {"/ws/.repo": "-> nowhere"},
        {"/ws/.git": "-> .git"},
        {"/ws/a/b/c/.git/HEAD": ""},
    ],
)
def test_other_things_do_not(files: dict[str, str]) -> None:
    """Then the session's own folder is the root, and nothing above it is read."""
    found = session("/ws/a/b", Shelf(files | {"/ws/a/b/x": ""}))
    assert (found.root, found.marker, found.chain) == ("/ws/a/b", "", ("/ws/a/b",))


def test_the_chain_goes_from_the_session_up_to_the_root() -> None:
    shelf = Shelf({"/ws/.git/HEAD": "", "/ws/a/b/x": ""})
    assert session("/ws/a/b", shelf).chain == ("/ws/a/b", "/ws/a", "/ws")


def test_the_sessions_folder_is_resolved() -> None:
    shelf = Shelf({"/ws/.git/HEAD": "", "/ws/a/x": "", "/o/link": "-> ../ws/a"})
    assert session("/o/link", shelf).chain == ("/ws/a", "/ws")
