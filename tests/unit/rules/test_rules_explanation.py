"""Why a file is in the block, or is not."""

from __future__ import annotations

import pytest

from agguard.rules.engine import render
from agguard.rules.explanation import Explanation, why
from agguard.rules.reason import REASONS
from unit.rules.shelf import Shelf

HOME = "/home/u"
RULE = "---\ntrigger: always_on\ndescription: d\n---\nbody\n"
FILES: dict[str, str | bytes] = {
    "/ws/.git/HEAD": "",
    "/ws/AGENTS.md": "see @[d](docs/d.md)\n",
    "/ws/GEMINI.md": "-> AGENTS.md",
    "/ws/gemini.md": "x",
    "/ws/CLAUDE.md": "x",
    "/ws/docs/d.md": "D",
    "/ws/rules/r.md": RULE,
    "/ws/.gemini/GEMINI.md": "x",
    "/ws/.agents/rules/on.md": RULE,
    "/ws/.agents/rules/cond.md": "---\ntrigger: model_decision\n---\n",
    "/ws/.agents/rules/manual.md": "---\ntrigger: manual\n---\n",
    "/ws/.agents/rules/glob.md": "---\ntrigger: glob\nglobs: a\n---\n",
    "/ws/.agents/rules/none.md": "text",
    "/ws/.agents/rules/open.md": "---\ntrigger: always_on\n",
    "/ws/.agents/rules/bom.md": "\ufeff" + RULE,
    "/ws/.agents/rules/bad.md": "---\ntrigger: always_on\ndescription: a: b\n---\n",
    "/ws/.agents/rules/case.md": "---\ntrigger: ALWAYS_ON\n---\n",
    "/ws/.agents/rules/nokey.md": "---\nTrigger: always_on\n---\n",
    "/ws/.agents/rules/big.md": "---\ntrigger: always_on\n---\n" + "x\n" * 15_000,
    "/ws/.agents/rules/deep/x.md": RULE,
    "/ws/.agents/rules/x.mdc": RULE,
    "/ws/.agents/loose.md": RULE,
    "/ws/.agents/plugins/p/plugin.json": "{}",
    "/ws/.agents/plugins/p/rules/AGENTS.md": "plugin",
    "/ws/.agents/plugins/p/README.md": "read me",
    "/ws/app/AGENTS.md": "x",
    "/ws/app/.agents/rules/x.md": RULE,
    "/ws/latin/AGENTS.md": b"caf\xe9",
    "/AGENTS.md": "x",
    "/home/u/AGENTS.md": "x",
    "/home/u/.gemini/AGENTS.md": " \n",
    "/home/u/.gemini/GEMINI.md": b"caf\xe9",
    "/home/u/.gemini/rules/x.md": RULE,
    "/home/u/.gemini/config/rules/deep/x.md": RULE,
    "/ws/dangling.md": "-> nowhere",
}


def explained(
    path: str, *, folder: str = "/ws", product: str = "sdk", budget: int = 20_000
) -> Explanation:
    shelf = Shelf(FILES, special=("/ws/fifo",))
    rendered = render(folder, HOME, product=product, budget_tokens=budget, read=shelf)
    return why(path, rendered, shelf)


@pytest.mark.parametrize(
    ("path", "state", "reason", "section"),
    [
        ("/ws/GEMINI.md", "inline", "directory", "4.2"),
        ("/ws/AGENTS.md", "out", "same_file", "3.1"),
        ("/ws/.agents/rules/on.md", "inline", "always_on", "4.3"),
        ("/ws/.agents/rules/cond.md", "conditional", "model_decision", "4.3"),
        ("/ws/.agents/rules/manual.md", "out", "trigger_manual", "4.3"),
        ("/ws/.agents/rules/glob.md", "out", "trigger_glob", "11.4"),
        ("/ws/.agents/rules/none.md", "out", "no_frontmatter", "4.3"),
        ("/ws/.agents/rules/open.md", "out", "unclosed_frontmatter", "4.4"),
        ("/ws/.agents/rules/bom.md", "out", "bom_before_frontmatter", "4.3"),
        ("/ws/.agents/rules/bad.md", "out", "frontmatter_refused", "4.5"),
        ("/ws/.agents/rules/case.md", "out", "trigger_unknown", "4.3"),
        ("/ws/.agents/rules/nokey.md", "out", "trigger_missing", "4.3"),
        ("/home/u/.gemini/AGENTS.md", "out", "blank", "4.1"),
        ("/home/u/.gemini/GEMINI.md", "out", "not_text", "6.4"),
        ("/ws/gemini.md", "out", "case", "2"),
        ("/ws/CLAUDE.md", "out", "other_name", "11.6"),
        ("/ws/docs/d.md", "out", "other_name", "11.6"),
        ("/ws/rules/r.md", "out", "rules_folder", "2.4"),
        ("/ws/.gemini/GEMINI.md", "out", "dot_gemini", "2.4"),
        ("/ws/.agents/rules/deep/x.md", "out", "nested", "2.3"),
        ("/ws/.agents/rules/x.mdc", "out", "extension", "2.3"),
        ("/ws/.agents/loose.md", "out", "config_folder", "2.3"),
        ("/ws/.agents/plugins/p/rules/AGENTS.md", "out", "plugins_off", "2.4"),
        ("/ws/app/AGENTS.md", "out", "below_session", "2.4"),
        ("/ws/app/.agents/rules/x.md", "out", "below_session", "2.4"),
        ("/AGENTS.md", "out", "above_root", "1.3"),
        ("/home/u/AGENTS.md", "out", "home_place", "2.4"),
        ("/home/u/.gemini/rules/x.md", "out", "home_place", "2.4"),
        ("/home/u/.gemini/config/rules/deep/x.md", "out", "nested", "2.3"),
        ("/ws/missing.md", "out", "missing", "2"),
        ("/ws/dangling.md", "out", "dangling", "2"),
        ("/ws/fifo", "out", "special", "2"),
        ("/ws/docs", "out", "folder", "2"),
    ],
)
def test_the_rule_of_the_contract_is_named(
    path: str, state: str, reason: str, section: str
) -> None:
    found = explained(path)
    assert (found.state, found.reason, found.section) == (state, reason, section)
    assert found.sentences
    assert f"section {section})" in " ".join(found.sentences)


def test_a_file_beside_the_way_to_the_session() -> None:
    found = explained("/ws/latin/AGENTS.md", folder="/ws/app")
    assert (found.reason, found.section) == ("beside_session", "2.4")


def test_an_undecodable_directory_file() -> None:
    assert explained("/ws/latin/AGENTS.md", folder="/ws/latin").reason == "not_utf8"


def test_a_demoted_rule() -> None:
    found = explained("/ws/.agents/rules/on.md", budget=0)
    assert (found.state, found.reason, found.section) == ("demoted", "over_budget", "9.2")


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/ws/GEMINI.md", "it costs "),
        ("/ws/GEMINI.md", "1 of its 1 include is put in (6)"),
        ("/ws/docs/d.md", "its text is put into '/ws/GEMINI.md' (6.1)"),
        ("/ws/AGENTS.md", "comes first: /ws/GEMINI.md"),
        ("/ws/.agents/rules/bad.md", "the problem is on line 3"),
        ("/ws/.agents/rules/big.md", "bytes of 30000 are cut off at the cap (7.1)"),
        ("/ws/.agents/rules/on.md", "it stands at place 3 of 3; later rules win (5.1)"),
    ],
)
def test_the_sentences_tell_the_facts(path: str, sentence: str) -> None:
    assert sentence in " ".join(explained(path).sentences)


def test_unmeasured_profiles_say_so() -> None:
    assert "was not measured" in " ".join(explained("/ws/GEMINI.md", product="cli").sentences)


def test_a_plugins_other_files_are_not_read() -> None:
    found = explained("/ws/.agents/plugins/p/README.md", product="app")
    assert found.reason == "plugin_place"


def test_another_path_to_a_rule_is_recognized() -> None:
    shelf = Shelf(FILES | {"/o/link": "-> /ws"})
    rendered = render("/ws", HOME, product="sdk", read=shelf)
    found = why("/o/link/.agents/rules/on.md", rendered, shelf)
    assert found.state == "inline"
    assert found.sentences[0].startswith("it is the same file as '/ws/.agents/rules/on.md'")


def test_every_reason_has_a_section_and_a_sentence() -> None:
    for code, (section, sentence) in REASONS.items():
        assert section[0].isdigit(), code
        assert sentence, code
        assert not sentence.endswith("."), code
