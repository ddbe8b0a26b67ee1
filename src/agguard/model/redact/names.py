"""Which names say that their value is a secret."""

from __future__ import annotations

import re

from agguard.model.redact.hints import STEMS

NO = 0
WEAK = 1
"""A secret if the value looks like one: `key`, `auth`, `signature`."""
FILE = 2
"""A secret unless the value names a file: `api_key`, `credentials`."""
SECRET = 3

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET_ENDS = (
    *("password", "passwd", "passphrase", "passcode", "passkey", "passwords", "secret", "secrets"),
    *("token", "tokens", "bearer", "jwt", "psk", "mnemonic", "apikey", "authkey", "accesskey"),
    *("secretkey", "authorization", "sessid"),
)
_LAST_SECRET_ENDS = ("pass", "pwd", "pw", "otp", "cookie")
_NOT_PASS = ("bypass", "compass", "askpass", "trespass", "overpass", "surpass", "pypy")
_FILE_ENDS = ("credential", "credentials", "creds", "apikeys")
_KEY_KINDS = {
    *("api", "access", "account", "encryption", "master", "shared", "signing", "storage", "auth"),
    *("service", "subscription", "license", "function", "app", "application", "session", "admin"),
}
_PLAIN_KEYS = {
    *("public", "primary", "foreign", "sort", "partition", "cache", "idempotency", "unique"),
    *("idempotence", "dedup", "group", "routing", "row", "index", "hash"),
}
_WEAK_LAST = {
    *("key", "keys", "auth", "sig", "signature", "code", "session", "sessionid", "sid", "phrase"),
}
_HARMLESS_LAST = {
    *("file", "files", "filename", "path", "paths", "dir", "name", "names", "type", "types", "url"),
    *("uri", "endpoint", "host", "port", "id", "ids", "count", "counts", "limit", "limits", "env"),
    *("length", "size", "min", "max", "ttl", "expiry", "expires", "expiration", "timeout"),
    *("interval", "age", "hint", "field", "fields", "label", "prompt", "title", "manager", "store"),
    *("provider", "version", "format", "prefix", "suffix", "class", "scope", "scopes", "ref"),
    *("kind", "issuer", "audience", "algorithm", "alg", "jar", "header", "mode", "enabled", "in"),
    *("disabled", "required", "support", "rotation", "usage", "stdin", "index", "arn", "status"),
    *(
        "policy",
        "bucket",
        "rate",
        "budget",
        "window",
        "engine",
        "backend",
        "filenames",
        "fds",
        "through",
    ),
}
_NOT_FOLLOWED = {
    *("no", "ask", "prompt", "with", "show", "list", "export", "skip", "require", "enable", "get"),
    *("disable", "delete", "import", "create", "print", "generate", "rotate", "revoke", "without"),
}
_FILE = (
    r"(?:~|\.{1,2}|\$\w+|[A-Za-z]:)?[/\\][\w./\\@ -]*"
    r"|[\w./\\@~$+-]*\.(?:json|pem|key|pub|p12|crt|cer|ya?ml|txt|env)"
)
_LETTER = re.compile(r"[A-Za-z]")
_DIGIT = re.compile(r"[0-9]")
_TELLING = 64
"""How much of a value shows what it is made of."""
_NUMBER = r"[\d._,]+[kKmM]?"


def grade(name: str) -> int:
    """Return how surely the value of `name` is a secret: NO, WEAK, FILE or SECRET."""
    low = name.lower()
    if not any(stem in low for stem in STEMS):
        return NO
    parts = [part.lower() for part in _PART.findall(name[-128:])]
    if low.endswith(("secret_id", "rediscli_auth")):
        return SECRET  # the second half of a Vault AppRole's login, and Redis' password
    if not parts or parts[-1] in _HARMLESS_LAST or parts[-1].endswith(_NOT_PASS):
        return NO
    if any(part.endswith(_SECRET_ENDS) for part in parts) or parts[-1].endswith(_LAST_SECRET_ENDS):
        return SECRET
    return _grade_last(parts)


def _grade_last(parts: list[str]) -> int:
    last, before = parts[-1], parts[-2] if len(parts) > 1 else ""
    if last.endswith(_FILE_ENDS) or (last in {"key", "keys"} and before in _KEY_KINDS):
        return FILE
    if "key" in parts and any(kind in _KEY_KINDS for kind in parts[:-1]):
        return FILE  # API_KEY_PROD
    return WEAK if last in _WEAK_LAST and before not in _PLAIN_KEYS else NO


def takes_no_value(flag: str) -> bool:
    """Tell whether a flag such as `--no-password` or `--list-secret-keys` stands alone."""
    return flag.lstrip("-").partition("-")[0].lower() in _NOT_FOLLOWED


def is_secret(name: str, value: str, sure: int | None = None) -> bool:
    """Tell whether `value`, without its quotes, is a secret beside `name`.

    Args:
        name: The name; `tokens` counts something when its value is a number.
        value: The value.
        sure: The name's grade, if it is known.
    """
    sure = grade(name) if sure is None else sure
    if sure == SECRET:
        counted = _counts(name) and re.compile(_NUMBER).fullmatch(value)
        return not counted and not _is_folder(name, value)
    if sure == FILE:
        return not re.compile(_FILE).fullmatch(value)
    return sure == WEAK and looks_random(value)


def _counts(name: str) -> bool:
    low = name.lower()
    return low.endswith("tokens") or low.lstrip("-").startswith(("max", "min", "num", "total"))


def _is_folder(name: str, value: str) -> bool:
    return name.lower().endswith("pwd") and value[:1] in {"/", "~", "$", "."}


def looks_random(value: str) -> bool:
    """Tell whether a value is one long word with letters and digits, and names no file."""
    if len(value) < 16 or not value.isascii() or " " in value:  # noqa: PLR2004
        return False
    if "/" in value and ("." in value or value.islower()):
        return False
    if not _LETTER.search(value, 0, _TELLING) or re.compile(_FILE).fullmatch(value):
        return False
    mixed = len(value) >= 20 and "/" not in value and not (value.islower() or value.isupper())  # noqa: PLR2004
    return mixed or _DIGIT.search(value, 0, _TELLING) is not None
