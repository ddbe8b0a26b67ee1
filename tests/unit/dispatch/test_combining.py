"""The two laws of combining, and what each kind of answer counts as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agguard.dispatch import combine
from agguard.dispatch.implementation import Answer, Implementation
from agguard.model.effect import Effect
from agguard.model.verdict import Decision, Fault, Reason, StopVerdict, Verdict

names = st.sampled_from(["builtin", "alpha", "beta", "gamma"])
effects = st.sampled_from([Effect(0), *Effect, Effect.NETWORK | Effect.WRITE])
policies = st.sampled_from(["record", "ask", "deny"])
verdicts = st.none() | st.builds(Verdict, st.sampled_from(list(Decision)), st.text(max_size=3))


def answer(
    plugin: str, hook: str, value: object, *, broken: bool = False, on_error: str = "record"
) -> Answer:
    one = Implementation(plugin, hook, f"m:{hook}", (), on_error, in_process=plugin == "builtin")
    problem = Fault(plugin, hook, "exception", "boom") if broken else None
    return Answer(one, None if broken else value, problem)


classified = st.builds(
    lambda n, v, b: answer(n, "classify_tool", v, broken=b), names, effects, st.booleans()
)
judged = st.builds(
    lambda n, v, b, p: answer(n, "judge_tool", v, broken=b, on_error=p),
    names,
    verdicts,
    st.booleans(),
    policies,
)
trust = st.sets(st.sampled_from(["alpha", "beta"]))


@given(st.lists(classified, max_size=6), trust, classified)
def test_a_guard_that_is_not_trusted_never_makes_an_effect_milder(
    answers: list[Answer], trusted: set[str], added: Answer
) -> None:
    """Adding one more answer of an untrusted third party never lowers the worst flag."""
    if added.plugin in trusted or added.plugin == "builtin":
        return
    before = combine.effect(answers, trusted)
    after = combine.effect([*answers, added], trusted)
    assert after.worst >= before.worst
    assert after & before == before or before == Effect.UNKNOWN


@given(st.lists(judged, max_size=6), judged)
def test_one_more_guard_never_makes_a_decision_milder(answers: list[Answer], added: Answer) -> None:
    """Adding any answer to `judge_tool` keeps the decision or makes it stricter."""
    before = combine.strictest(combine.reasons(answers))
    after = combine.strictest(combine.reasons([*answers, added]))
    assert after >= before


@given(st.lists(classified, max_size=6), trust, st.randoms())
def test_the_order_of_guards_does_not_change_an_effect(
    answers: list[Answer], trusted: set[str], random: object
) -> None:
    """Any permutation of the answers gives the same effect."""
    shuffled = sorted(answers, key=lambda _: random.random())
    assert combine.effect(answers, trusted) == combine.effect(shuffled, trusted)


@given(st.lists(judged, max_size=6), st.randoms())
def test_the_order_of_guards_does_not_change_reasons(answers: list[Answer], random: object) -> None:
    """Any permutation of the answers gives the same reasons in the same order."""
    shuffled = sorted(answers, key=lambda _: random.random())
    assert combine.reasons(answers) == combine.reasons(shuffled)


@pytest.mark.parametrize(
    ("answers", "trusted", "expected"),
    [
        ([], [], Effect.UNKNOWN),
        ([("builtin", Effect.READ)], [], Effect.READ),
        ([("builtin", Effect.READ), ("alpha", Effect.WRITE)], [], Effect.READ | Effect.WRITE),
        ([("builtin", Effect.WRITE), ("alpha", Effect.READ)], ["alpha"], Effect.READ),
        ([("builtin", Effect.UNKNOWN), ("alpha", Effect.READ)], ["alpha"], Effect.READ),
        (
            [("builtin", Effect.UNKNOWN), ("alpha", Effect.READ)],
            [],
            Effect.UNKNOWN | Effect.READ,
        ),
        ([("builtin", Effect.READ), ("alpha", None)], ["alpha"], Effect.READ),
        ([("alpha", None)], [], Effect.UNKNOWN),
    ],
)
def test_effects_join_and_only_trust_replaces(
    answers: list[tuple[str, Effect | None]], trusted: list[str], expected: Effect
) -> None:
    """The worst answer counts; only a trusted plugin replaces what the built-in guard says."""
    given_answers = [answer(name, "classify_tool", value) for name, value in answers]
    assert combine.effect(given_answers, trusted) == expected


@pytest.mark.parametrize("plugin", ["builtin", "alpha"])
def test_a_fault_in_classifying_counts_as_unknown(plugin: str) -> None:
    """A broken classifier never makes a call look harmless."""
    answers = [
        answer("builtin", "classify_tool", Effect.READ),
        answer(plugin, "classify_tool", None, broken=True),
    ]
    assert combine.effect(answers, []).worst == Effect.UNKNOWN


@pytest.mark.parametrize(
    ("plugin", "on_error", "expected"),
    [
        ("builtin", "record", Decision.DENY),
        ("alpha", "record", Decision.ALLOW),
        ("alpha", "ask", Decision.ASK),
        ("alpha", "deny", Decision.DENY),
    ],
)
def test_a_fault_in_judging_counts_as_its_policy_says(
    plugin: str, on_error: str, expected: Decision
) -> None:
    """A fault of ours denies, a third party's counts as its `on_error`."""
    broken = answer(plugin, "judge_tool", None, broken=True, on_error=on_error)
    assert combine.strictest(combine.reasons([broken])) == expected


def test_a_fault_in_judging_a_stop_lets_it_stop() -> None:
    """No broken guard keeps an agent running."""
    broken = answer("alpha", "judge_stop", None, broken=True)
    assert combine.stop_reasons([broken]) == ()


def test_any_guard_sends_a_stop_back_and_reasons_are_joined() -> None:
    """All reasons to go on are kept, in a stable order."""
    answers = [
        answer("beta", "judge_stop", StopVerdict.go_on("b")),
        answer("alpha", "judge_stop", StopVerdict.go_on("a")),
        answer("gamma", "judge_stop", StopVerdict(again=False, reason="no")),
    ]
    expected = (Reason("alpha", "a", Decision.DENY), Reason("beta", "b", Decision.DENY))
    assert combine.stop_reasons(answers) == expected


@given(st.lists(st.text(max_size=30)), st.integers(min_value=0, max_value=40))
def test_texts_within_a_budget_never_exceed_it(texts: list[str], tokens: int) -> None:
    """What is kept fits, comes in order, and holds nothing twice."""
    kept, over = combine.within(texts, tokens)
    assert sum(len(text.encode("utf-8", "surrogatepass")) for text in kept) <= tokens * 4
    assert len(set(kept)) == len(kept)
    assert kept == [text for text in dict.fromkeys(texts) if text in kept]
    assert all(texts[place] not in kept for place in over)
