"""Files that hold credentials, by their names: reading them is not harmless reading."""

from __future__ import annotations

from agguard.shell.scanner import pattern

ANYWHERE = (
    r"(?i)(?:^|[/:=,@])(?:"
    r"\.(?:ssh|gnupg|aws|azure|kube|docker|password-store|terraform\.d|netrc|pgpass|my\.cnf"
    r"|npmrc|pypirc|git-credentials|vault-token|dockercfg|htpasswd|boto|s3cfg|credentials"
    r"|config/(?:gcloud|gh|hub|op|rclone|containers)|cargo/credentials|gem/credentials"
    r"|m2/settings|gradle/gradle\.properties|bash_history|zsh_history|histfile"
    r"|local/share/keyrings|mozilla|gemini/oauth|codex/auth|claude/\.credentials)(?![\w-])"
    r"|\.env(?:rc)?(?![\w-])(?!\.(?:example|sample|template|dist|test)\b)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?![\w.-]*\.pub)"
    r")"
    r"|etc/(?:shadow|gshadow|sudoers|security/opasswd|ssl/private|ssh/ssh_host|krb5\.keytab)"
    r"|run/secrets/|\.tfstate(?:\.backup)?$"
    r"|proc/(?:.*/)?(?:environ|mem)\b|^/dev/(?:sd|hd|vd|xvd|nvme|disk|rdisk|mapper|mem|kmem|port)"
    r"|Library/(?:Keychains|Cookies)|Application Support/Google/Chrome"
    r"|(?:^|/)(?:known_hosts|authorized_keys|credentials|oauth_creds\.json|auth\.json"
    r"|application_default_credentials\.json|service[-_]?account[\w-]*\.json"
    r"|credentials\.(?:json|ya?ml|toml|xml|db)|secrets?\.(?:json|ya?ml|toml|env)|token\.json"
    r"|master\.key|\.?vault[-_]pass(?:word)?(?:\.txt)?|wp-config\.php)$"
)
KEY_FILE = r"(?i)(?!\.[^./])(?:.*/)?[\w-][^/]*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk)"
# Each match of the expressions above contains one of these; a test holds them together. They
# spare most command lines the compilation.
HINTS = tuple(
    """.ssh gnupg .aws .azure .kube .docker password terraform netrc pgpass my.cnf npmrc pypirc
    credential vault htpasswd .boto s3cfg .config/ .m2/ gradle _history histfile keyring mozilla
    gemini codex .env id_rsa id_dsa id_ecdsa id_ed25519 etc/ proc/ /dev/ keychains cookies chrome
    known_hosts authorized_keys oauth auth.json service secret token .pem .key .p12 .pfx .jks
    .keystore .kdbx .ppk wp-config run/ tfstate""".split()
)
CREDENTIAL_FOLDERS = frozenset({"/", "/etc", "/root", "/home", "/Users", "~", "/var", "/proc"})
USER_HOME = r"/(?:home|Users)/[^/]+|~[^/]*"
HIDDEN_PATTERN = r"(?:^|/)(?:\.[^/]*[*?\[]|[^/]*[*?\[][^/]*/\.)"
PUBLIC_FOLDERS = ("/usr/", "/var/log/", "/opt/", "/sys/", "/lib/", "/tmp/")  # noqa: S108 - names


def hinted(text: str) -> bool:
    """Tell whether a text has anything in it that is in the names of such files."""
    lower = text.lower()
    if "." not in text and "/" not in text and "_" not in text:
        return "credentials" in lower
    for hint in HINTS:  # noqa: SIM110 - a generator takes twice as long
        if hint in lower:
            return True
    return False


def is_credential(path: str) -> bool:
    """Tell whether a path, or an argument that contains one, names a file with credentials."""
    return hinted(path) and (
        pattern(ANYWHERE).search(path) is not None or pattern(KEY_FILE).fullmatch(path) is not None
    )


def spells_credential(glob: str) -> bool:
    """Tell whether a text with stars for what is not known names such a file.

    A star may stand for nothing, as a variable that is not set does, or for any name.
    """
    if "*" not in glob:
        return is_credential(glob)
    return any(map(is_credential, (glob, glob.replace("*", ""), glob.replace("*", "x"))))


def may_match_credential(glob: str) -> bool:
    """Tell whether a shell pattern may expand to such a file although it does not spell it.

    A star does not match hidden names, so a pattern below the current folder is fine unless it
    spells a dot; patterns outside are judged by their folder.
    """
    return matches_hidden(glob) or (
        glob.startswith(("/", "~")) and not glob.startswith(PUBLIC_FOLDERS)
    )


def matches_hidden(glob: str) -> bool:
    """Tell whether a shell pattern spells a dot in front of what it leaves open."""
    return ".." in glob or pattern(HIDDEN_PATTERN).search(glob) is not None


def holds_credentials(folder: str) -> bool:
    """Tell whether searching a whole folder would come across credentials."""
    return folder in CREDENTIAL_FOLDERS or pattern(USER_HOME).fullmatch(folder) is not None
