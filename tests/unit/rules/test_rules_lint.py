"""Every trap of the contract as a finding with file and line, and what is left alone."""

from __future__ import annotations

import json

import pytest

from agguard.rules.lint.finding import CODES, SEVERITIES
from agguard.rules.lint.format import as_data, as_github, as_text
from agguard.rules.lint.linter import Linted, lint, lint_below, relative
from unit.rules.shelf import Shelf

HOME = "/home/u"
ON = "---\ntrigger: always_on\ndescription: d\n---\n"
Files = dict[str, str | bytes]


def linted(files: Files, folder: str = "/ws", *, special: tuple[str, ...] = ()) -> Linted:
    shelf = Shelf({"/ws/.git/HEAD": ""} | files, special=special)
    return lint(folder, HOME, product="sdk", read=shelf)


def found(files: Files, folder: str = "/ws", **more: tuple[str, ...]) -> set[tuple[str, int, str]]:
    return {(each.path, each.line, each.code) for each in linted(files, folder, **more).findings}


R = "/ws/.agents/rules/r.md"
A = "/ws/AGENTS.md"
LINES = "x" * 79 + "\n"

ACTS: list[tuple[str, Files, tuple[str, int, str]]] = [
    ("a mention that ends the host", {A: "a\n@//a/b\\/c\n"}, (A, 2, "crashes-host")),
    ("a URI that ends the host", {A: "@file:////a/b\\/c\n"}, (A, 1, "crashes-host")),
    ("an include that ends the host", {A: "@[x](//a/b\\)\n"}, (A, 1, "crashes-host")),
    ("frontmatter that ends the host", {R: "---\n<<: {a: b}\n[c]: d\n---\n"},
     (R, 2, "crashes-host")),
    # size and budget
    ("over 20,000 bytes", {R: ON + LINES * 251}, (R, 1, "near-cap")),
    ("cut by the cap", {R: ON + LINES * 400}, (R, 305, "truncated")),
    ("cut within a line", {R: ON + LINES * 299 + "y" * 200}, (R, 304, "truncated")),
    ("cut inside an include", {R: ON + "a\n@[b](b.md)\nc", "/ws/.agents/rules/b.md": LINES * 400},
     (R, 6, "truncated")),
    ("nothing left", {R: ON + "x" * 24_001}, (R, 1, "all-lost")),
    ("monolithic root", {A: LINES * 400}, (A, 1, "monolithic-root")),
    ("mentions beyond the cap", {R: ON + "@a\n" * 8_000, "/ws/.agents/rules/a": ""},
     (R, 1, "mention-grows")),
    ("over budget", {f"/ws/.agents/rules/{n}.md": ON + LINES * 250 for n in range(4)},
     ("/ws/.agents/rules/0.md", 1, "over-budget")),
    ("demoted", {f"/ws/.agents/rules/{n}.md": ON + LINES * 250 for n in range(4)},
     ("/ws/.agents/rules/0.md", 1, "demoted")),
    ("demoted without description",
     {A: LINES * 299} | {f"/ws/.agents/rules/{n}.md": ON + LINES * 250 for n in range(3)},
     (A, 1, "demoted-without-description")),
    # frontmatter
    ("no frontmatter", {R: "# Style\n"}, (R, 1, "no-frontmatter")),
    ("wrong fence", {R: "----\ntrigger: always_on\n----\n"}, (R, 1, "no-frontmatter")),
    ("text first", {R: "text\n" + ON}, (R, 1, "no-frontmatter")),
    ("not closed", {R: "---\ntrigger: always_on\n"}, (R, 1, "unclosed-frontmatter")),
    ("fence in a block scalar",
     {R: "---\ntrigger: always_on\nextra: |\n  a\n  ---\ndescription: d\n---\nB\n"},
     (R, 5, "early-fence")),
    ("byte order mark", {R: "\ufeff" + ON}, (R, 1, "bom")),
    ("byte order mark in a directory file", {A: "\ufeffx"}, (A, 1, "bom-in-text")),
    ("colon in a plain value", {R: "---\ntrigger: always_on\ndescription: Use when: x\n---\n"},
     (R, 3, "frontmatter-refused")),
    ("at sign in a plain value", {R: "---\ndescription: @x\ntrigger: always_on\n---\n"},
     (R, 2, "frontmatter-refused")),
    ("tab for indentation", {R: "---\ntrigger: always_on\nx:\n\ty: z\n---\n"},
     (R, 4, "frontmatter-refused")),
    ("no map", {R: "---\ntrigger:always_on\n---\n"}, (R, 2, "frontmatter-refused")),
    ("globs as a list", {R: '---\ntrigger: always_on\nglobs: ["*.py"]\n---\n'},
     (R, 3, "list-value")),
    ("key given twice", {R: "---\ntrigger: always_on\nx: 1\nx: 2\n---\n"}, (R, 4, "duplicate-key")),
    ("key in another case", {R: "---\ntrigger: always_on\nDescription: d\n---\nB\n"},
     (R, 3, "key-case")),
    ("no trigger", {R: "---\ndescription: d\n---\n"}, (R, 1, "trigger-missing")),
    ("unknown trigger", {R: "---\ndescription: d\ntrigger: ALWAYS_ON\n---\n"},
     (R, 3, "trigger-unknown")),
    ("manual", {R: "---\ntrigger: manual\n---\n"}, (R, 1, "trigger-manual")),
    ("glob", {R: "---\ntrigger: glob\nglobs: '*.py'\n---\n"}, (R, 1, "trigger-glob")),
    ("glob with a relative folder", {R: "---\ntrigger: glob\nglobs: src/*.py\n---\n"},
     (R, 3, "glob-never-matches")),
    ("glob with braces", {R: "---\ntrigger: glob\nglobs: '*.{ts,js}'\n---\n"},
     (R, 3, "glob-never-matches")),
    ("comment behind an unquoted glob", {R: "---\ntrigger: glob\nglobs: *.py # python\n---\n"},
     (R, 3, "glob-comment")),
    ("globs of an always_on rule", {R: "---\ntrigger: always_on\nglobs: '*.py'\n---\nB\n"},
     (R, 3, "unused-globs")),
    ("conditional without description", {R: "---\ntrigger: model_decision\n---\nB\n"},
     (R, 1, "missing-description")),
    ("always_on without description", {R: "---\ntrigger: always_on\n---\nB\n"},
     (R, 1, "missing-description")),
    ("description on two lines",
     {R: "---\ntrigger: model_decision\ndescription: |\n  a\n  b\n---\n"},
     (R, 3, "multi-line-description")),
    ("frontmatter in a directory file", {A: "---\ntrigger: manual\n---\nB\n"},
     (A, 1, "frontmatter-in-directory-file")),
    # text
    ("not UTF-8", {A: b"a\nb\nc\xff\n"}, (A, 3, "invalid-utf8")),
    ("UTF-16", {A: b"\xff\xfea\x00"}, (A, 1, "invalid-utf8")),
    ("invalid bytes in a rule", {R: ON.encode() + b"a\nb\xff\n"}, (R, 6, "invalid-utf8")),
    ("a global file in Latin-1", {f"{HOME}/.gemini/GEMINI.md": b"caf\xe9"},
     (f"{HOME}/.gemini/GEMINI.md", 1, "not-text")),
    ("control character", {A: "a\n\x00\n"}, (A, 2, "control-character")),
    ("closing the block", {A: "a\n</user_rules>\n"}, (A, 2, "breaks-block")),
    ("closing a rule", {R: ON + "</RULE[x]>\n"}, (R, 5, "breaks-block")),
    ("an include that closes the block", {A: "@[a](a.md)\n", "/ws/a.md": "</user_rules>"},
     (A, 1, "breaks-block")),
    ("empty", {A: ""}, (A, 1, "empty")),
    ("blank global file", {f"{HOME}/.gemini/GEMINI.md": " \n"},
     (f"{HOME}/.gemini/GEMINI.md", 1, "empty")),
    # includes
    ("missing include", {R: ON + "a\n@[x](no.md)\n"}, (R, 6, "include-missing")),
    ("include of a folder", {A: "@[x](d)\n", "/ws/d/x": ""}, (A, 1, "include-not-a-file")),
    ("include in Latin-1", {A: "@[x](l.md)\n", "/ws/l.md": b"caf\xe9"},
     (A, 1, "include-unreadable")),
    ("absolute include", {A: "a\n@[x](/ws/a.md)\n", "/ws/a.md": "a"}, (A, 2, "include-absolute")),
    ("include below the home", {A: "@[x](~/a.md)\n", f"{HOME}/a.md": "a"}, (A, 1, "include-home")),
    ("include from outside", {A: "@[x](../o.md)\n", "/o.md": "a"}, (A, 1, "include-outside")),
    ("include from outside through a link",
     {A: "@[x](l.md)\n", "/o.md": "a", "/ws/l.md": "-> ../o.md"}, (A, 1, "include-outside")),
    ("include inside an included file", {A: "@[x](a.md)\n", "/ws/a.md": "b\n@[y](b.md)\n"},
     ("/ws/a.md", 2, "include-nested")),
    ("include of an empty file", {A: "@[x](a.md)\n", "/ws/a.md": " \n"}, (A, 1, "include-empty")),
    ("include with frontmatter", {A: "@[x](a.md)\n", "/ws/a.md": ON + "B\n"},
     (A, 1, "include-frontmatter")),
    ("include that begins with a horizontal rule",
     {A: "@[x](a.md)\n", "/ws/a.md": "---- a\nlost\n\n---\nB\n"}, (A, 1, "include-frontmatter")),
    ("include in a code block", {A: "```\n@[x](a.md)\n```\n", "/ws/a.md": "a"},
     (A, 2, "include-in-code")),
    ("include in a code span", {A: "a\nwrite `@[x](a.md)`\n", "/ws/a.md": "a"},
     (A, 2, "include-in-code")),
    ("include in a conditional rule",
     {R: "---\ntrigger: model_decision\ndescription: d\n---\n@[x](a.md)\n"},
     (R, 5, "include-unexpanded")),
    ("include of itself", {A: "@[x](AGENTS.md)\n"}, (A, 1, "include-self")),
    # mentions
    ("mention of nothing", {A: "a\nsee @docs/no.md\n"}, (A, 2, "mention-missing")),
    ("punctuation behind a mention", {A: "see @docs/a.md, and\n", "/ws/docs/a.md": ""},
     (A, 1, "mention-punctuation")),
    ("mention in parentheses", {A: "(see @docs/a.md)\n", "/ws/docs/a.md": ""},
     (A, 1, "mention-punctuation")),
    ("mention below the home", {A: "@~/a.md\n", f"{HOME}/a.md": ""}, (A, 1, "mention-home")),
    ("mention in a global file",
     {f"{HOME}/.gemini/GEMINI.md": "@a.md\n", f"{HOME}/.gemini/a.md": ""},
     (f"{HOME}/.gemini/GEMINI.md", 1, "mention-kept")),
    # places
    ("wrong case", {"/ws/agents.md": "x"}, ("/ws/agents.md", 1, "wrong-case")),
    ("wrong case in a config folder", {"/ws/.agents/Gemini.md": "x"},
     ("/ws/.agents/Gemini.md", 1, "wrong-case")),
    ("another extension", {"/ws/.agents/rules/a.mdc": ON}, ("/ws/.agents/rules/a.mdc", 1,
     "wrong-extension")),
    ("extension in capitals", {"/ws/.agents/rules/a.MD": ON}, ("/ws/.agents/rules/a.MD", 1,
     "wrong-extension")),
    ("a rule in a subfolder", {"/ws/.agents/rules/d/a.md": ON}, ("/ws/.agents/rules/d/a.md", 1,
     "nested-rule")),
    ("a rule beside the rules folder", {"/ws/.agents/a.md": ON}, ("/ws/.agents/a.md", 1,
     "unread-place")),
    ("a rule outside a config folder", {"/ws/rules/a.md": ON}, ("/ws/rules/a.md", 1,
     "unread-place")),
    ("a workspace's .gemini", {"/ws/.gemini/GEMINI.md": "x"}, ("/ws/.gemini/GEMINI.md", 1,
     "unread-place")),
    ("the home's .gemini/rules", {f"{HOME}/.gemini/rules/a.md": ON},
     (f"{HOME}/.gemini/rules/a.md", 1, "unread-place")),
    ("another tool's file", {"/ws/CLAUDE.md": "x"}, ("/ws/CLAUDE.md", 1, "unread-name")),
    ("a folder for a file", {"/ws/AGENTS.md/x": ""}, (A, 1, "not-regular")),
    ("a dangling link", {A: "-> nowhere"}, (A, 1, "not-regular")),
    ("a circle of links", {R: "-> r.md"}, (R, 1, "not-regular")),
    # one file, two paths
    ("shadowed by a link", {A: "x", "/ws/GEMINI.md": "-> AGENTS.md"}, (A, 1, "shadowed")),
    ("vanished behind a dropped rule", {A: "x", R: "-> ../../AGENTS.md"}, (A, 1, "vanished")),
    ("global and local", {f"{HOME}/.gemini/GEMINI.md": "x", A: f"-> {HOME}/.gemini/GEMINI.md"},
     (A, 1, "told-twice")),
    ("the same text twice", {A: "same\n", "/ws/GEMINI.md": "same\n"}, ("/ws/GEMINI.md", 1,
     "identical")),
    # registries
    ("a malformed registry", {"/ws/.agents/rules.json": "{'a'}"}, ("/ws/.agents/rules.json", 1,
     "registry")),
    ("an entry that names nothing", {"/ws/.agents/rules.json": '{"entries":[{"path":"no"}]}'},
     ("/ws/.agents/rules.json", 1, "registry")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "expected"), [case[1:] for case in ACTS], ids=[case[0] for case in ACTS]
)
def test_traps_are_found(files: Files, expected: tuple[str, int, str]) -> None:
    assert expected in found(files)


IN_CHAIN: list[tuple[str, Files, tuple[str, int, str]]] = [
    ("the same heading above", {A: "# Style\n", "/ws/app/AGENTS.md": "a\n## Style ##\n"},
     ("/ws/app/AGENTS.md", 2, "both-active")),
    ("a rule above that stands later", {R: ON + "B\n", "/ws/app/AGENTS.md": "a\n"},
     (R, 1, "order")),
    ("a section about a folder", {A: "# All\n## `app/`\nx\n"}, (A, 2, "directory-specific")),
    (".repo above .git", {"/ws/.repo/x": "", "/ws/app/.git/HEAD": ""},
     ("/ws/app/.git", 1, "repo-marker")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("files", "expected"), [case[1:] for case in IN_CHAIN], ids=[case[0] for case in IN_CHAIN]
)
def test_traps_of_folders_below_the_root(files: Files, expected: tuple[str, int, str]) -> None:
    assert expected in found({"/ws/app/x": ""} | files, "/ws/app")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"/p/.hg/x": "", "/p/a/x": ""}, ("/p/.hg", 1, "no-root")),
        ({"/p/.git/config": "", "/p/a/x": ""}, ("/p/.git", 1, "no-root")),
        ({"/p/AGENTS.md": "", "/p/a/x": ""}, ("/p/AGENTS.md", 1, "no-root")),
    ],
)
def test_a_session_without_a_root(files: Files, expected: tuple[str, int, str]) -> None:
    assert expected in found(files, "/p/a")


def test_a_fifo_is_an_error() -> None:
    """The host's own engine waits for it for ever."""
    result = linted({}, special=(A,))
    assert [(each.code, each.severity) for each in result.findings] == [("not-regular", "error")]


CLEAN: list[tuple[str, Files]] = [
    ("no rules", {}),
    ("a directory file", {A: "# Style\n\nUse four spaces.\n"}),
    ("a rule", {R: ON + "Text.\n"}),
    ("a conditional rule", {R: "---\ntrigger: model_decision\ndescription: d\n---\nText.\n"}),
    ("quoted values", {R: "---\ntrigger: 'always_on'\ndescription: \"a: b\"\n---\nText.\n"}),
    ("a description in quotes with a colon", {R: ON.replace("d\n", "'Use when: x'\n") + "T\n"}),
    ("other keys", {R: "---\ntrigger: always_on\ndescription: d\ntags: [a, b]\n---\nT\n"}),
    ("just under 20 KB", {R: ON + LINES * 250}),
    ("an include", {A: "@[d](docs/d.md)\n", "/ws/docs/d.md": "D\n"}),
    ("an include from a rules folder", {R: ON + "@[d](../../d.md)\n", "/ws/d.md": "D\n"}),
    ("mentions", {A: "see @docs and @docs/d.md .\n", "/ws/docs/d.md": ""}),
    ("names of people", {A: "ask @alice, or me@example.com; use @decorator\n"}),
    ("packages", {A: "install @scope/package and @types/node\n"}),
    ("a rule of horizontal lines", {A: "a\n\n---\n\nb\n"}),
    ("frontmatter of another kind in a directory file", {A: "---\ntitle: x\n---\nB\n"}),
    ("tags in words", {A: "the user_rules block, and RULE\n"}),
    ("CLAUDE.md beside AGENTS.md", {A: "x\n", "/ws/CLAUDE.md": "y\n"}),
    ("a link to AGENTS.md under another tool's name", {A: "x\n", "/ws/CLAUDE.md": "-> AGENTS.md"}),
    ("other files of a config folder",
     {"/ws/.agents/skills/s/SKILL.md": "x", "/ws/.agents/n.md": "y"}),
    ("a rules folder of something else", {"/ws/rules/eslint.md": "# Rules\n"}),
    ("a registry",
     {"/ws/.agents/rules.json": '{"entries":[{"path":"d"}]}', "/ws/d/a.md": ON + "x"}),
    ("quoted globs", {R: "---\ntrigger: always_on\ndescription: d\n---\n*.py # x\n"}),
    ("CRLF", {R: ON.replace("\n", "\r\n") + "Text.\r\n"}),
    ("carriage returns and tabs", {A: "a\tb\r\n"}),
]  # fmt: skip


@pytest.mark.parametrize("files", [case[1] for case in CLEAN], ids=[case[0] for case in CLEAN])
def test_what_is_right_is_left_alone(files: Files) -> None:
    assert found(files) == set()


@pytest.mark.parametrize(
    ("target", "hint"),
    [
        ("/docs/d.md", "a leading slash means the machine's root"),
        (" docs/d.md ", "the spaces around it belong to the path"),
        ("<docs/d.md>", "the angle brackets belong to the path"),
        ("docs/d.md#part", "what follows the path belongs to it"),
        ('docs/d.md "title"', "what follows the path belongs to it"),
        ("docs/d%2Emd", "%XX is not decoded"),
        ("https://example.com/d.md", "it is taken as a path, not as a URL"),
        ("file:///ws/docs/d.md", "it is taken as a path, not as a URL"),
        ("docs/par(1).md", "the path ends at the first closing parenthesis"),
    ],
)
def test_a_missing_include_says_what_was_meant(target: str, hint: str) -> None:
    result = linted({A: f"@[x]({target})\n", "/ws/docs/d.md": "D"})
    assert [each for each in result.findings if hint in each.message]


def test_a_global_files_include_starts_at_dot_gemini() -> None:
    config = f"{HOME}/.gemini/config"
    result = linted({f"{config}/AGENTS.md": "@[x](d.md)\n", f"{config}/d.md": "D"})
    assert any("start at ~/.gemini" in each.message for each in result.findings)


def test_a_mention_that_starts_at_the_root_says_so() -> None:
    result = linted({R: ON + "@docs/d.md\n", "/ws/docs/d.md": ""})
    assert [(each.severity, each.code) for each in result.findings] == [
        ("warning", "mention-missing")
    ]
    assert "write '@/docs/d.md'" in result.findings[0].message


@pytest.mark.parametrize(
    ("head", "hint"),
    [
        ("description: Use when: x", "put the value of 'description' in quotes"),
        ("description: @x", "put the value of 'description' in quotes"),
        ("description: `x`", "put the value of 'description' in quotes"),
    ],
)
def test_refused_frontmatter_says_how_to_write_it(head: str, hint: str) -> None:
    result = linted({R: f"---\ntrigger: always_on\n{head}\n---\n"})
    assert [each.message for each in result.findings if hint in each.message]


def test_the_budget_names_the_file_to_shrink_and_by_how_much() -> None:
    files: Files = {f"/ws/.agents/rules/{n}.md": ON + "x" * 60 * (n + 1) + "\n" for n in range(3)}
    shelf = Shelf({"/ws/.git/HEAD": ""} | files)
    result = lint("/ws", HOME, product="sdk", budget_tokens=100, read=shelf)
    message = next(each for each in result.findings if each.code == "over-budget")
    assert message.path == "/ws/.agents/rules/2.md"
    assert "3 rules cost 123 tokens of 100: 23 too many" in message.message
    assert "by 69 bytes" in message.message


def test_errors_fail_and_warnings_do_not() -> None:
    assert linted({A: "</user_rules>\n"}).failed
    assert not linted({"/ws/agents.md": "x"}).failed
    assert linted({"/ws/agents.md": "x"}).count("warning") == 1


def test_findings_are_in_order_and_given_once() -> None:
    result = linted({A: "@[x](no.md)\n\n@docs/x.md\n", R: "x", "/ws/agents.md": "y"})
    keys = [(each.path, each.line) for each in result.findings]
    assert keys == sorted(keys)
    assert len(set(result.findings)) == len(result.findings)


def test_sessions_below_a_folder_are_checked_too() -> None:
    files: Files = {
        "/ws/.git/HEAD": "",
        "/ws/app/.agents/rules/a.md": "no frontmatter",
        "/ws/deep/er/AGENTS.md": "</user_rules>\n",
        "/ws/node_modules/x/AGENTS.md": "</user_rules>\n",
        "/ws/loop": "-> .",
    }
    result = lint_below("/ws", HOME, product="sdk", read=Shelf(files))
    assert {(each.path, each.code) for each in result.findings} == {
        ("/ws/app/.agents/rules/a.md", "no-frontmatter"),
        ("/ws/deep/er/AGENTS.md", "breaks-block"),
    }


def test_checking_below_finds_what_checking_each_session_finds() -> None:
    """A rule is looked at by itself once only, in its own folder's session."""
    files: Files = {
        "/ws/.git/HEAD": "",
        "/ws/AGENTS.md": "# A\n@[x](no.md)\n",
        "/ws/.agents/rules/r.md": "---\ntrigger: model_decision\n---\n",
        "/ws/app/AGENTS.md": "# A\n@docs/no.md\n" + LINES * 400,
        "/ws/app/agents.md": "x",
        "/ws/app/web/.agents/rules/a.md": ON + "</user_rules>\n" + LINES * 250,
        "/ws/app/web/GEMINI.md": "\ufeff" + LINES * 250,
        "/ws/app/web/.agents/rules.json": '{"entries":[{"path":"../../.."}]}',
        f"{HOME}/.gemini/GEMINI.md": "\0",
    }
    shelf = Shelf(files)
    folders = ("/ws", "/ws/app", "/ws/app/web")
    each = {
        found
        for folder in folders
        for found in lint(folder, HOME, product="sdk", read=shelf).findings
    }
    assert set(lint_below("/ws", HOME, product="sdk", read=shelf).findings) == each
    assert len(each) > 12


def test_formats() -> None:
    result = linted({"/ws/a,b: 50%/x": "", "/ws/.agents/rules/a,b: 50%.md": "x"})
    findings = relative(result.findings, "/ws")
    assert as_text(findings).startswith(".agents/rules/a,b: 50%.md:1: error: the rule is dropped")
    assert as_text(findings).endswith("[no-frontmatter, 4.3]\n")
    assert as_github(findings).startswith(
        "::error file=.agents/rules/a%2Cb%3A 50%25.md,line=1,title=no-frontmatter::the rule"
    )
    data = json.loads(json.dumps(as_data(findings)))
    assert data[0]["file"] == ".agents/rules/a,b: 50%.md"
    assert set(data[0]) == {"file", "line", "severity", "code", "section", "message"}


def test_a_name_cannot_forge_an_annotation() -> None:
    result = linted({"/ws/.agents/rules/a\n::error::b.md": "x"})
    assert as_github(result.findings).count("\n") == 1
    assert as_text(result.findings).count("\n") == 1


def test_every_code_is_documented_and_tested() -> None:
    tested = {case[2][2] for case in (*ACTS, *IN_CHAIN)} | {"no-root"}
    assert tested == set(CODES)
    for severity, section, meaning in CODES.values():
        assert severity in SEVERITIES
        assert section[0].isdigit()
        assert not meaning.endswith(".")
