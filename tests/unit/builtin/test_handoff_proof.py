"""Which command lines prove a claimed command, and which only look like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.pipeline.proof import is_last, proves, written

PROVES = [
    ("pytest -q", "pytest -q"),
    ("rtk pytest -q", "pytest -q"),
    ("pytest -q", "rtk pytest -q"),
    ("RTK_DISABLED=1 pytest -q", "pytest -q"),
    ("/usr/bin/rtk pytest -q", "rtk pytest -q"),
    ("pytest  -q ", "pytest -q"),
    ("pytest '-q'", "pytest -q"),
    ("pytest -q 2>&1", "pytest -q"),
    ("cd app && pytest -q", "pytest -q"),
    ("export CI=1 && pytest -q", "export CI=1 && pytest -q"),
    ("cd app && rtk pytest -q && rtk ruff check", "pytest -q && ruff check"),
    ("make; cd app && pytest -q && ruff check", "pytest -q"),
    ("pytest -q || true && ruff check", "ruff check"),
    ("a\nb && pytest -q", "pytest -q"),
    ("pytest -q | tail -3", "pytest -q | tail -3"),
    ("cd x && pytest -q | tail -3", "pytest -q | tail -3"),
    ("pytest $X", "pytest $X"),
    ("for f in *; do cat $f; done", "for f in *;  do cat $f; done"),
    ("a; b", "a\nb"),
    ("! grep TODO x", "! grep TODO x"),
    ('echo "unclosed', 'echo "unclosed'),
]

DOES_NOT = [
    ("", "pytest -q"),
    ("pytest -q", ""),
    ("pytest -q tests/one.py", "pytest -q"),
    ("pytest", "pytest -q"),
    ("echo pytest -q", "pytest -q"),
    ("echo 'pytest -q'", "pytest -q"),
    ("true # pytest -q", "pytest -q"),
    ("pytest -q || true", "pytest -q"),
    ("true || pytest -q", "pytest -q"),
    ("pytest -q; true", "pytest -q"),
    ("pytest -q\ntrue", "pytest -q"),
    ("pytest -q | tail -3", "pytest -q"),
    ("pytest -q & true", "pytest -q"),
    ("pytest -q &", "pytest -q"),
    ("! pytest -q", "pytest -q"),
    ("if pytest -q; then true; fi", "pytest -q"),
    ("(pytest -q; true)", "pytest -q"),
    ("pytest() { true; }; pytest -q", "pytest -q"),
    ("alias pytest=true; pytest -q", "pytest -q"),
    (". ./fake.sh && pytest -q", "pytest -q"),
    ("trap 'exit 0' EXIT; pytest -q", "pytest -q"),
    ("PYTHONPATH=fake pytest -q", "pytest -q"),
    ("export PYTHONPATH=fake && pytest -q", "pytest -q"),
    ("declare -x PATH=fake && pytest -q", "pytest -q"),
    ("PATH=fake && pytest -q", "pytest -q"),
    ("PATH=fake; pytest -q", "pytest -q"),
    ("ruff check && pytest -q", "pytest -q && ruff check"),
    ("pytest -q && ruff check", "pytest -q; ruff check"),
    ("pytest -q > out", "pytest -q"),
    ("RTK pytest -q", "pytest -q"),
]


@pytest.mark.parametrize(("ran", "claimed"), PROVES)
def test_the_same_command_is_recognized_in_other_clothes(ran: str, claimed: str) -> None:
    """rtk, quotes, blanks, joined streams, and the end of a chain."""
    assert proves(ran, claimed)


@pytest.mark.parametrize(("ran", "claimed"), DOES_NOT)
def test_a_status_of_something_else_proves_nothing(ran: str, claimed: str) -> None:
    """The line's exit status 0 must say that the claimed command ended well."""
    assert not proves(ran, claimed)


@pytest.mark.parametrize(
    ("ran", "claimed", "expected"),
    [
        ("sed -i s/a/b/ f && pytest -q", "pytest -q", True),
        ("git apply p && rtk pytest -q", "pytest -q", True),
        ("pytest -q > log", "pytest -q > log", True),
        ("pytest -q 2>&1 | tee log", "pytest -q | tee log", True),
        ("pytest -q && sed -i s/a/b/ f", "pytest -q", False),
        ("pytest -q && cp a b", "pytest -q && cp a b", False),
        ("cp a b", "cp a b", False),
        ("pytest -q && git checkout -- .", "pytest -q", False),
    ],
)
def test_a_line_that_changes_files_proves_what_it_ends_with(
    ran: str, claimed: str, expected: bool
) -> None:
    """What was changed before it was there when it ran; its own output is no edit."""
    assert proves(ran, claimed)
    assert is_last(ran, claimed) is expected


@given(ran=st.text(max_size=60), claimed=st.text(max_size=60))
def test_no_text_raises(ran: str, claimed: str) -> None:
    """Whatever an agent claims."""
    proves(ran, claimed)
    written(ran)


@given(words=st.lists(st.sampled_from(["git", "diff", "a b", "--", "x'y", "$", "é"]), min_size=1))
def test_a_command_proves_itself_however_it_is_quoted(words: list[str]) -> None:
    """Quoting is spelling."""
    from shlex import quote

    plain = " ".join(map(quote, words))
    other = " ".join('"' + word.replace("$", "\\$") + '"' for word in words)
    assert proves(plain, other)
    assert proves(f"cd x && rtk {plain}", other)


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("echo x > a", ["a"]),
        ("echo x >> a 2>/dev/null", ["a"]),
        ("make &> log", ["log"]),
        ("cat x | tee a b", ["a", "b"]),
        ("rtk sed -i s/a/b/ f.py", ["s/a/b/", "f.py"]),
        ("cd x && cp a b", ["a", "b"]),
        ("git mv a b", ["a", "b"]),
        ("if true; then touch a; fi", ["a"]),
        ("sed s/a/b/ f.py", []),
        ("cat a", []),
        ("pytest -q", []),
        ("cat < a", []),
        ("git status", []),
        ("git -C sub mv a b", ["a", "b"]),
        ("git apply fix.patch", ["."]),
        ("git -c core.eol=lf apply < fix.patch", ["."]),
        ("git apply --check fix.patch", []),
        ("patch -p1 < fix.patch", ["."]),
        ("git checkout -- .", ["."]),
        ("git checkout -b topic", []),
        ("git stash pop", ["."]),
        ("git stash list", []),
        ("git reset --hard", ["."]),
        ("git reset HEAD~1", []),
        ("git restore --staged a", []),
        ("git cherry-pick abc && git push", ["."]),
        ("git add a && git commit -m x", []),
        ('echo "unclosed > a', []),
    ],
)
def test_a_line_names_the_files_that_it_writes(line: str, files: list[str]) -> None:
    """Redirections, and programs whose arguments are what they change."""
    assert list(written(line)) == files
