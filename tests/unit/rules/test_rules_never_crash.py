"""Whatever stands in the rules' places, everything answers and every text is valid Unicode."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from agguard.rules.engine import render
from agguard.rules.explanation import why
from agguard.rules.lint.format import as_data, as_github, as_text
from agguard.rules.lint.linter import lint
from agguard.rules.report import account
from agguard.rules.tree import tree
from unit.rules.shelf import Shelf

PLACES = (
    "/ws/AGENTS.md",
    "/ws/GEMINI.md",
    "/ws/a/AGENTS.md",
    "/ws/.agents/rules/a.md",
    "/ws/.agents/rules/b.md",
    "/ws/a/.agent/rules/c\udcff.md",
    "/ws/.agents/rules.json",
    "/ws/.agents/plugins.json",
    "/ws/.agents/plugins/p/plugin.json",
    "/ws/.agents/plugins/p/rules/AGENTS.md",
    "/h/.gemini/GEMINI.md",
    "/h/.gemini/config/config.json",
    "/h/.gemini/config/rules/d.md",
    "/h/.gemini/config/rules.json",
)
WORDS = (
    "---\n", "trigger: always_on\n", "trigger: model_decision\n", "trigger: glob\n",
    "globs: *.py\n",
    "description: d\n", "description: a: b\n", "# H\n", "## a/\n", "@[x](GEMINI.md)", "@[y](/ws/a)",
    "@[z](~/x)", "@AGENTS.md", "@a, ", "@/x", "</user_rules>", "\n", " ", "x" * 9_000, "é", "\0",
    '{"entries":[{"path":"a"}]}', '{"inherits":[{"path":".agents/rules.json"}]}', "{}", "```\n",
    "`",
    '{"plugins":{"p":{"enabled":false}}}', "\ufeff", "<<: *a\n", "&a ", "...\n", "%x\n",
)  # fmt: skip
CONTENT = st.binary(max_size=40) | st.lists(st.sampled_from(WORDS), max_size=12).map("".join)
LINK = st.sampled_from(PLACES).map(lambda path: f"-> {path}")


@settings(max_examples=150)
@given(st.dictionaries(st.sampled_from(PLACES), CONTENT | LINK), st.integers(0, 20_000))
def test_everything_answers(files: dict[str, str | bytes], budget: int) -> None:
    shelf = Shelf({"/ws/.git/HEAD": "", "/ws/a/x": ""} | files, special=("/ws/fifo",))
    rendered = render("/ws/a", "/h", product="app", budget_tokens=budget, read=shelf)
    rendered.block.encode()
    assert rendered.tokens <= budget
    json.dumps(account(rendered)).encode()
    tree(rendered)
    for path in PLACES:
        " ".join(why(path, rendered, shelf).sentences)
    findings = lint("/ws/a", "/h", product="app", budget_tokens=budget, read=shelf).findings
    as_text(findings).encode()
    as_github(findings).encode()
    json.dumps(as_data(findings)).encode()


@settings(max_examples=50)
@given(st.dictionaries(st.sampled_from(PLACES), CONTENT | LINK))
def test_the_same_files_give_the_same_block(files: dict[str, str | bytes]) -> None:
    first = render("/ws/a", "/h", product="app", read=Shelf(files))
    again = render("/ws/a", "/h", product="app", read=Shelf(dict(reversed(files.items()))))
    assert first == again
