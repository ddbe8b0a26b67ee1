"""Which files are read, and under which path each counts (contract, 2 and 3)."""

from __future__ import annotations

import pytest

from agguard.rules.engine import Rendered, render
from unit.rules.shelf import Shelf

RULE = "---\ntrigger: always_on\n---\nbody\n"
HOME = "/home/u"


def told(files: dict[str, str], *workspaces: str) -> Rendered:
    shelf = Shelf({"/ws/.git/HEAD": ""} | files)
    return render(workspaces or "/ws", HOME, product="sdk", read=shelf)


def paths(files: dict[str, str], *workspaces: str) -> list[str]:
    return [rule.path for rule in told(files, *workspaces).rules]


@pytest.mark.parametrize(
    "path",
    [
        "/ws/GEMINI.md",
        "/ws/AGENTS.md",
        "/ws/.agents/AGENTS.md",
        "/ws/.agent/GEMINI.md",
        "/ws/_agents/AGENTS.md",
        "/ws/_agent/AGENTS.md",
        "/ws/.agents/rules/a.md",
        "/ws/.agents/rules/.hidden.md",
        "/ws/.agents/rules/.md",
        "/ws/_agent/rules/AGENTS.md",
        "/home/u/.gemini/GEMINI.md",
        "/home/u/.gemini/AGENTS.md",
        "/home/u/.gemini/config/GEMINI.md",
        "/home/u/.gemini/config/AGENTS.md",
        "/home/u/.gemini/config/rules/a.md",
    ],
)
def test_read(path: str) -> None:
    assert paths({path: RULE}) == [path]


@pytest.mark.parametrize(
    "path",
    [
        "/ws/gemini.md",
        "/ws/Agents.md",
        "/ws/CLAUDE.md",
        "/ws/.agents/rules/a.MD",
        "/ws/.agents/rules/x.txt",
        "/ws/.agents/rules/x.mdc",
        "/ws/.agents/rules/deep/x.md",
        "/ws/.agents/a.md",
        "/ws/app/AGENTS.md",
        "/ws/app/.agents/rules/a.md",
        "/ws/.gemini/GEMINI.md",
        "/ws/rules/a.md",
        "/AGENTS.md",
        "/home/u/AGENTS.md",
        "/home/u/.agents/rules/a.md",
        "/home/u/.gemini/rules/a.md",
        "/home/u/.gemini/agents.md",
        "/home/u/.gemini/antigravity/GEMINI.md",
        "/ws/.agents/plugins/p/rules/AGENTS.md",
        "/home/u/.gemini/config/plugins/p/rules/AGENTS.md",
    ],
)
def test_not_read(path: str) -> None:
    rendered = told({path: RULE})
    assert (rendered.block, rendered.rules) == ("", ())


def test_without_names_there_are_no_rules_at_all() -> None:
    """11.6: not even those of .agents/rules."""
    from agguard.rules.product import product_named

    product = product_named("sdk").replace(filenames=())
    shelf = Shelf({"/ws/.agents/rules/a.md": RULE, "/ws/AGENTS.md": "x"})
    assert render("/ws", HOME, product=product, read=shelf).block == ""


def test_other_names_work_in_every_place() -> None:
    """11.6: CLAUDE.md is read wherever AGENTS.md would be, if the product passes it."""
    from agguard.rules.product import product_named

    product = product_named("sdk").replace(filenames=("CLAUDE.md",))
    files = {"/ws/CLAUDE.md": "a", "/ws/AGENTS.md": "b", "/home/u/.gemini/CLAUDE.md": "c"}
    rendered = render("/ws", HOME, product=product, read=Shelf(files))
    assert [rule.path for rule in rendered.rules] == ["/home/u/.gemini/CLAUDE.md", "/ws/CLAUDE.md"]


@pytest.mark.parametrize(
    ("files", "kept"),
    [
        ({"/ws/AGENTS.md": "x", "/ws/GEMINI.md": "-> AGENTS.md"}, ["/ws/GEMINI.md"]),
        ({"/ws/GEMINI.md": "x", "/ws/AGENTS.md": "-> GEMINI.md"}, ["/ws/GEMINI.md"]),
        (
            {"/ws/.agents/rules/b.md": RULE, "/ws/.agents/rules/a.md": "-> b.md"},
            ["/ws/.agents/rules/a.md"],
        ),
        (
            {
                "/ws/.agents/AGENTS.md": "x",
                "/ws/.agents/rules/a.md": RULE,
                "/ws/.agent": "-> .agents",
            },
            ["/ws/.agents/AGENTS.md", "/ws/.agent/rules/a.md"],
        ),
        ({"/ws/AGENTS.md": "x", "/ws/.agents/rules/a.md": "-> ../../AGENTS.md"}, []),
        ({"/ws/.agents/rules/a.md": "no trigger", "/ws/AGENTS.md": "-> .agents/rules/a.md"}, []),
        (
            {"/ws/.agents/rules/a.md": RULE, "/ws/AGENTS.md": "-> .agents/rules/a.md"},
            ["/ws/.agents/rules/a.md"],
        ),
        (
            {
                "/ws/.agents/rules/a.md": RULE,
                "/home/u/.gemini/config/rules/a.md": "-> /ws/.agents/rules/a.md",
            },
            ["/ws/.agents/rules/a.md"],
        ),
        (
            {"/home/u/.gemini/GEMINI.md": "x", "/ws/AGENTS.md": "-> /home/u/.gemini/GEMINI.md"},
            ["/home/u/.gemini/GEMINI.md", "/ws/AGENTS.md"],
        ),
        (
            {
                "/home/u/.gemini/config/AGENTS.md": "x",
                "/home/u/.gemini/GEMINI.md": "-> config/AGENTS.md",
            },
            ["/home/u/.gemini/GEMINI.md"],
        ),
        (
            {
                "/home/u/.gemini/GEMINI.md": "x",
                "/home/u/.gemini/config/GEMINI.md": "-> ../GEMINI.md",
            },
            ["/home/u/.gemini/config/GEMINI.md"],
        ),
    ],
)
def test_of_two_paths_to_one_file_the_first_counts(files: dict[str, str], kept: list[str]) -> None:
    assert paths(files) == kept


def test_a_link_in_the_leaf_beats_the_roots_file() -> None:
    """3.2 (c): from the session's folder upward."""
    files = {"/ws/AGENTS.md": "x", "/ws/app/GEMINI.md": "-> ../AGENTS.md"}
    assert paths(files, "/ws/app") == ["/ws/app/GEMINI.md"]


def test_folder_files_come_before_those_of_config_folders() -> None:
    """3.2: all of (c) before any of (d)."""
    files = {"/ws/AGENTS.md": "x", "/ws/app/.agents/AGENTS.md": "-> ../../AGENTS.md"}
    assert paths(files, "/ws/app") == ["/ws/AGENTS.md"]


def test_equal_contents_are_different_files() -> None:
    assert len(paths({"/ws/AGENTS.md": "same", "/ws/GEMINI.md": "same"})) == 2


def test_order_of_the_contracts_example() -> None:
    files = dict.fromkeys(
        (
            "/ws/AGENTS.md",
            "/ws/.agents/AGENTS.md",
            "/ws/app/AGENTS.md",
            "/ws/.agents/rules/a.md",
            "/ws/app/.agents/AGENTS.md",
            "/home/.gemini/config/rules/a.md",
            "/ws/app/.agents/rules/a.md",
        ),
        RULE,
    )
    shelf = Shelf({"/ws/.git/HEAD": ""} | files)
    rendered = render("/ws/app", "/home", product="sdk", read=shelf)
    assert [rule.path for rule in rendered.rules] == list(files)


def test_several_workspaces_have_their_own_roots_and_share_the_order() -> None:
    """11.3: a folder reached twice counts once; mentions use the root of the rule's own one."""
    files = {
        "/a/.git/HEAD": "",
        "/a/q/.git/HEAD": "",
        "/a/AGENTS.md": "@/x @/y",
        "/a/q/AGENTS.md": "@/x @/y",
        "/a/q/r/AGENTS.md": "@/x @/y",
        "/a/x": "",
        "/a/q/y": "",
    }
    rendered = told(files, "/a/q/r", "/a")
    assert [rule.body for rule in rendered.rules] == ["@/a/x @/y", "@/x @/a/q/y", "@/x @/a/q/y"]


def test_of_links_between_workspaces_the_smaller_uri_is_kept() -> None:
    files = {
        "/a/.git/HEAD": "",
        "/b/.git/HEAD": "",
        "/b/GEMINI.md": "x",
        "/a/GEMINI.md": "-> ../b/GEMINI.md",
    }
    assert paths(files, "/b", "/a") == paths(files, "/a", "/b") == ["/a/GEMINI.md"]


def test_directory_files_of_all_workspaces_come_before_config_folders() -> None:
    files = {
        "/a/.git/HEAD": "",
        "/b/.git/HEAD": "",
        "/b/AGENTS.md": "x",
        "/a/.agents/AGENTS.md": "-> ../../b/AGENTS.md",
    }
    assert paths(files, "/a", "/b") == ["/b/AGENTS.md"]


def test_a_home_that_is_in_the_chain_is_a_workspace_too() -> None:
    files = {
        "/home/u/.git/HEAD": "",
        "/home/u/AGENTS.md": "a",
        "/home/u/.agents/rules/a.md": RULE,
        "/home/u/.gemini/AGENTS.md": "g",
        "/home/u/p/AGENTS.md": "p",
    }
    assert paths(files, "/home/u/p") == [
        "/home/u/.gemini/AGENTS.md",
        "/home/u/AGENTS.md",
        "/home/u/p/AGENTS.md",
        "/home/u/.agents/rules/a.md",
    ]


def test_a_session_in_the_home_gemini_folder_tells_a_file_twice() -> None:
    rendered = told({"/home/u/.gemini/AGENTS.md": "g"}, "/home/u/.gemini")
    assert [rule.source.kind for rule in rendered.rules] == ["global", "directory"]


def test_what_is_met_and_not_taken_is_reported() -> None:
    shelf = Shelf(
        {
            "/ws/.git/HEAD": "",
            "/ws/AGENTS.md/x": "",
            "/ws/.agents/rules/d.md": "-> nowhere",
            "/ws/.agents/rules/l.md": "-> l.md",
            "/ws/.agents/rules/n.md": "no frontmatter",
        },
        special=("/ws/GEMINI.md",),
        closed=("/ws/.agents/rules/c.md",),
    )
    rendered = render("/ws", HOME, product="sdk", read=shelf)
    assert rendered.block == ""
    assert {rule.path: rule.reason for rule in rendered.left_out} == {
        "/ws/AGENTS.md": "folder",
        "/ws/GEMINI.md": "special",
        "/ws/.agents/rules/c.md": "closed",
        "/ws/.agents/rules/d.md": "dangling",
        "/ws/.agents/rules/l.md": "dangling",
        "/ws/.agents/rules/n.md": "no_frontmatter",
    }


def test_nothing_outside_the_walk_is_opened_or_listed() -> None:
    """Folders beside and below the session are not even asked about."""
    files = {"/ws/.git/HEAD": "", "/ws/a/AGENTS.md": "x", "/ws/AGENTS.md": "y"}
    files |= {f"/ws/other/{n}/AGENTS.md": "z" for n in range(100)}
    shelf = Shelf(files)
    render("/ws/a", HOME, product="app", read=shelf)
    assert sorted(shelf.opened) == ["/ws/AGENTS.md", "/ws/a/AGENTS.md"]
    assert not [path for path in shelf.asked if path.startswith("/ws/other")]
    assert len(shelf.asked) < 200
