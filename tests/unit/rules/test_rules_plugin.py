"""Rules of plugins: which the unmeasured profiles load, and what the budget spares."""

from __future__ import annotations

import json

import pytest

from agguard.rules.engine import Rendered, render
from unit.rules.shelf import Shelf

HOME = "/home/u"
GLOBAL = f"{HOME}/.gemini/config/plugins"
BUILTIN = f"{HOME}/.gemini/antigravity/builtin/plugins"


def told(files: dict[str, str], product: str = "app", budget_tokens: int = 20_000) -> Rendered:
    shelf = Shelf({"/ws/.git/HEAD": ""} | files)
    return render("/ws", HOME, product=product, budget_tokens=budget_tokens, read=shelf)


def plugin(folder: str, manifest: str = "{}", text: str = "Plugin's rule.\n") -> dict[str, str]:
    return {f"{folder}/plugin.json": manifest, f"{folder}/rules/AGENTS.md": text}


def paths(rendered: Rendered) -> list[str]:
    return [rule.path for rule in rendered.rules]


@pytest.mark.parametrize("product", ["cli", "app", "ide"])
@pytest.mark.parametrize("folder", ["/ws/.agents/plugins/p", "/ws/_agent/plugins/p", f"{GLOBAL}/p"])
def test_rules_of_plugins_are_loaded_by_the_apps(product: str, folder: str) -> None:
    assert paths(told(plugin(folder), product)) == [f"{folder}/rules/AGENTS.md"]


def test_the_measured_engine_loads_none() -> None:
    assert told(plugin("/ws/.agents/plugins/p"), "sdk").block == ""


def test_a_folder_without_manifest_is_no_plugin() -> None:
    assert told({"/ws/.agents/plugins/p/rules/AGENTS.md": "x"}).block == ""


@pytest.mark.parametrize("place", [".antigravity-plugin/plugin.json", ".gemini-plugin/plugin.json"])
def test_other_places_of_the_manifest_count(place: str) -> None:
    files = {f"{GLOBAL}/p/{place}": "{}", f"{GLOBAL}/p/rules/AGENTS.md": "x"}
    assert paths(told(files)) == [f"{GLOBAL}/p/rules/AGENTS.md"]


@pytest.mark.parametrize(
    ("manifest", "config", "loaded"),
    [
        ("{}", None, True),
        ('{"disabled": true}', None, False),
        ('{"disabled": true,} // off', None, False),
        ("{}", {"plugins": {"p": {"enabled": False}}}, False),
        ('{"disabled": true}', {"plugins": {"p": {"enabled": True}}}, True),
        ('{"name": "q"}', {"plugins": {"q": {"enabled": False}}}, True),
        ("{}", {"plugins": {"P": {"enabled": False}}}, True),
        ("{}", {"plugins": []}, True),
        ("not json", None, True),
    ],
)
def test_whether_a_plugin_is_on(manifest: str, config: object, *, loaded: bool) -> None:
    """`config.json` wins over the manifest; the directory's name is what counts."""
    files = plugin(f"{GLOBAL}/p", manifest)
    if config is not None:
        files[f"{HOME}/.gemini/config/config.json"] = json.dumps(config)
    assert bool(told(files).rules) is loaded


def test_of_two_plugins_of_one_name_the_workspaces_counts() -> None:
    files = plugin(f"{GLOBAL}/a", '{"name": "same"}')
    files |= plugin("/ws/.agents/plugins/b", '{"name": "same"}')
    rendered = told(files)
    assert paths(rendered) == ["/ws/.agents/plugins/b/rules/AGENTS.md"]
    states = {each.path: each.state for each in rendered.plugins}
    assert states[f"{GLOBAL}/a"] == "plugin_shadowed"


def test_a_linked_plugin_is_not_discovered_but_may_be_declared() -> None:
    files = {f"{GLOBAL}/l": "-> /elsewhere/p"} | plugin("/elsewhere/p")
    assert told(files).rules == ()
    declared = json.dumps({"entries": [{"path": "/elsewhere/p"}]})
    files = {f"{HOME}/.gemini/config/plugins.json": declared} | plugin("/elsewhere/p")
    assert paths(told(files)) == ["/elsewhere/p/rules/AGENTS.md"]


def test_a_declared_folder_of_plugins_is_filtered_by_name() -> None:
    files = plugin("/ws/shared/a") | plugin("/ws/shared/b")
    entries = [{"path": "shared", "exclude": ["a"]}]
    files["/ws/.agents/plugins.json"] = json.dumps({"entries": entries})
    assert paths(told(files)) == ["/ws/shared/b/rules/AGENTS.md"]


def test_other_rules_of_a_plugin_need_frontmatter() -> None:
    files = plugin(f"{GLOBAL}/p") | {
        f"{GLOBAL}/p/rules/a.md": "---\ntrigger: always_on\n---\nx",
        f"{GLOBAL}/p/rules/b.md": "plain",
        f"{GLOBAL}/p/AGENTS.md": "not read",
    }
    assert paths(told(files)) == [f"{GLOBAL}/p/rules/AGENTS.md", f"{GLOBAL}/p/rules/a.md"]


def test_built_in_plugins_are_exempt_from_the_budget() -> None:
    """Seed, section 5: always inlined in full."""
    files = plugin(f"{BUILTIN}/b", text="x" * 300) | {"/ws/AGENTS.md": "y" * 300}
    rendered = told(files, budget_tokens=50)
    assert {rule.path: rule.state for rule in rendered.rules} == {
        "/ws/AGENTS.md": "demoted",
        f"{BUILTIN}/b/rules/AGENTS.md": "inline",
    }
    assert rendered.tokens == 0


def test_other_plugins_are_not_exempt() -> None:
    rendered = told(plugin(f"{GLOBAL}/p", text="x" * 300), budget_tokens=50)
    assert [rule.state for rule in rendered.rules] == ["demoted"]


def test_manifests_that_cannot_be_read_are_reported() -> None:
    rendered = told(plugin(f"{GLOBAL}/p", "not json"))
    assert [path for path, _ in rendered.faults] == [f"{GLOBAL}/p/plugin.json"]
