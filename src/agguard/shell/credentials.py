"""Files that hold credentials, by their names: reading them is not harmless reading."""

from __future__ import annotations

import re

ANYWHERE = re.compile(
    r"(?:^|[/:=,@])(?:"
    r"\.(?:ssh|gnupg|aws|azure|kube|docker|password-store|terraform\.d|netrc|pgpass|my\.cnf"
    r"|npmrc|pypirc|git-credentials|vault-token|dockercfg|htpasswd|boto|s3cfg|credentials"
    r"|config/(?:gcloud|gh|hub|op|rclone|containers)|cargo/credentials|gem/credentials"
    r"|m2/settings|gradle/gradle\.properties|bash_history|zsh_history|histfile"
    r"|local/share/keyrings|mozilla|gemini/oauth|codex/auth|claude/\.credentials)(?![\w-])"
    r"|\.env(?:rc)?(?![\w-])(?!\.(?:example|sample|template|dist|test)\b)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?![\w.-]*\.pub)"
    r")"
    r"|etc/(?:shadow|gshadow|sudoers|security/opasswd|ssl/private|ssh/ssh_host|krb5\.keytab)"
    r"|proc/[^/]+/(?:environ|mem)\b"
    r"|Library/(?:Keychains|Cookies)|Application Support/Google/Chrome"
    r"|(?:^|/)(?:known_hosts|authorized_keys|credentials|oauth_creds\.json|auth\.json"
    r"|application_default_credentials\.json|service[-_]?account[\w-]*\.json"
    r"|credentials\.(?:json|ya?ml|toml|xml|db)|secrets?\.(?:json|ya?ml|toml|env)|token\.json"
    r"|master\.key|\.?vault[-_]pass(?:word)?(?:\.txt)?|wp-config\.php)$",
    re.IGNORECASE,
)
KEY_FILE = re.compile(r"(?!\.[^./])(?:.*/)?[\w-][^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)", re.I)
CREDENTIAL_FOLDERS = frozenset({"/", "/etc", "/root", "/home", "/Users", "~", "/var", "/proc"})
USER_HOME = re.compile(r"/(?:home|Users)/[^/]+|~[^/]*")
HIDDEN_PATTERN = re.compile(r"(?:^|/)(?:\.[^/]*[*?\[]|[^/]*[*?\[][^/]*/\.)")


def is_credential(path: str) -> bool:
    """Tell whether a path, or an argument that contains one, names a file with credentials."""
    return ANYWHERE.search(path) is not None or KEY_FILE.fullmatch(path) is not None


def may_match_credential(pattern: str) -> bool:
    """Tell whether a shell pattern may expand to such a file although it does not spell it.

    A star does not match hidden names, so a pattern below the current folder is fine unless it
    spells a dot; patterns outside are judged by their folder.
    """
    if HIDDEN_PATTERN.search(pattern) or ".." in pattern:
        return True
    if pattern.startswith(("/usr/", "/var/log/", "/opt/", "/sys/", "/lib/", "/tmp/")):  # noqa: S108
        return False
    return pattern.startswith(("/", "~"))


def holds_credentials(folder: str) -> bool:
    """Tell whether searching a whole folder would come across credentials."""
    return folder in CREDENTIAL_FOLDERS or USER_HOME.fullmatch(folder) is not None
