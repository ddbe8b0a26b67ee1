"""Which names say that their value is a secret, and where a value ends."""

from __future__ import annotations

import pytest

from agguard.model.redact import extent, names

GRADES = {
    names.SECRET: [
        *("password", "PASSWORD", "DB_PASSWORD", "dbPassword", "postgresPassword", "PGPASSWORD"),
        *("passwd", "MYSQL_PWD", "passphrase", "db.pass", "userpass", "rootpw", "-pw", "otp"),
        *("secret", "client_secret", "clientSecret", "SECRET_KEY_BASE", "AWS_SECRET_ACCESS_KEY"),
        *("token", "X-Auth-Token", "PRIVATE-TOKEN", "_authToken", "GITHUB_TOKEN_2", "csrftoken"),
        *("Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "psk", "jwt", "mnemonic"),
        *("secret_id", "storePassword", "api_tokens", "TOKEN_PROD", "spring.datasource.password"),
    ],
    names.FILE: [
        *("api_key", "apiKeys", "x-api-key", "AccountKey", "SharedAccessKey", "credentials"),
        *("encryption-key", "API_KEY_PROD", "aws_credentials", "Ocp-Apim-Subscription-Key"),
    ],
    names.WEAK: [
        *("key", "OPENAI_KEY", "ssh-key", "auth", "sig", "X-Amz-Signature", "code", "sessionid"),
    ],
    names.NO: [
        *("user", "author", "authority", "monkey", "tokenize", "tokenizer", "passed", "passing"),
        *("bypass", "compass", "GIT_ASKPASS", "password_file", "passwordFile", "token_url", "PATH"),
        *(
            "secretName",
            "secret-id",
            "token_type",
            "AWS_ACCESS_KEY_ID",
            "SSH_AUTH_SOCK",
            "keyboard",
        ),
        *("public_key", "primaryKey", "sort-key", "cookie-jar", "token_count", "passwordless", ""),
    ],
}


@pytest.mark.parametrize(
    ("name", "grade"), [(name, grade) for grade, row in GRADES.items() for name in row]
)
def test_names_have_grades(name: str, grade: int) -> None:
    """Part by part: `tokenizer` and `author` are no tokens and no authorization."""
    assert names.grade(name) == grade


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("password", "x", True),
        ("password", "123456", True),
        ("password", "/FAKE/x", True),
        ("tokens", "4096", False),
        ("max_token", "4096", False),
        ("token", "4096", True),
        ("pwd", "/home/bob", False),
        ("Pwd", "FAKE", True),
        ("api_key", "/etc/keys/a.pem", False),
        ("credentials", "sa.json", False),
        ("api_key", "FAKE", True),
        ("key", "name", False),
        ("key", "FAKE0123456789abcd", True),
        ("auth", "basic", False),
        ("user", "FAKE0123456789abcd", False),
    ],
)
def test_the_value_decides_as_well(name: str, value: str, secret: bool) -> None:
    """A count is no token, a file name no key, and a weak name needs a random value."""
    assert names.is_secret(name, value) is secret


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("abc def", "abc"),
        ("'a b' c", "a b"),
        ('"a \\" b" c', 'a \\" b'),
        ('"a \\\\" c', "a \\\\"),
        ("$'a \\' b' c", "a \\' b"),
        ('\\"a b\\" c', "a b"),
        ('\\"a \\\\\\" b\\" c', 'a \\\\\\" b'),
        ("a\\ b c", "a\\ b"),
        ("a'b c'd e", "a'b c'd"),
        ('abc" def', "abc"),
        ("abc'; def", "abc"),
        ('"abc", "def"', "abc"),
        ('"abc","def"', "abc"),
        ("abc; def", "abc"),
        ("abc&def", "abc"),
        ("abc) def", "abc"),
        ("abc}, def", "abc"),
        ("abc\\ndef", "abc"),
        ("'abc def", "abc def"),
        ("'abc\ndef ghi", "abc"),
        ('"abc\nd e"', "abc"),
        ('"abc\ndef"', "abc\ndef"),
        ("f'abc' x", "abc"),
    ],
)
def test_a_value_ends_with_its_quotes(text: str, secret: str) -> None:
    """Quotes may be escaped, and a quote may close what was opened before the value."""
    span = extent.secret(text, 0)
    assert span is not None
    assert text[slice(*span)] == secret


@pytest.mark.parametrize(
    "text",
    [
        *("$TOKEN", '"$TOKEN"', "${TOKEN}", "${TOKEN:-}", "${TOKEN:?not set}", "\\$TOKEN"),
        *("$(cmd)", '"$(a b c)"', "%TOKEN%", "{token}", "<token>", "${{ secrets.X }}", "***"),
        *("null", "None", "xxxxxx", "''", '""', "", "; x", "| x", ">x"),
        *("{{ token }}", "$env:TOKEN"),
    ],
)
def test_a_reference_is_no_secret(text: str) -> None:
    """A name of a secret may be logged, and so may nothing at all."""
    assert extent.secret(text, 0) is None


def test_a_scheme_may_stand_before_a_reference() -> None:
    """`Bearer $TOKEN` gives nothing away either."""
    assert extent.is_reference("Bearer $TOKEN")
    assert not extent.is_reference("Bearer FAKE")


def test_a_shell_expands_nothing_in_single_quotes() -> None:
    """There, a dollar is a part of the secret."""
    assert extent.secret("'$ecret'", 0) == (1, 7)
