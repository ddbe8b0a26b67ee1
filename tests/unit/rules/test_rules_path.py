"""URIs, cleaning and the places where absolute paths lead."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.rules.path import (
    clean,
    crashes,
    from_uri,
    located,
    unquoted,
    upward,
    uri,
    within,
)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/ws/a.md", "file:///ws/a.md"),
        ("/ws/a b.md", "file:///ws/a%20b.md"),
        ("/ws/é.md", "file:///ws/%C3%A9.md"),
        ("/ws/%41.md", "file:///ws/%2541.md"),
        ("/ws/(x)'y'.md", "file:///ws/%28x%29%27y%27.md"),
        ("/ws/-_.~$&+,:;=@", "file:///ws/-_.~$&+,:;=@"),
        ("/ws/b\udcff.md", "file:///ws/b%FF.md"),
    ],
)
def test_uri_escapes_all_but_the_safe_bytes(path: str, expected: str) -> None:
    assert uri(path) == expected


def test_escaped_names_come_before_plain_ones() -> None:
    names = ["é.md", "0.md", "a b.md", "a-b.md", "a.md"]
    shuffled = ["a.md", "a b.md", "é.md", "a-b.md", "0.md"]
    assert sorted(shuffled, key=lambda name: uri(f"/r/{name}")) == names


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/a/./b/../c/", "/a/c"), ("//a//b", "/a/b"), ("/..", "/"), ("/", "/"), ("///x", "/x")],
)
def test_paths_are_cleaned_lexically(path: str, expected: str) -> None:
    assert clean(path) == expected


@pytest.mark.parametrize(
    ("path", "place", "written"),
    [
        ("/a/../b/", "/b", "/b"),
        ("//tmp/ws/a.md", "//tmp/ws/a.md", r"\\tmp\ws\a.md"),
        ("//tmp/ws/x/../a.md/", "//tmp/ws/a.md", r"\\tmp\ws\a.md"),
        ("//tmp/ws", "//tmp/ws/", "\\\\tmp\\ws\\"),
        ("//./tmp/a.md", "//./tmp/a.md", r"\\.\tmp\a.md"),
    ],
)
def test_two_slashes_make_a_network_path(path: str, place: str, written: str) -> None:
    """Seen on the engine, on Linux too."""
    assert located(path) == (place, written)


@pytest.mark.parametrize(
    ("path", "place"),
    [("/ws\\a/b", "/ws/a/b"), ("/ws/x\\..", "/ws"), ("/docs/..\\.", "/"), ("/ws/a\\", "/ws/a")],
)
def test_backslashes_separate_in_absolute_paths(path: str, place: str) -> None:
    """Seen on the engine, on Linux too; a name with a backslash cannot be reached so."""
    assert located(path) == (place, place)


@pytest.mark.parametrize("path", ["//a/b\\/c", "//a/..\\/c", "//a/b\\", "//a\\/b\\/c"])
def test_paths_that_end_the_host(path: str) -> None:
    """`panic: invalid volume name`, seen on the engine for each."""
    assert crashes(path)


@pytest.mark.parametrize(
    "path",
    ["//a/b\\c", "//a\\b/c", "//a/b/c\\d", "//a/b/\\c", "//a\\b", "///a/b\\/c", "/a//b\\/c",
     "//a/b/c/d\\/e", "//a\\/b/c", "//a/b", "/a\\/b", "\\\\a\\b"],
)  # fmt: skip
def test_paths_that_the_host_survives(path: str) -> None:
    assert not crashes(path)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("file:///ws/a%20b", "/ws/a b"),
        ("file:///ws/q%23x", "/ws/q#x"),
        ("file://user@/ws/q", "/ws/q"),
        ("file://host/share/x", "//host/share/x"),
        ("file:////a/b", "//a/b"),
        ("file:///", "/"),
    ],
)
def test_uris_have_paths(text: str, path: str) -> None:
    assert from_uri(text) == path


@pytest.mark.parametrize(
    "text", ["file:///q#x", "file:///q?x", "file:///%zz", "file://", "file://z"]
)
def test_uris_without_a_path(text: str) -> None:
    assert from_uri(text) is None


@pytest.mark.parametrize("path", ["//", "///", "//tmp", "//tmp/", "///tmp/a.md"])
def test_network_paths_without_a_share_lead_nowhere(path: str) -> None:
    assert located(path) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("/a%20b", "/a b"), ("/host%6eame", "/hostname"), ("/%C3%A9", "/é"), ("/plain", "/plain")],
)
def test_percent_decoding(text: str, expected: str) -> None:
    assert unquoted(text) == expected


@pytest.mark.parametrize("text", ["%", "/a%2", "/a%zz", "/a% 1", "/%+1"])
def test_malformed_percent_escapes_are_refused(text: str) -> None:
    assert unquoted(text) is None


def test_upward_ends_at_the_root_and_never_loops() -> None:
    assert upward("/a/b") == ["/a/b", "/a", "/"]
    assert upward("/") == ["/"]
    assert upward("C:/a") == ["C:/a", "C:"]


def test_within_compares_whole_names() -> None:
    assert within("/a/b", "/a")
    assert within("/a", "/")
    assert not within("/ab", "/a")


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0")))
def test_uris_are_ascii(name: str) -> None:
    assert uri(f"/{name}").isascii()
