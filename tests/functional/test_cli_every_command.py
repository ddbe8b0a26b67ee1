"""What holds for each command there is; a new one is walked without being named here."""

from __future__ import annotations

import inspect
import re
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_type_hints

import pytest

from agguard.cli.app import build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import typer

    from fakes.desk import Desk


class Command(NamedTuple):
    """A command: its words, and the function behind it."""

    words: tuple[str, ...]
    function: Callable[..., Any]


def commands() -> Iterator[Command]:
    """Yield all commands."""
    yield from _below(build(), ())


def _below(app: typer.Typer, words: tuple[str, ...]) -> Iterator[Command]:
    for one in app.registered_commands:
        assert one.callback is not None
        yield Command((*words, one.name or one.callback.__name__), one.callback)
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from _below(group.typer_instance, (*words, str(group.name)))


ALL = sorted(commands())
BY_WORDS = pytest.mark.parametrize("command", ALL, ids=lambda one: " ".join(one.words))


class Wanted(NamedTuple):
    """A parameter of a command, and how it is given."""

    command: Command
    name: str
    given: tuple[str, ...]
    """The words before its value."""
    kinds: tuple[type, ...]


def parameters() -> Iterator[Wanted]:
    """Yield the parameters of all commands."""
    for command in ALL:
        hints = get_type_hints(command.function, include_extras=True)
        for name in inspect.signature(command.function).parameters:
            kind, *rest = get_args(hints[name])
            info = rest[0] if rest else None
            kinds = (kind,) if isinstance(kind, type) else get_args(kind)
            # typer takes the first name of an annotated option for its default.
            declared = (getattr(info, "default", None), *(getattr(info, "param_decls", ()) or ()))
            named = [one for one in declared if isinstance(one, str) and one.startswith("--")]
            option = named[0] if named else f"--{name.replace('_', '-')}"
            is_option = type(info).__name__ == "OptionInfo"
            yield Wanted(command, name, (option,) if is_option else (), kinds)


def choices() -> list[tuple[Wanted, list[str]]]:
    """Return the parameters that take one of a few words, with these."""
    return [
        (one, [str(member.value) for member in kind])
        for one in parameters()
        for kind in one.kinds
        if isinstance(kind, type) and issubclass(kind, Enum)
    ]


def numbers() -> list[Wanted]:
    """Return the parameters that take a number."""
    return [one for one in parameters() if {int, float} & set(one.kinds)]


def completed(desk: Desk, *words: str) -> list[str]:
    """Return what a shell offers behind these words of a command line."""
    desk.patch.setenv("_AGGUARD_COMPLETE", "complete_zsh")
    desk.patch.setenv("_TYPER_COMPLETE_ARGS", " ".join(("agguard", *words)))
    found = desk.run().out
    desk.patch.delenv("_AGGUARD_COMPLETE")
    return re.findall(r'^(?:_arguments .*\(\()?"([^":]+)"', found, re.MULTILINE)


def shown(one: object) -> str:
    return " ".join((*one.command.words, one.name)) if isinstance(one, Wanted) else ""


def test_the_walk_finds_what_there_is() -> None:
    """Or the tests below would pass for nothing."""
    assert len(ALL) > 30
    assert ("config", "set") in {one.words for one in ALL}
    assert {one.name for one, _ in choices()} >= {"profile", "decision", "role", "scope", "form"}
    assert {one.name for one in numbers()} == {"limit", "every", "examples"}


@pytest.mark.parametrize(("wanted", "words"), choices(), ids=shown)
class TestChoices:
    """`config profile`, `log --decision`, `handoff schema`, `install --scope`, and every other."""

    def test_a_misspelled_word_is_refused_with_what_was_meant(
        self, desk: Desk, wanted: Wanted, words: list[str]
    ) -> None:
        """The message names the value and what is allowed; status 2, and nothing else is said."""
        for word in words:
            found = desk.run(*wanted.command.words, *wanted.given, f"{word}x", status=2)
            said = f"is '{word}x', expected one of {', '.join(words)}; did you mean '{word}'?"
            assert said in found.words
            assert not found.out
            assert "Value error" not in found.words

    def test_another_word_is_refused_without_a_guess(
        self, desk: Desk, wanted: Wanted, words: list[str]
    ) -> None:
        """What resembles nothing is not guessed at."""
        found = desk.run(*wanted.command.words, *wanted.given, "QQQ", status=2)
        assert found.words.endswith(f"is 'QQQ', expected one of {', '.join(words)}")

    def test_the_shell_completes_it(self, desk: Desk, wanted: Wanted, words: list[str]) -> None:
        """All of the words where nothing is written yet, and those that begin like what is."""
        start = (*wanted.command.words, *wanted.given)
        assert completed(desk, *start, "") == words
        assert words[-1] in completed(desk, *start, words[-1][:2])

    def test_the_help_shows_the_words(self, desk: Desk, wanted: Wanted, words: list[str]) -> None:
        """All of them."""
        desk.patch.setenv("COLUMNS", "200")
        text = desk.run(*wanted.command.words, "--help").out.lower()
        assert all(word in text for word in words)


@pytest.mark.parametrize("wanted", numbers(), ids=shown)
class TestNumbers:
    """`log --limit`, `status --every`, and every other."""

    @pytest.mark.parametrize("text", ["-1", "many", "nan", "inf"])
    def test_what_is_no_such_number_is_refused(self, desk: Desk, wanted: Wanted, text: str) -> None:
        """With the value, what was expected, and no word of Python's."""
        found = desk.run(*wanted.command.words, *wanted.given, text, status=2)
        assert f"is '{text}', expected a" in found.words
        assert "at least" in found.words
        assert not found.out


@BY_WORDS
class TestEvery:
    def test_its_help_has_an_example_and_fits_the_terminal(
        self, desk: Desk, command: Command
    ) -> None:
        """The example is one of this command."""
        text = desk.screen(*command.words, "--help")
        assert f"Example: agguard {' '.join(command.words)}" in " ".join(text.split())

    def test_it_can_answer_with_data(self, desk: Desk, command: Command) -> None:
        """By the same option everywhere."""
        assert "--json" in desk.run(*command.words, "--help").out


class TestCompletion:
    @pytest.mark.parametrize(
        ("words", "offered"),
        [
            (("config", "get", "delegation.mo"), ["delegation.mode"]),
            (("config", "unset", "rtk.p"), ["rtk.path"]),
            (("config", "set", "rtk.mode", ""), ["off", "on"]),
            (("config", "set", "hooks.observe", "t"), ["true"]),
            (("config", "set", "attention.after", ""), []),
            (("config", "set", "no.such.key", ""), []),
            (("plugins", "hooks", "judge_"), ["judge_tool", "judge_stop"]),
            (("plugins", "new", "x", "--hook", "obs"), ["observe"]),
            (("config", "un"), ["unset"]),
        ],
    )
    def test_the_shell_completes(
        self, desk: Desk, words: tuple[str, ...], offered: list[str]
    ) -> None:
        """Keys, the values of a key, hooks, commands."""
        assert completed(desk, *words) == offered
