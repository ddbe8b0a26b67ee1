"""Variables that change what programs do; an assignment to one of them is never harmless."""

from __future__ import annotations

import re

# Families by their beginning: what begins with `GIT_` is git's, whatever it means.
FAMILIES = (
    "AGGUARD|AGY|ANTHROPIC|ANTIGRAVITY|AWS|AZURE|BASH|BAT_|BORG|BUN|CARGO|CLAUDE|CLOUDSDK|CODEX"
    "|COMPOSE|CONDA|COREPACK|CPATH|CURL|CVS|DBUS|DELTA|DENO|DIFF|DIRENV|DIRSTACK|DOCKER|DOTNET"
    "|DYLD|ELECTRON|ENV$|EXECIGNORE|FCEDIT|FIGNORE|FPATH|FUNCNEST|FZF|GCLOUD|GCONV|GCC|GEM|GH_|GIT"
    "|GLAB|GLIBC|GLOBIGNORE|GNUPG|GO[A-Z0-9]|GOOGLE|GPG|GRADLE|GREP|HELM|HG|HISTFILE|HOMEBREW|IFS$"
    "|INPUTRC|JAVA|JDK|JQ_|KRB5|KUBE|LD_|LESS|LOCPATH|LUA|MAIL|MAKE|MALLOC|MANPATH|MANOPT|MAVEN"
    "|MISE|MORE$|MVN|MYSQL|NETRC|NIX|NLS|NODE|NPM|NULLCMD|NVM|OPENSSL|PARALLEL|PERL|PG[A-Z]|PHP|PIP"
    "|PNPM|PODMAN|POETRY|POSIXLY|PROMPT|PS[0-9]|PULUMI|PYTHON|PYENV|QT_|READNULLCMD|RES_|RIPGREP"
    "|RTK_|RUBY|RUST|SHELLOPTS|SSH|SSL|SUDO|SVN|SYSTEMD|TAR_|TERMCAP|TERMINFO|TEXTDOMAIN|TF_|TMPDIR"
    "|TMUX|UV_|VAULT|VIM|VIRTUAL_ENV|WGET|XDG|YARN|ZDOTDIR|ZSH|_JAVA|HOSTALIASES|LOCALDOMAIN"
)
PARTS = (
    "PATH|PAGER|EDITOR|VISUAL|BROWSER|HOME|CONFIG|RC$|OPTS|OPTIONS|OPTIND|FLAGS|PRELOAD|PROXY"
    "|COMMAND|SHELL|ASKPASS|PLUGIN|WRAPPER"
)
# zsh ties some lower-case names to upper-case ones; npm and proxies read lower case.
LOWER = "npm_|.*proxy$|.*path$|prompt$|fignore$|histchars$|psvar$|watch$|mailcheck$|pager$|editor$"
DANGEROUS = re.compile(rf"(?:{FAMILIES})|.*(?:{PARTS})|{LOWER}")
HARMLESS = frozenset({"RTK_DISABLED"})
SECRET = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|_KEY|KUBECONFIG|SSH_|GNUPG", re.IGNORECASE)


def changes_programs(name: str) -> bool:
    """Tell whether programs or the shell itself may look at a variable of this name.

    Whole families and parts of names count, not only names that are known. `LANG`, `TZ`, `CI`
    or `FOO` are nobody's.
    """
    return name not in HARMLESS and DANGEROUS.match(name) is not None


def holds_secret(name: str) -> bool:
    """Tell whether a variable's name says that its value, or the file it names, is secret."""
    return SECRET.search(name) is not None
