"""`rules.json` (contract, 12); what it leaves open was measured on the engine."""

from __future__ import annotations

import json

import pytest

from agguard.rules.registry import Listing, listing, place
from unit.rules.shelf import Shelf

FILES = {
    "/ws/d/r/a.md": "",
    "/ws/d/r/b.md": "",
    "/ws/d/r/sub/c.md": "",
    "/ws/d/txt.txt": "",
    "/ws/d/up.MD": "",
    "/ws/x/x.md": "",
    "/ws/x/y.md": "",
    "/ws/one.md": "",
    "/ws/.agents/own.md": "",
    "/own2.md": "",
    "/ws/g/g.md/k": "",
    "/ws/g/h.md": "",
    "/ws/lnk": "-> x",
}


def read(document: object, **more: object) -> Listing:
    extra = {f"/ws/{name}.json": json.dumps(content) for name, content in more.items()}
    text = document if isinstance(document, str) else json.dumps(document)
    shelf = Shelf(FILES | extra | {"/ws/.agents/rules.json": text})
    return listing("/ws/.agents/rules.json", place("/ws", "/ws"), shelf)


def named(*entries: object) -> list[str]:
    return [path for path, _ in read({"entries": list(entries)}).found]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"path": "d/r"}, ["/ws/d/r/a.md", "/ws/d/r/b.md"]),
        ({"path": "./d/r/"}, ["/ws/d/r/a.md", "/ws/d/r/b.md"]),
        ({"path": "/ws/d/r"}, ["/ws/d/r/a.md", "/ws/d/r/b.md"]),
        ({"path": "one.md"}, ["/ws/one.md"]),
        ({"path": "../.agents/own.md"}, ["/ws/.agents/own.md"]),
        ({"path": "./../own2.md"}, ["/own2.md"]),
        ({"path": "x"}, ["/ws/x/x.md"]),
        ({"path": "x", "include_only": ["y"]}, ["/ws/x/y.md"]),
        ({"path": "x", "include_only": ["x.md", "y"]}, ["/ws/x/x.md", "/ws/x/y.md"]),
        ({"path": "x", "exclude": ["y"]}, ["/ws/x/x.md"]),
        ({"path": "d/r", "include_only": ["a"]}, ["/ws/d/r/a.md"]),
        ({"path": "d/r", "exclude": ["a.md"]}, ["/ws/d/r/b.md"]),
        ({"path": "d/r", "include_only": ["a", "b"], "exclude": ["b"]}, ["/ws/d/r/a.md"]),
        ({"path": "lnk"}, ["/ws/lnk/x.md", "/ws/lnk/y.md"]),
        ({"PATH": "one.md"}, ["/ws/one.md"]),
    ],
)
def test_entries_bring_in_rule_files(entry: object, expected: list[str]) -> None:
    assert named(entry) == expected


@pytest.mark.parametrize(
    "entry",
    [
        {"path": ""},
        {"path": None},
        {},
        None,
        {"path": "missing"},
        {"path": " d/r "},
        {"path": "d/txt.txt"},
        {"path": "d/up.MD"},
        {"path": "own.md"},
        {"path": "~/x"},
        {"path": "file:///ws/d/r"},
        {"path": "d/*.md"},
        {"path": "d/r", "include_only": ["d/r/a.md"]},
        {"path": "one.md", "include_only": ["x"]},
        {"path": "one.md", "exclude": ["one"]},
        {"path": "x", "exclude": ["x"]},
    ],
)
def test_entries_that_add_nothing(entry: object) -> None:
    assert named(entry) == []
    assert named(entry, {"path": "one.md"}) == ["/ws/one.md"] or entry == {"path": "own.md"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "\ufeff{}",
        '{"entries":{}}',
        '{"entries":["d/r"]}',
        '{"entries":[{"path":1},{"path":"d/r"}]}',
        '{"entries":[{"path":"d/r","include_only":"a"}]}',
        '{"entries":[{"path":"d/r","exclude":[1]}]}',
        '{"entries":[{"path":"d/r"}]} x',
        '{"entries":[{"path":"d/r"},,]}',
        "# c\n{}",
        "{'entries':[]}",
        '{"inherits":["r.json"],"entries":[{"path":"d/r"}]}',
        '{"entries":[{"path":"d/r"}],"x":NaN}',
    ],
)
def test_malformed_registries_are_ignored_as_a_whole(text: str) -> None:
    listed = read(text)
    assert listed.found == ()
    assert [path for path, _ in listed.faults] == ["/ws/.agents/rules.json"]


def test_comments_and_trailing_commas_are_fine() -> None:
    text = '// c\n{/* x */"entries":[{"path":"one.md",},],} // end'
    assert [path for path, _ in read(text).found] == ["/ws/one.md"]


def test_the_last_of_two_keys_counts() -> None:
    text = '{"entries":[{"path":"d/r"}],"Entries":[{"path":"one.md"}]}'
    assert [path for path, _ in read(text).found] == ["/ws/one.md"]


def test_a_folder_of_its_own_rules_name_adds_nothing_else() -> None:
    """`g/g.md` is a folder, yet it hides `g/h.md` (seen on the engine)."""
    assert named({"path": "g"}) == ["/ws/g/g.md"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("top.md", "/ws/top.md"),
        ("both.md", "/ws/both.md"),
        ("leaf.md", "/ws/app/web/leaf.md"),
        ("../mid.md", "/ws/app/mid.md"),
        ("../../top.md", "/ws/top.md"),
        ("../leaf.md", "/ws/app/web/leaf.md"),
        ("../up.md", "/up.md"),
        ("../top.md", "/ws/top.md"),
        ("g.md", "/ws/google3/g.md"),
    ],
)
def test_where_a_relative_path_is_looked_for(path: str, expected: str) -> None:
    """Beside the config folder, in the root, and in google3 of both (seen)."""
    names = ("/up.md", "/ws/top.md", "/ws/both.md", "/ws/app/mid.md", "/ws/app/both.md")
    files = dict.fromkeys((*names, "/ws/app/web/leaf.md", "/ws/google3/g.md"), "")
    assert place("/ws/app/web", "/ws").located(path, Shelf(files)) == expected


@pytest.mark.parametrize(
    ("registry", "heir", "expected"),
    [
        ("/o/.agents/r.json", "/ws", "/o/k.md"),
        ("/o/_agents/r.json", "/ws", "/o/k.md"),
        ("/o/.agent/r.json", "/ws", "/ws/k.md"),
        ("/o/.agents/sub/r.json", "/ws", "/ws/k.md"),
        ("/o/r.json", "/ws", "/ws/k.md"),
        ("/ws/x/.agents/r.json", "/ws", "/ws/k.md"),
        ("/ws/x/.agents/r.json", "/ws/app", "/ws/x/k.md"),
    ],
)
def test_a_strangers_config_folder_keeps_its_own_place(
    registry: str, heir: str, expected: str
) -> None:
    """Seen on the engine, as is that `.agent` and `_agent` are none here."""
    files = {
        f"{heir}/.agents/rules.json": json.dumps({"inherits": [{"path": registry}]}),
        registry: json.dumps({"entries": [{"path": "k.md"}]}),
    }
    files |= dict.fromkeys(("/o/k.md", "/ws/k.md", "/ws/x/k.md"), "")
    listed = listing(f"{heir}/.agents/rules.json", place(heir, "/ws"), Shelf(files))
    assert [path for path, _ in listed.found] == [expected]


def test_inherited_entries_start_at_the_heirs_folder() -> None:
    listed = read(
        {"inherits": [{"path": "r.json"}]}, r={"entries": [{"path": "../.agents/own.md"}]}
    )
    assert listed.found == (("/ws/.agents/own.md", "/ws/r.json"),)


def test_filters_of_the_heirs_apply_to_what_is_inherited() -> None:
    listed = read(
        {"inherits": [{"path": "s.json", "exclude": ["b"]}]},
        s={"inherits": [{"path": "r.json"}]},
        r={"entries": [{"path": "d/r"}]},
    )
    assert listed.found == (("/ws/d/r/a.md", "/ws/r.json"),)
    assert listed.filtered == (("/ws/d/r/b.md", "/ws/r.json"),)


def test_each_registry_is_visited_once_even_under_another_filter() -> None:
    inherits = [{"path": "r.json", "exclude": ["one"]}, {"path": "r.json"}]
    listed = read({"inherits": inherits}, r={"entries": [{"path": "one.md"}]})
    assert listed.found == ()


def test_registries_that_inherit_in_a_circle_end() -> None:
    listed = read(
        {"inherits": [{"path": "r.json"}]},
        r={
            "inherits": [{"path": "r.json"}, {"path": ".agents/rules.json"}],
            "entries": [{"path": "one.md"}],
        },
    )
    assert [path for path, _ in listed.found] == ["/ws/one.md"]


@pytest.mark.parametrize("path", ["d", "missing.json", "d/txt.txt"])
def test_only_json_files_are_inherited(path: str) -> None:
    assert read({"inherits": [{"path": path}]}).found == ()


def test_the_homes_relative_registries_are_not_inherited() -> None:
    """Seen on the engine; absolute ones are."""
    config = "/h/.gemini/config"
    inner = json.dumps({"entries": [{"path": "q.md"}]})
    for path, expected in (("h.json", ()), (f"{config}/h.json", (f"{config}/q.md",))):
        files = {
            f"{config}/rules.json": json.dumps({"inherits": [{"path": path}]}),
            f"{config}/h.json": inner,
            f"{config}/q.md": "",
        }
        listed = listing(f"{config}/rules.json", place(config, ""), Shelf(files))
        assert tuple(found for found, _ in listed.found) == expected
