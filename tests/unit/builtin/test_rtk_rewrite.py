"""What is run through rtk, and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard_builtin.rtk.rewrite import PREFIX, rewrite
from agguard_builtin.rtk.table import LEFT_ALONE, TABLE

CASES = Path(__file__).parents[4] / "shared" / "reference" / "rtk_cases.jsonl"
V1 = (1, 1, 0)

ACTS = [
    ("git log -n 10 --stat", "rtk git log -n 10 --stat"),
    ("git -C /x --no-pager log", "rtk git -C /x --no-pager log"),
    ("git stash list", "rtk git stash list"),
    ("git stash", "rtk git stash"),
    ("git stash -u", "rtk git stash -u"),
    ("ls -d src", "rtk ls -d src"),
    ("ls -d /tmp", "rtk ls -d /tmp"),
    ("git commit -am 'x; y'", "rtk git commit -am 'x; y'"),
    ("A=1 B='2 3' git status", "A=1 B='2 3' rtk git status"),
    ("cd /x && git status||ls -la", "cd /x && rtk git status||rtk ls -la"),
    ("kubectl -n prod get pods -A", "rtk kubectl -n prod get pods -A"),
    ("pip3 install -r r.txt", "rtk pip3 install -r r.txt"),
    ("grep -rn 'a|b' src 2>&1", "rtk grep -rn 'a|b' src 2>&1"),
    ("gh pr list", "rtk gh pr list"),
    ("uv pip list", "rtk uv pip list"),
    ("docker ps -a &", "rtk docker ps -a &"),
    ("cargo test -- --nocapture", "rtk cargo test -- --nocapture"),
    ("git status # and git diff", "rtk git status # and git diff"),
]

LEAVES_ALONE = [
    "ls -d",
    "ls -d .",
    "ls -ld ./",
    "git stash create",
    "git stash save x",
    "git stash nothing-of-that-name",
    "pnpm outdated",
    "$env:A = 1; git status",
    "$CMD; git status",
    "git diff --output=o",
    "git log --outp=o",
    "git show --output o HEAD",
    "git diff --no-index a b",
    "git add",
    "git add $none",
    "ls -i a",
    "ls -F",
    "ls -r",
    "RTK_DISABLED=1 git status",
    "git log --format=%H",
    "git log -z",
    "git diff --name-only",
    "git show HEAD:x --format=",
    "git -p log",
    "git --unknown-option log",
    "git rev-parse HEAD",
    "git commit",
    "git add -ip",
    "git branch --show-current",
    "git status -sb",
    "git",
    "kubectl get pods -ojson",
    "kubectl get pods --output=yaml",
    "kubectl get pods -Aw",
    "grep foo f",
    "grep -rl foo .",
    "rg --files",
    "ls -1",
    "ls -lR",
    "pytest --pdb",
    "ruff check -",
    "terraform plan -out=p",
    "terraform apply",
    "gh pr view 1 --json title",
    "'git' status",
    "g\\it status",
    "./git status",
    "command git status",
    "time git status",
    "! git diff",
    "if true; then git status; fi",
    "{ git status; }",
    "git status |& cat",
    "git status >&2",
    "git status 2>errors",
    "git status 3>&1",
    "echo $(git status)",
    "git log `git merge-base a b`..HEAD && git status",
    "diff <(git status) b",
    "git(){ :; }; git status",
    "alias git=hub; git status",
    "git status; cat <<E\nx\nE",
    "$GIT status",
    "git status;;",
    "git status \x00",
    "",
    "   ",
    "# git status",
    "git status " + "x" * 70_000,
]


@pytest.mark.parametrize(("text", "expected"), ACTS)
def test_what_gains_is_run_through_rtk(text: str, expected: str) -> None:
    """Four bytes before the command word; nothing else changes."""
    assert rewrite(text, version=V1) == expected


@pytest.mark.parametrize("text", LEAVES_ALONE)
def test_what_would_break_or_gains_nothing_is_left_alone(text: str) -> None:
    """Data, interaction, pipes, captures, chosen programs, and whatever is not understood."""
    assert rewrite(text, version=V1) is None


@pytest.mark.skipif(not CASES.is_file(), reason="needs ../shared/reference")
def test_every_recorded_case_holds() -> None:
    """The regression cases of the rtk reference."""
    wrong = [
        row["input"]
        for row in map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
        if (rewrite(row["input"], version=V1) or row["input"]) != row["expected"]
    ]
    assert wrong == []


@given(
    st.text()
    | st.lists(
        st.sampled_from(
            ["git", "status", "ls", ";", "|", "&&", "'", "rtk", "$(", ")", "\n", ">", "x", "-z"]
        )
    ).map(" ".join)
)
def test_only_the_prefix_is_ever_inserted(text: str) -> None:
    """Taking the insertions out gives the line back, and a second time changes nothing."""
    found = rewrite(text, version=V1)
    if found is not None:
        assert found.replace(PREFIX, "") == text.replace(PREFIX, "")
        assert len(found) > len(text)
        assert rewrite(found, version=V1) is None


@pytest.mark.parametrize(
    ("version", "text", "changed"),
    [
        ((0, 27, 9), "git status", False),
        ((0, 28, 2), "git status", True),
        ((0, 42, 9), "rg foo", False),
        ((0, 43, 0), "rg foo", True),
        ((), "git status", False),
    ],
)
def test_the_version_of_rtk_decides(version: tuple[int, ...], text: str, *, changed: bool) -> None:
    """No rtk, or one that is too old for a command: the line stays."""
    assert (rewrite(text, version=version) is not None) == changed


@pytest.mark.parametrize("text", ["mypy src", "pip list", "pytest -q", "tsc --noEmit"])
def test_what_rtk_would_replace_has_to_be_there(text: str) -> None:
    """Without `tsc` rtk 1.1.0 runs `npx tsc` and says that no errors were found (measured)."""
    assert rewrite(text, version=V1, missing=lambda _: False) == PREFIX + text
    assert rewrite(text, version=V1, missing=lambda _: True) is None
    assert rewrite("git status", version=V1, missing=lambda _: True) == "rtk git status"


def test_the_configuration_adds_and_removes() -> None:
    """By the first words of a command; removing wins."""
    assert rewrite("make test -j", version=V1, extra=("make test",)) == "rtk make test -j"
    assert rewrite("make all", version=V1, extra=("make test",)) is None
    assert rewrite("git push -u o x", version=V1, exclude=("git push",)) is None
    assert rewrite("git status", version=V1, exclude=("git push",)) is not None
    assert rewrite("git push", version=V1, extra=("git",), exclude=("git",)) is None


SEED = """kubectl git docker docker-compose podman mvn gradle ./gradlew go cargo rustc npm npx pnpm
yarn pip pip3 uv ruff pytest aws oci gcloud az terraform tofu helm curl brew lsof ps rg find"""


@pytest.mark.parametrize("name", SEED.split())
def test_every_command_of_the_seed_is_answered(name: str) -> None:
    """It is in the table, or left alone with the reason."""
    assert (name in TABLE) != bool(LEFT_ALONE.get(name))
