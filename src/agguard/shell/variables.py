"""Variables that change what programs do; an assignment to one of them is never harmless."""

from __future__ import annotations

# Families by their beginning: what begins with `GIT` is git's, whatever it means.
FAMILIES = tuple(
    """AGGUARD AGY ANTHROPIC ANTIGRAVITY AWS AZURE BASH BAT_ BORG BUN CARGO CLAUDE CLOUDSDK CODEX
    COMPOSE CONDA COREPACK CPATH CURL CVS DBUS DELTA DENO DIFF DIRENV DIRSTACK DOCKER DOTNET DYLD
    ELECTRON EXECIGNORE FCEDIT FIGNORE FPATH FUNCNEST FZF GCLOUD GCONV GCC GEM GH_ GIT GLAB GLIBC
    GLOBIGNORE GNUPG GOOGLE GPG GRADLE GREP GZIP HELM
    HG HISTFILE HOMEBREW HOSTALIASES INPUTRC JAVA JDK
    JQ_ KRB5 KUBE LD_ LESS LOCALDOMAIN LOCPATH LUA MAIL MAKE MALLOC MANPATH MANOPT MAVEN MISE MVN
    MYSQL NETRC NIX NLS NODE NPM NULLCMD NVM OPENSSL PARALLEL PERL PHP PIP PNPM PODMAN POETRY
    POSIXLY PULUMI PYTHON PYENV QT_ READNULLCMD RES_ RIPGREP RTK_ RUBY RUST SHELLOPTS SSH
    SSL SUDO SVN SYSTEMD TAR_ TERMCAP TERMINFO TEXTDOMAIN TF_ TMP TMUX UV_ VAULT VIM
    VIRTUAL_ENV WGET XDG YARN ZDOTDIR ZSH _JAVA npm_""".split()
)
PARTS = tuple(
    """PATH PAGER EDITOR VISUAL BROWSER HOME CONFIG OPTS OPTIONS OPTIND FLAGS PRELOAD PROXY COMMAND
    SHELL ASKPASS PLUGIN WRAPPER PROMPT""".split()
)
SECRETS = ("TOKEN", "SECRET", "PASSW", "CREDENTIAL", "_KEY", "KUBECONFIG", "SSH_", "GNUPG")
# zsh ties some lower-case names to upper-case ones; npm and proxies read lower case.
EXACT = frozenset(
    {"AR", "AS", "CC", "CPP", "CXX", "FC", "LD"}
    | {
        "ENV",
        "IFS",
        "MORE",
        "STTY",
        "prompt",
        "fignore",
        "histchars",
        "psvar",
        "watch",
        "mailcheck",
    }
    # Numbers of bash: what is assigned to them is arithmetic, and a subscript in it runs commands.
    | {"RANDOM", "SRANDOM", "HISTCMD", "SECONDS", "LINENO", "BASHPID", "EPOCHSECONDS", "UID"}
    | {"EUID", "PPID", "HISTSIZE"}
    # Arrays through which zsh defines what these words mean (zshmodules, zsh/parameter).
    | {"aliases", "galiases", "saliases", "functions", "commands", "options", "builtins"}
    | {"nameddirs", "userdirs", "dirstack", "modules", "widgets", "keymaps", "reswords"}
)
ENDINGS = ("RC", "proxy", "path", "pager", "editor", "_functions")
HARMLESS = frozenset({"RTK_DISABLED"})


def changes_programs(name: str) -> bool:
    """Tell whether programs or the shell itself may look at a variable of this name.

    Whole families and parts of names count, not only names that are known. `LANG`, `TZ`, `CI`
    or `FOO` are nobody's.
    """
    if name in HARMLESS:
        return False
    return (
        name in EXACT
        or name.startswith(FAMILIES)
        or name.endswith(ENDINGS)
        or any(part in name for part in PARTS)
        or (name[:2] in ("GO", "PG", "PS") and name[2:3].isalnum())
    )


def holds_secret(name: str) -> bool:
    """Tell whether a variable's name says that its value, or the file it names, is secret."""
    upper = name.upper()
    return any(part in upper for part in SECRETS)
