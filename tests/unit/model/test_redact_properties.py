"""What redaction promises for any text: it never raises, settles at once, and stays bounded."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agguard.model.redact import LIMIT, MARK, redact, redact_value
from agguard.model.redact.text import CUT

FRAGMENTS = st.sampled_from(
    [
        *("PASSWORD=", "token: ", '"secret": ', "--token ", "--password=", "key=", "api_key:"),
        *("mysql -p", "curl -u ", "docker login -p ", "echo ", " | sudo -S ", " <<< ", "<<EOF\n"),
        *("https://", "://", "@", ":", "/", "ghp_", "AKIA", "sk-", "eyJ", "$6$", ".atlasv1."),
        *("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----", "Authorization: ", "Bearer "),
        *("Cookie: ", "identified by ", "password '", "set TOKEN ", "name: ", "value: ", "[", "]"),
        *("'", '"', "\\", '\\"', "`", "$", "${", "$(", ")", "{", "}", ";", "&", "|", ",", "<", ">"),
        *(" ", "\n", "\t", "\\\n", "=", "-", "--", "abc", "FAKE0123456789abcdef", "x", "1", MARK),
        *("[reda", "cted]", "[", "redacted", "chpasswd", "--password-stdin", "EOF\n", "\\n", "%22"),
        *(
            "pwd=",
            "password: |\n ",
            "secrets set ",
            "a=b",
            "vault kv put ",
            "--from-literal=",
            "sqlplus ",
            "/p:",
        ),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(FRAGMENTS, max_size=30).map("".join))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
THOROUGH = settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)


@given(TEXTS)
@THOROUGH
@example("\ud800PASSWORD=\udfffx")
@example('password="' * 3)
@example("İPASSWORD=x")
def test_it_settles_at_once(text: str) -> None:
    """Redacting a redacted text changes nothing; and nothing raises."""
    once = redact(text)
    assert redact(once) == once


@given(TEXTS)
@THOROUGH
def test_the_result_is_bounded(text: str) -> None:
    """A mark stands for at least one character, with what gave it away beside it."""
    assert len(redact(text)) <= 6 * len(text) + len(MARK)


@pytest.mark.parametrize("between", ["", "x ", "'", '"', "\\", "`", "$(", "[", "\n", "<<E\n", "é"])
def test_a_long_text_is_cut(between: str) -> None:
    """A text beyond the limit keeps its head, redacted, and settles as well."""
    once = redact(f"{between}PASSWORD=Zq81Zq81Zq ls\n" * LIMIT)
    assert 0 < len(once) <= LIMIT
    assert "Zq81" not in once
    assert redact(once) == once


@pytest.mark.parametrize("kept", range(1, 26, 3))
def test_a_cut_leaves_no_half_of_a_token(kept: int) -> None:
    """A token that the limit divides is dropped: its head may be too short to be recognized."""
    token = "ghp_Zq81Zq81Zq81Zq81Zq81"
    once = redact("x" * (LIMIT - len(CUT) - kept - 1) + " " + token + " more" * 20)
    assert "ghp_" not in once
    assert once.endswith(CUT)


@given(VALUES)
@THOROUGH
def test_a_value_settles_and_stays_json(value: object) -> None:
    """A redacted value is still JSON, and redacting it again changes nothing."""
    once = redact_value(value)
    json.dumps(once)
    assert redact_value(once) == once


@given(st.text("abcdefghijklmnopqrstuvwxyz \n.,()/", max_size=200).filter(lambda t: "://" not in t))
@settings(deadline=None)
def test_plain_words_come_back(text: str) -> None:
    """Prose without digits, quotes or separators holds nothing that looks like a secret."""
    assert redact(text) == text or "word" in text or "ken" in text


@given(st.text("ABCDEFGHabcdefgh0123456789+/_-", min_size=8, max_size=60))
@settings(deadline=None)
def test_any_value_of_a_secret_name_is_withheld(value: str) -> None:
    """Whatever its letters, the value of a password is not stored: in a shell, JSON, a URL."""
    secret = f"Q{value}Q"
    for text in (
        f"PASSWORD={secret} ./run",
        f"export X_TOKEN='{secret}'",
        f'{{"a": 1, "clientSecret": "{secret}"}}',
        f"run --api-token {secret} --verbose",
        f"https://bob:{secret.replace('/', '_')}@host/",
        f"mysql -p{secret} db",
    ):
        after = redact(text)
        assert secret not in after
        assert MARK in after
