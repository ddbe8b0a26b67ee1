"""What is added to a subagent's prompt, and what is not said twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.hosts import antigravity as host
from agguard.model.call import Spawn, ToolCall
from agguard.model.contribution import Addition
from agguard.model.session import Role, Session
from agguard_builtin.injection.guard import augment
from agguard_builtin.injection.text import composed

LINE = "[AGGUARD_TOKEN:813f79a0-73b1-42ed-8519-2721cb94b9b9]"
TOKEN = "813f79a0-73b1-42ed-8519-2721cb94b9b9"


@pytest.mark.parametrize(
    ("prompt", "project", "template", "expected"),
    [
        ("do", "P", "", Addition(LINE, "R\n\nP")),
        ("do", "", "", Addition(LINE, "R")),
        ("do", "P", "{project_rules}, then {rules}", Addition(LINE, "P, then R")),
        ("do R", "P", "", Addition(LINE, "P")),
        ("do R P", "P", "", Addition(LINE, "")),
        (f"{LINE}\n\ndo R", "", "", Addition("", "")),
        ("", "", "", Addition(LINE, "R")),
        ("do", "P", "braces {like} {0}: {rules}", Addition(LINE, "braces {like} {0}: R")),
    ],
)
def test_what_a_prompt_lacks_is_added(
    prompt: str, project: str, template: str, expected: Addition
) -> None:
    """The token line comes first, rules last, and nothing twice."""
    found = composed(prompt, line=LINE, rules="R", project=project, template=template)
    assert found == expected


@given(st.text(), st.text(min_size=1), st.text())
def test_a_second_addition_adds_nothing(prompt: str, rules: str, project: str) -> None:
    """Composing a prompt that was composed already changes nothing."""
    once = composed(prompt, line=LINE, rules=rules, project=project, template="")
    parts = [part for part in (once.before, prompt, once.after) if part]
    again = composed("\n\n".join(parts), line=LINE, rules=rules, project=project, template="")
    if rules == rules.strip() and project == project.strip():
        assert again == Addition()


def session(tmp_path: Path, **injection: object) -> Session:
    (tmp_path / "work").mkdir(exist_ok=True)
    (tmp_path / "work" / ".git").mkdir(exist_ok=True)
    (tmp_path / "work" / "AGENTS.md").write_text("Use tabs.\n", encoding="utf-8")
    return Session(
        "c",
        Role.PRIMARY,
        workspaces=(str(tmp_path / "work"),),
        home=str(tmp_path),
        settings={"injection": injection},
    )


@pytest.mark.parametrize(
    ("type_name", "wanted", "told"),
    [
        ("self", "auto", False),
        ("research", "auto", False),
        ("reviewer", "auto", True),
        ("self", "always", True),
        ("reviewer", "never", False),
    ],
)
def test_the_projects_rules_go_to_those_that_the_host_leaves_without(
    tmp_path: Path, type_name: str, wanted: str, told: bool
) -> None:
    """`auto` adds them for types other than the host's own two."""
    spawn = Spawn(0, type_name, prompt="do", token=TOKEN)
    found = augment(spawn, session(tmp_path, project_rules=wanted))
    assert found is not None
    assert ("Use tabs." in found.after) == told
    assert '<agguard_rules role="executor">' in found.after


def test_a_rule_that_the_prompt_holds_is_not_said_again(tmp_path: Path) -> None:
    """A parent that passes its own rules on does not double them."""
    spawn = Spawn(0, "reviewer", prompt="do\nUse tabs.\n", token=TOKEN)
    found = augment(spawn, session(tmp_path))
    assert found is not None
    assert "Use tabs." not in found.after


def test_no_kind_of_rule_that_was_passed_on_is_said_again(tmp_path: Path) -> None:
    """Inline, demoted to a pointer, or conditional; an empty one never said anything."""
    here = session(tmp_path, budget_tokens=100)
    rules = tmp_path / "work" / ".agents" / "rules"
    rules.mkdir(parents=True)
    (rules / "on.md").write_text("---\ntrigger: always_on\n---\nUse spaces.\n")
    (rules / "long.md").write_text("---\ntrigger: always_on\n---\n" + "Go on.\n" * 999)
    (rules / "db.md").write_text("---\ntrigger: model_decision\ndescription: é\n---\nSlowly.\n")
    (tmp_path / "work" / "GEMINI.md").write_text("")
    first = augment(Spawn(0, "reviewer", prompt="do", token=TOKEN), here)
    assert first is not None
    assert all(name in first.after for name in ("Use tabs.", "Use spaces.", "long.md", "db.md"))

    passed_on = f"do less\n\n{first.after}"
    again = augment(Spawn(0, "reviewer", prompt=passed_on, token=TOKEN), here)
    assert again is not None
    assert "user_rules" not in again.after


def test_project_rules_beyond_the_budget_are_pointers(tmp_path: Path) -> None:
    """Demoted as the engine would."""
    spawn = Spawn(0, "reviewer", prompt="do", token=TOKEN)
    found = augment(spawn, session(tmp_path, budget_tokens=1))
    assert found is not None
    assert "Use tabs." not in found.after
    assert "exceeded the rules token budget" in found.after


def test_rules_of_the_users_that_are_no_utf_8_take_no_subagent_its_token(tmp_path: Path) -> None:
    """What cannot be read of them is replaced, and the rest is said."""
    (tmp_path / "executor.md").write_bytes(b"Be qu\xefck.")
    found = augment(
        Spawn(0, "self", prompt="do", token=TOKEN), session(tmp_path, rules=str(tmp_path))
    )
    assert found is not None
    assert TOKEN in found.before
    assert "Be qu\ufffdck." in found.after


def test_a_users_own_rules_replace_the_shipped_ones(tmp_path: Path) -> None:
    """Role by role: a role without a file of its own keeps the shipped text."""
    (tmp_path / "executor.md").write_text("\ufeffBe quick.\r\n", encoding="utf-8")
    here = session(tmp_path, rules=str(tmp_path))
    worker = augment(Spawn(0, "self", prompt="do", token=TOKEN), here)
    coordinator = augment(Spawn(0, "self", prompt="do", token=TOKEN, role=Role.COORDINATOR), here)
    assert worker is not None
    assert coordinator is not None
    assert worker.after == "Be quick."
    assert '<agguard_rules role="coordinator">' in coordinator.after


@pytest.mark.parametrize("role", ["executor", "coordinator"])
def test_the_shipped_rules_are_short(role: str) -> None:
    """Under 600 tokens, at three bytes a token."""
    import agguard_builtin.injection as package

    path = Path(package.__file__).parent / "rules" / f"{role}.md"
    assert len(path.read_bytes()) < 600 * 3


COUNTED = {"TypeName": "self", "Role": "r", "Prompt": "p", "Count": 3.0}


def test_each_copy_gets_an_entry_of_its_own() -> None:
    """`Count` 3 is three entries, so that each has a token."""
    call = ToolCall("invoke_subagent", {"Subagents": [COUNTED, {"Prompt": "q"}]})
    assert [spawn.prompt for spawn in host.spawns(call)] == ["p", "p", "p", "q"]
    changed = host.with_prompts(call, ["a", "b", "c", "d"])["Subagents"]
    assert [(one["Prompt"], one.get("Count")) for one in changed] == [
        ("a", 1),
        ("b", 1),
        ("c", 1),
        ("d", None),
    ]


def test_several_of_a_flat_call_become_a_list() -> None:
    """The flat fields then describe the first."""
    call = ToolCall("invoke_subagent", {**COUNTED, "toolAction": "Spawning"})
    changed = host.with_prompts(call, ["a", "b", "c"])
    assert [one["Prompt"] for one in changed["Subagents"]] == ["a", "b", "c"]
    assert (changed["Prompt"], changed["Count"]) == ("a", 1)
    assert "toolAction" not in changed["Subagents"][0]


@pytest.mark.parametrize("count", [1, 0, -2, 1e9, "3", True, None])
def test_other_counts_are_one_entry(count: object) -> None:
    """What is no sensible number changes nothing."""
    call = ToolCall("invoke_subagent", {"Subagents": [{"Prompt": "p", "Count": count}]})
    assert len(host.spawns(call)) == 1


def test_a_definition_gets_the_role_rules_and_no_token() -> None:
    """`define_subagent` names a type; nobody is started yet."""
    call = ToolCall("define_subagent", {"name": "n", "system_prompt": "You review."})
    (spawn,) = host.spawns(call)
    found = augment(spawn, Session("c", Role.PRIMARY))
    assert spawn.is_definition
    assert found is not None
    assert found.before == ""
    assert "<agguard_rules" in found.after
    assert host.with_prompts(call, ["x"]) == {"system_prompt": "x"}
