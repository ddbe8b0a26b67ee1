"""The five regression cases of the seed document, with its own paths and figures.

Where its picture was too simple the measured contract wins: see the last tests.
"""

from __future__ import annotations

import re

from agguard.rules.engine import Rendered, render
from unit.rules.shelf import Shelf

REPOSITORY = "/home/mark/projects/agy"
HOME = "/home/mark"


def told(files: dict[str, str], below: str = "", home: dict[str, str] | None = None) -> Rendered:
    shelf = Shelf(
        {f"{REPOSITORY}/.git/HEAD": "ref: refs/heads/main\n"}
        | {f"{REPOSITORY}/{path}": text for path, text in files.items()}
        | {f"{HOME}/{path}": text for path, text in (home or {}).items()}
    )
    return render(f"{REPOSITORY}/{below}", HOME, product="sdk", read=shelf)


def tags(rendered: Rendered) -> list[str]:
    return re.findall(r"^<RULE\[(.*)\]>$", rendered.block, re.MULTILINE)


def always(body: str, description: str = "Always") -> str:
    return f"---\ntrigger: always_on\ndescription: {description}\n---\n{body}"


def test_scope_hierarchy_and_walk_up_discovery() -> None:
    """Test 1: global first, then from the root down to the leaf, each under its own path."""
    rendered = told(
        {
            "GEMINI.md": "# agy // Antigravity & Gemini Research Lab\n",
            "tests/rules/scope-test/GEMINI.md": "# Scope Level 1 Rule\n",
            "tests/rules/scope-test/nested/GEMINI.md": "# Scope Level 2 Nested Rule\n",
            "tests/rules/scope-test/nested/below/GEMINI.md": "# Not reached\n",
            "other/GEMINI.md": "# Beside the way\n",
        },
        "tests/rules/scope-test/nested",
        home={".gemini/config/AGENTS.md": "# Machine-wide\n", "projects/GEMINI.md": "# Above\n"},
    )
    assert tags(rendered) == [
        "user_global",
        f"{REPOSITORY}/GEMINI.md",
        f"{REPOSITORY}/tests/rules/scope-test/GEMINI.md",
        f"{REPOSITORY}/tests/rules/scope-test/nested/GEMINI.md",
    ]


def test_subfolder_overrides_stand_later() -> None:
    """Test 2: the child's directives follow the parent's, which stay."""
    rendered = told(
        {
            "tests/rules/override-test/GEMINI.md": "Format: JSON ONLY\nDesignation: ALPHA_PARENT\n",
            "tests/rules/override-test/sub/GEMINI.md": (
                "Format: Markdown bullets ONLY\nDesignation: BETA_CHILD\n"
            ),
        },
        "tests/rules/override-test/sub",
    )
    assert 0 < rendered.block.index("ALPHA_PARENT") < rendered.block.index("BETA_CHILD")


def test_colocated_files_are_both_loaded_alphabetically() -> None:
    """Test 3: AGENTS.md and GEMINI.md of one folder, neither shadows the other."""
    rendered = told(
        {
            "tests/rules/agents-vs-gemini/GEMINI.md": "From GEMINI.\n",
            "tests/rules/agents-vs-gemini/AGENTS.md": "From AGENTS.\n",
        },
        "tests/rules/agents-vs-gemini",
    )
    folder = f"{REPOSITORY}/tests/rules/agents-vs-gemini"
    assert tags(rendered) == [f"{folder}/AGENTS.md", f"{folder}/GEMINI.md"]


def test_transclusion_starts_at_the_host_rules_folder() -> None:
    """Test 4: includes are put in relative to the rule's own folder."""
    folder = "tests/rules/includes-test"
    rendered = told(
        {
            f"{folder}/GEMINI.md": (
                "# AGY Project Guidelines\n\n## Coding Style\n@[style](rules/partials/style.md)\n\n"
                "## Security Protocols\n@[security](rules/partials/security.md)\n"
            ),
            f"{folder}/rules/partials/style.md": "Four spaces.\n",
            f"{folder}/rules/partials/security.md": "No secrets.\n",
            "rules/partials/style.md": "From the root.\n",
        },
        folder,
    )
    assert "## Coding Style\nFour spaces.\n\n## Security Protocols\nNo secrets.\n" in rendered.block
    assert "From the root" not in rendered.block


def _padding() -> str:
    """27,191 bytes whose line PRE_CAP_0270 ends at byte 23,967."""
    lines = [f"PRE_CAP_{n:04}: bytes nearing twenty four thousand limit.\n" for n in range(1, 271)]
    text = "".join(lines)
    head = "x" * (23_967 - len(text)) + "\n"
    tail = "POST_CAP: this line would pass the limit of the file.\n"
    whole = head + text + tail * 100
    return whole[:27_190] + "\n"


def test_per_file_cap_and_line_boundary_truncation() -> None:
    """Test 5: 27,191 bytes in, 23,967 kept, `<truncated 3224 bytes>` after a whole line."""
    text = _padding()
    assert len(text) == 27_191
    folder = "tests/rules/size-limit-test"
    rendered = told({f"{folder}/GEMINI.md": text}, folder)
    assert (
        "\nPRE_CAP_0270: bytes nearing twenty four thousand limit.\n<truncated 3224 bytes>\n"
        "</RULE[" in rendered.block
    )
    assert rendered.rules[0].lost == 3_224
    assert rendered.rules[0].expanded - rendered.rules[0].lost == 23_967


def test_the_cap_counts_what_includes_bring_in() -> None:
    """Section 4: the include is expanded before the limit is evaluated."""
    rendered = told({"GEMINI.md": "@[all](all.md)\nEnd.\n", "all.md": _padding()})
    assert rendered.rules[0].expanded == 27_191 - len("\n") + len("\nEnd.\n")
    assert "<truncated " in rendered.block


def test_over_the_budget_rules_become_pointers_with_their_descriptions() -> None:
    """Section 5 B: the largest go first; the demoted are listed by path and description."""
    files = {
        f".agents/rules/budget_rule_{n:02}.md": always("x" * 24_000, f"Budget test rule number {n}")
        for n in range(1, 6)
    }
    rendered = told(files)
    assert (
        "excluded from inline injection. View the file for further instructions when relevant:\n"
        f"- {REPOSITORY}/.agents/rules/budget_rule_01.md: Budget test rule number 1\n"
        f"- {REPOSITORY}/.agents/rules/budget_rule_02.md: Budget test rule number 2\n"
        f"- {REPOSITORY}/.agents/rules/budget_rule_03.md: Budget test rule number 3\n"
        in rendered.block
    )
    assert rendered.tokens == 16_000


def test_conditional_rules_are_pointers() -> None:
    """Section 3: `model_decision` gives a pointer with a URI and the description."""
    description = "Apply this rule only when user discusses quantum entanglement or qubits"
    rendered = told(
        {
            ".agents/rules/quantum-rule.md": (
                f"---\ntrigger: model_decision\ndescription: {description}\n---\nQUBITS\n"
            )
        }
    )
    assert (
        "The description provides conditions under which the rule applies. If you believe a rule"
        " should apply, view the file for further instructions.\n"
        f"- file://{REPOSITORY}/.agents/rules/quantum-rule.md: {description}\n\n</user_rules>"
        in rendered.block
    )
    assert "QUBITS" not in rendered.block


def test_the_introduction_is_the_engines_not_the_seeds() -> None:
    """The seed wrote "any other instructions" and broke the first line; the engine does not."""
    rendered = told({"GEMINI.md": "Text.\n"})
    assert rendered.block.startswith(
        "<user_rules>\nThe following are user-defined rules that you MUST ALWAYS FOLLOW WITHOUT"
        " ANY EXCEPTION. These rules take precedence over any following instructions.\n"
    )


def test_depth_of_the_path_beats_scope() -> None:
    """The seed's picture "root first, leaf last" holds only among directory files (5.1)."""
    rendered = told(
        {".agents/rules/style.md": always("Root's rule.\n"), "app/AGENTS.md": "App's rule.\n"},
        "app",
    )
    assert rendered.block.index("App's rule.") < rendered.block.index("Root's rule.")
