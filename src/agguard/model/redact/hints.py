"""What must occur in a text, in lower case, for a finder to be asked."""

from __future__ import annotations

STEMS = (
    *("pass", "pw", "secret", "token", "key", "cred", "auth", "cookie", "bearer", "jwt", "otp"),
    *("psk", "sig", "sess", "sid", "code", "mnemonic", "phrase"),
)
"""Parts of names whose values are secret."""

URLS = ("://",)

PHRASES = (
    *("bearer ", "basic ", "identified", "password ", "convertto-securestring", "pgpass"),
    *("set ", "set-", "setenv", "setx", "config ", "env ", "put ", "requirepass", "masterauth"),
    "http-basic",
)
"""Beginnings of sentences that end in a secret."""

STREAMS = ("-stdin", "--with-token", "passwd", "sudo", "secret", "--passphrase-fd", "pass insert")
"""Programs that read a secret from a pipe."""
