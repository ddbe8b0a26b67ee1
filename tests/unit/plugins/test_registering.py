"""Which plugins may run, in what order they are asked, and what is said of the others."""

from __future__ import annotations

import importlib
import itertools
import sys
import types
from typing import TYPE_CHECKING, Any

import pluggy
import pytest

from agguard import hookimpl
from agguard.errors import PluginError
from agguard.hookspecs import HOOKS
from agguard.plugins.discovery import DEFAULT, DEFAULT_TARGET, Found, discover
from agguard.plugins.manager import PluginManager
from agguard.plugins.registry import Registry, register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SHIPPED = Found(DEFAULT, DEFAULT_TARGET, "agguard", "1.0")


@pytest.fixture
def module() -> Iterator[Callable[..., Found]]:
    """Make modules with given functions, as if they were installed."""
    made: list[str] = []

    def make(plugin: str, **functions: object) -> Found:
        name = f"a_plugin_called_{plugin}"
        found = types.ModuleType(name)
        vars(found).update(functions)
        sys.modules[name] = found
        made.append(name)
        return Found(plugin, name, f"agguard-{plugin}", "2.0")

    yield make
    for name in made:
        del sys.modules[name]


def judge(call: object) -> None:
    """Have no opinion."""


def states(registry: Registry) -> dict[str, str]:
    return {plugin.found.name: plugin.state for plugin in registry.plugins}


def order(registry: Registry, hook: str) -> list[str]:
    return [row["plugin"] for row in registry.rows if row["hook"] == hook]


def test_something_stands_in_for_the_shipped_plugin_where_it_does_not_run(
    module: Callable[..., Found],
) -> None:
    """Blocked by the user it objects to nothing; not importable it is asked, and so fails."""
    other = module("other", remind=hookimpl(lambda: None))

    def targets(registry: Registry) -> list[str]:
        return [row["target"] for row in registry.rows if row["hook"] == "judge_tool"]

    blocked = register([SHIPPED, other], [DEFAULT], ["other"])
    assert targets(blocked) == ["agguard.plugins.standin:judge_tool"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, DEFAULT_TARGET, None)
        refused = register([SHIPPED, other], [], ["other"])
    assert states(refused) == {DEFAULT: "refused", "other": "active"}
    assert targets(refused) == ["agguard_builtin.plugin:judge_tool"]
    assert not hasattr(importlib.import_module(DEFAULT_TARGET), "judge_tool")
    assert len(targets(register([SHIPPED, other], [], ["other"]))) > 1


@pytest.mark.parametrize(
    ("block", "trust", "state"),
    [
        ([], [], "untrusted"),
        ([], ["b"], "untrusted"),
        ([], ["a"], "active"),
        ([], "all", "active"),
        ([], ["all"], "active"),
        (["a"], ["a"], "blocked"),
        (["a"], "all", "blocked"),
        (["a"], [], "blocked"),
    ],
)
def test_a_third_party_needs_trust_and_no_block(
    module: Callable[..., Found], block: list[str], trust: list[str], state: str
) -> None:
    """A block wins over every trust."""
    found = register([SHIPPED, module("a", judge_tool=hookimpl(judge))], block, trust)
    assert states(found) == {"builtin": "active", "a": state}
    assert ("a" in order(found, "judge_tool")) == (state == "active")


def test_the_shipped_plugin_needs_no_trust_and_can_be_blocked() -> None:
    """It is found by name, and is asked in the hook's own process."""
    found = register([SHIPPED], [], [])
    assert states(found) == {"builtin": "active"}
    assert {row["plugin"] for row in found.rows} == {"builtin"}
    assert all(row["in_process"] for row in found.rows)
    blocked = register([SHIPPED], ["builtin"], "all")
    assert states(blocked) == {"builtin": "blocked"}
    assert [row["hook"] for row in blocked.rows] == ["judge_tool"]


def test_what_may_not_run_is_not_imported() -> None:
    """A name that does not exist is no problem then."""
    gone = Found("gone", "no_such_module_at_all", "agguard-gone", "1.0")
    cases: list[tuple[list[str], list[str]]] = [([], []), (["gone"], ["all"])]
    for block, trust in cases:
        (_, plugin) = register([SHIPPED, gone], block, trust).plugins
        assert plugin.state in ("untrusted", "blocked")
        assert "no_such_module_at_all" not in plugin.problem


def test_an_untrusted_plugin_says_how_to_trust_it(module: Callable[..., Found]) -> None:
    """The next step stands in the problem."""
    (plugin,) = register([module("a")], [], []).plugins
    assert "agguard plugins trust a" in plugin.problem


def test_the_second_of_one_name_is_refused(module: Callable[..., Found]) -> None:
    """Whether the first one runs or not."""
    first = module("a", judge_tool=hookimpl(judge))
    second = first.replace(distribution="another")
    for trust in (["all"], []):
        one, two = register([first, second], [], trust).plugins
        assert two.state == "refused"
        assert "already named 'a'" in two.problem
        assert one.state != "refused"


def test_the_order_is_tryfirst_then_unmarked_then_trylast(module: Callable[..., Found]) -> None:
    """Among each the shipped plugin first, then by name; installation order does not matter."""
    plugins = [
        module("d", judge_tool=hookimpl(judge)),
        module("c", judge_tool=hookimpl(trylast=True)(judge_copy())),
        module("b", judge_tool=hookimpl(judge_copy())),
        module("a", judge_tool=hookimpl(tryfirst=True)(judge_copy())),
    ]
    expected = ["a", "builtin", "b", "d", "c"]
    for found in ([SHIPPED, *plugins], [*plugins[::-1], SHIPPED]):
        names = order(register(found, [], "all"), "judge_tool")
        assert [name for name, _ in itertools.groupby(names)] == expected


def test_the_users_order_comes_before_the_names(module: Callable[..., Found]) -> None:
    """Within one turn; tryfirst stays first, whoever the user names."""
    plugins = [
        module("a", judge_tool=hookimpl(tryfirst=True)(judge_copy())),
        module("b", judge_tool=hookimpl(judge_copy())),
        module("c", judge_tool=hookimpl(judge_copy())),
    ]
    found = register([SHIPPED, *plugins], [], "all", order=["c", "builtin"])
    names = order(found, "judge_tool")
    assert [name for name, _ in itertools.groupby(names)] == ["a", "c", "builtin", "b"]


def judge_copy() -> Callable[[object], None]:
    """Return a function of its own: a mark belongs to one function."""

    def judge_tool(call: object) -> None:
        """Have no opinion."""

    return judge_tool


def test_a_row_holds_all_that_a_hook_needs(module: Callable[..., Found]) -> None:
    """Where the function is, what it takes, and what its fault counts as."""

    def no_make(session: object, call: object) -> None:
        """Have no opinion."""

    marked = hookimpl(specname="judge_tool", on_error="deny")(no_make)
    (row,) = register([module("a", no_make=marked)], [], "all").rows
    assert row == {
        "plugin": "a",
        "hook": "judge_tool",
        "target": "a_plugin_called_a:no_make",
        "arguments": ["session", "call"],
        "on_error": "deny",
        "in_process": False,
        "source": "",
    }


@pytest.mark.parametrize("file", ["located_one.py", "located_two/__init__.py"])
def test_a_row_says_where_its_module_lies(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So no hook has to search for it, be it a module or a package."""
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("from agguard import hookimpl\n\n@hookimpl\ndef judge_tool(call): ...\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    name = file.partition("/")[0].removesuffix(".py")
    (row,) = register([Found("a", name, "agguard-a", "1.0")], [], "all").rows
    assert row["source"] == str(path)


def test_a_function_is_found_by_the_name_that_it_has_on_its_module(
    module: Callable[..., Found],
) -> None:
    """Which need not be its own."""
    found = register([module("a", judge_tool=hookimpl(judge))], [], "all")
    assert [row["target"] for row in found.rows] == ["a_plugin_called_a:judge_tool"]
    assert found.plugins[0].warnings == ()


def test_unknown_hooks_warn_and_are_not_asked(module: Callable[..., Found]) -> None:
    """The plugin stays active."""

    def judge_dream(call: object) -> None:
        """Be for a newer agguard."""

    found = register([module("a", judge_dream=hookimpl(judge_dream))], [], "all")
    (plugin,) = found.plugins
    assert plugin.state == "active"
    assert plugin.hooks == ()
    assert "unknown hook 'judge_dream'" in plugin.warnings[0]
    assert found.rows == ()


def test_functions_without_a_mark_are_nobodys_business(module: Callable[..., Found]) -> None:
    """Not even those with the name of a hook."""
    found = register([module("a", judge_tool=judge_copy(), remind=7)], [], "all")
    assert found.plugins[0].state == "active"
    assert found.rows == ()


def _raise(*_: object) -> None:
    msg = "broken on purpose"
    raise RuntimeError(msg)


@pytest.mark.parametrize("target", ["no_such_module_at_all", "json:nothing", "json:loads.x", ""])
def test_what_cannot_be_imported_is_refused_by_name(
    module: Callable[..., Found], target: str
) -> None:
    """And the others run."""
    bad = Found("bad", target, "agguard-bad", "1.0")
    found = register([bad, module("good", judge_tool=hookimpl(judge))], [], "all")
    assert states(found) == {"bad": "refused", "good": "active"}
    assert found.plugins[0].problem
    assert order(found, "judge_tool") == ["good"]


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ({"wrapper": True}, "is a hook wrapper"),
        ({"hookwrapper": True}, "is a hook wrapper"),
        ({"on_error": "panic"}, "on_error='panic'"),
    ],
)
def test_marks_that_break_the_contract_are_refused(mark: dict[str, Any], words: str) -> None:
    """Wrappers could change what others say; a policy that does not exist is no policy."""
    plugin = types.ModuleType("p")
    function = judge_copy()
    function.agguard_impl = mark
    plugin.judge_tool = function
    with pytest.raises(PluginError, match=words):
        PluginManager().register(plugin, "p")


@pytest.mark.parametrize("hook", HOOKS)
def test_every_spec_takes_pluggys_mark_and_ours(hook: str) -> None:
    """Both mark the same attribute."""
    for marker in (hookimpl, pluggy.HookimplMarker("agguard")):
        plugin = types.ModuleType("p")

        def function() -> None:
            """Have no opinion."""

        setattr(plugin, hook, marker(function))
        manager = PluginManager()
        manager.register(plugin, "p")
        (found,) = manager.implementations(plugin)
        assert (found.hook, found.attribute, found.on_error) == (hook, hook, "record")


def install(site: Path, distribution: str, *lines: str) -> None:
    info = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


def test_plugins_are_found_by_their_entry_points(tmp_path: Path) -> None:
    """In the order of their names, the shipped one first; other groups are other programs'."""
    install(tmp_path, "zeta", "[agguard]", "b = zeta.plugin")
    install(
        tmp_path, "alpha", "[agguard]", "c = alpha.plugin:Guard", "[console_scripts]", "x = y:z"
    )
    install(tmp_path, "beta", "[pytest11]", "a = beta.plugin")
    assert discover("9.9", [str(tmp_path)]) == [
        Found("builtin", "agguard_builtin.plugin", "agguard", "9.9"),
        Found("b", "zeta.plugin", "zeta", "1.0"),
        Found("c", "alpha.plugin:Guard", "alpha", "1.0"),
    ]


def test_the_shipped_plugin_is_found_once(tmp_path: Path) -> None:
    """Its own entry point is no second plugin; another one's of that name is."""
    install(tmp_path, "agguard", "[agguard]", "builtin = agguard_builtin.plugin")
    assert [one.name for one in discover("1.0", [str(tmp_path)])] == ["builtin"]
    install(tmp_path, "evil", "[agguard]", "builtin = evil")
    found = discover("1.0", [str(tmp_path)])
    assert [(one.name, one.distribution) for one in found] == [
        ("builtin", "agguard"),
        ("builtin", "evil"),
    ]


def test_two_of_one_name_are_both_found(tmp_path: Path) -> None:
    """Their order is that of their packages' names, wherever they are installed."""
    install(tmp_path / "one", "second", "[agguard]", "a = second")
    install(tmp_path / "two", "first", "[agguard]", "a = first")
    folders = [str(tmp_path / "one"), str(tmp_path / "two")]
    for path in (folders, folders[::-1]):
        assert [one.distribution for one in discover("1.0", path)[1:]] == ["first", "second"]


def test_one_package_seen_twice_is_one_plugin(tmp_path: Path) -> None:
    """A folder may be on the path twice."""
    install(tmp_path, "alpha", "[agguard]", "a = alpha")
    assert len(discover("1.0", [str(tmp_path), str(tmp_path)])) == 2


@pytest.mark.parametrize(
    "text", ["[agguard", "a = b", "[agguard]\na =\n", "[agguard]\n= b", "\0", "[agguard]\na b c"]
)
def test_a_damaged_package_hides_no_other(tmp_path: Path, text: str) -> None:
    """What somebody else left in the environment must not end guarding."""
    install(tmp_path, "damaged", text)
    install(tmp_path, "sound", "[agguard]", "s = sound")
    assert "s" in [one.name for one in discover("1.0", [str(tmp_path)])]


def test_a_package_without_a_name_hides_no_other(tmp_path: Path) -> None:
    """As an interrupted uninstallation leaves it."""
    install(tmp_path, "sound", "[agguard]", "s = sound")
    broken = tmp_path / "~broken-1.0.dist-info"
    broken.mkdir()
    (broken / "entry_points.txt").write_text("[agguard]\nx = x\n")
    assert [one.name for one in discover("1.0", [str(tmp_path)])] == ["builtin", "s"]
