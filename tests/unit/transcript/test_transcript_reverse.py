"""Reading lines backwards."""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.transcript.reverse import Limits, Reverse

if TYPE_CHECKING:
    from collections.abc import Callable

    Reader = Callable[[bytes], Callable[[int, int], bytes]]


def lines_of(data: bytes, block: int = 1 << 14, **limits: int) -> tuple[list[bytes], Reverse]:
    def read(offset: int, size: int) -> bytes:
        return data[offset : offset + size]

    lines = Reverse(read, len(data), Limits(**limits), block)
    return list(lines), lines


def filled(line: bytes) -> bool:
    return bool(line) and not line.isspace()


class TestLines:
    """What is handed out, and in which order."""

    @pytest.mark.parametrize(
        ("data", "expected"),
        [
            (b"", []),
            (b"\n", []),
            (b"a", [b"a"]),
            (b"a\n", [b"a"]),
            (b"a\nb", [b"b", b"a"]),
            (b"a\n\n\nb\n\n", [b"b", b"a"]),
            (b"a\r\nb\r\n", [b"b\r", b"a\r"]),
            (b" \n\t\r\n", []),
            (b"a\0\0\0b\n", [b"b", b"a"]),
            (b"\0\0a", [b"a"]),
            (b"a\n\0\0\0\0", [b"a"]),
            (b"\xff\xfe\n\xc3", [b"\xc3", b"\xff\xfe"]),
        ],
    )
    def test_lines_come_last_first_without_empty_ones(
        self, data: bytes, expected: list[bytes]
    ) -> None:
        """NUL bytes end a line as a line feed does."""
        for block in (1, 2, 3, 16):
            assert lines_of(data, block)[0] == expected

    @given(st.binary(max_size=200), st.integers(1, 40))
    def test_any_bytes_give_the_lines_that_splitting_them_gives(
        self, data: bytes, block: int
    ) -> None:
        """The block size never shows."""
        whole = [line for line in data.replace(b"\0", b"\n").split(b"\n") if filled(line)]
        assert lines_of(data, block)[0] == whole[::-1]

    @given(st.lists(st.integers(0, 40_000), max_size=6), st.booleans())
    def test_lines_of_any_length_cross_blocks(self, lengths: list[int], ended: bool) -> None:
        """Lines far longer and far shorter than a block are put together alike."""
        lines = [b"%d" % place + b"x" * length for place, length in enumerate(lengths)]
        data = b"\n".join(lines) + (b"\n" if ended else b"")
        assert lines_of(data)[0] == lines[::-1]


class TestLimits:
    """What reading may cost."""

    @given(
        st.lists(st.binary(max_size=30).map(lambda one: one.strip(b"\0\n \t\r\f\v")), max_size=12),
        st.integers(1, 20),
        st.integers(1, 50),
    )
    def test_lines_above_the_cap_are_passed_over_and_counted(
        self, lines: list[bytes], cap: int, block: int
    ) -> None:
        """All others are still handed out."""
        lines = [line.replace(b"\n", b"").replace(b"\0", b"") for line in lines]
        data = b"\n".join(lines)
        given_out, reverse = lines_of(data, block, line=cap)
        short = [line for line in lines if filled(line) and len(line) <= cap]
        assert given_out == short[::-1]
        assert reverse.long_lines == sum(len(line) > cap for line in lines)
        assert not reverse.stopped

    def test_a_line_of_exactly_the_cap_is_handed_out(self) -> None:
        """One byte more is too much."""
        assert lines_of(b"aaaa\nbbbbb\n", line=5)[0] == [b"bbbbb", b"aaaa"]
        assert lines_of(b"aaaa\nbbbbb\n", line=4)[0] == [b"aaaa"]

    def test_rows_are_limited(self) -> None:
        """Blank rows count, or a file of them would take for ever."""
        rows, reverse = lines_of(b"a\nb\nc\n", rows=2)
        assert (rows, reverse.stopped) == ([b"c", b"b"], "more than 2 rows")
        rows, reverse = lines_of(b"a\n" + b" \n" * 50, rows=20)
        assert (rows, reverse.stopped) == ([], "more than 20 rows")
        assert lines_of(b"a\nb\n", rows=2)[1].stopped == ""

    def test_bytes_are_limited(self) -> None:
        """What was not read is named."""
        rows, reverse = lines_of(b"abcdefg\n" * 100, block=8, total=80)
        assert 0 < len(rows) < 30
        assert reverse.stopped.startswith("the first ")

    def test_what_is_passed_over_is_limited(self) -> None:
        """A line without a beginning in sight is given up, and so is a gap."""
        for filler in (b"x", b"\0"):
            rows, reverse = lines_of(b"a\n" + filler * 10_000 + b"\nz\n", 64, line=8, passed=4096)
            assert rows == [b"z"]
            assert "a line or gap of more than" in reverse.stopped

    def test_a_long_line_or_gap_within_the_limit_hides_nothing(self) -> None:
        """What stands before it is still read."""
        for filler in (b"x", b"\0"):
            rows, reverse = lines_of(b"a\n" + filler * 10_000 + b"\nz\n", 64, line=8)
            assert (rows, reverse.stopped) == ([b"z", b"a"], "")

    def test_a_file_that_shrinks_ends_the_reading(self) -> None:
        """Compaction may rewrite the file in place (contract, section 5)."""
        lines = Reverse(lambda _offset, _size: b"", 100)
        assert list(lines) == []
        assert lines.stopped == "the file changed while it was read"

    def test_reading_can_be_cut_short(self) -> None:
        """After `allow`, passed-over bytes count too."""
        data = b"a\n" + b"\0" * 100_000 + b"z\n"
        lines = Reverse(lambda offset, size: data[offset : offset + size], len(data), block=64)
        unread = iter(lines)
        assert next(unread) == b"z"
        lines.allow(1000)
        assert list(unread) == []
        assert lines.stopped

    @pytest.mark.parametrize("filler", [b"x", b"\0", b"\n", b"\0a\n", b'{"a": 1}\n'])
    def test_memory_does_not_grow_with_the_file(self, filler: bytes) -> None:
        """Sixteen GB of anything cost less than 40 MB; nothing but the file's text varies."""
        piece = filler * ((1 << 18) // len(filler) + 2)

        def read(offset: int, size: int) -> bytes:
            skew = offset % len(filler)
            return piece[skew : skew + size]

        tracemalloc.start()
        count = sum(1 for _ in Reverse(read, 16 << 30))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count <= Limits().rows
        assert peak < 40 << 20

    def test_limits_have_stated_defaults(self) -> None:
        """A line of 4 MiB, 16 MiB in all, 64 MiB passed over, 10,000 rows."""
        expected: dict[str, Any] = {
            "line": 4 << 20, "total": 16 << 20, "passed": 64 << 20, "rows": 10_000,
        }  # fmt: skip
        assert Limits().asdict() == expected
