"""What rtk does well, and what it is kept away from, as data.

Each command of the first seed's list is answered: it stands in `TABLE`, or in `LEFT_ALONE` with the
reason. Measured with rtk 1.1.0; section numbers are those of the rtk reference.
"""

from __future__ import annotations

from agguard.model.value import Value

OLDEST = (0, 28)
"""The oldest rtk that is used; older ones break exit codes and redirections (section 4)."""


class Entry(Value):
    """When a command is run through rtk."""

    subcommands: tuple[str, ...] = ()
    """The first words that may follow its global options; empty: it has no subcommands."""
    never: tuple[str, ...] = ()
    """Options that ask for data, wait for a person, or do not end. `-x` also stands for clusters
    of short options that hold x, `--long` for `--long=value`."""
    needs: tuple[str, ...] = ()
    """At least one of these options has to be there."""
    valued: tuple[str, ...] = ()
    """Global options that take the next word, before the subcommand."""
    flags: tuple[str, ...] = ()
    """Global options that stand alone, before the subcommand."""
    since: tuple[int, ...] = OLDEST
    """The first rtk version that has it."""
    words: tuple[str, ...] = ()
    """Where something follows that is no option, it has to be one of these."""
    named: tuple[str, ...] = ()
    """With one of these options something has to be named besides the folder itself."""
    replaced: bool = False
    """rtk runs something else where the program is missing, and may report success."""


GIT_DATA = (
    "-z",
    "--format",
    "--pretty",
    "--name-only",
    "--name-status",
    "--numstat",
    "--raw",
    "--output",
    "--no-index",
)
SEARCH_DATA = (
    *("-c", "--count", "--count-matches", "-l", "--files-with-matches", "-L"),
    *("--files-without-match", "-o", "--only-matching", "-q", "--quiet", "--silent"),
    *("-z", "-Z", "-0", "--null", "--null-data", "--json", "--files", "-f", "--file"),
)

TABLE: dict[str, Entry] = {
    "cargo": Entry(("build", "test", "clippy", "check"), ("--message-format", "--help", "-h")),
    "docker": Entry(("ps", "images"), ("--format", "-q", "--quiet")),
    "gh": Entry(
        ("pr list", "pr view", "issue list", "issue view", "run list", "run view"),
        ("--json", "--jq", "-q", "--template", "-t", "--web", "-w", "--log", "--log-failed"),
    ),
    "git": Entry(
        (
            *("status", "log", "diff", "show", "commit"),
            *("push", "pull", "fetch", "branch", "stash"),
        ),
        ("-p", "--patch", "-i", "--interactive", *GIT_DATA, "--porcelain", "--json"),
        valued=("-C", "-c", "--git-dir", "--work-tree"),
        flags=("--no-pager", "--no-optional-locks", "--bare", "--literal-pathspecs"),
    ),
    "git branch": Entry(never=("--show-current", "--edit-description")),
    "git commit": Entry(needs=("-m", "--message", "-F", "--file", "--no-edit"), never=("-e",)),
    "git diff": Entry(
        never=("--stat", "--shortstat", "--exit-code", "-q", "--quiet", "--check", "--word-diff")
    ),
    "git show": Entry(never=("--stat", "--shortstat", "-s", "--no-patch")),
    # rtk takes a word it does not know for `push`, and hides the hash of `create` (measured).
    "git stash": Entry(words=("list", "show", "push", "pop", "apply", "drop")),
    "git status": Entry(never=("-s", "--short")),
    "go": Entry(("build", "test", "vet"), ("-json", "-n", "-x")),
    "grep": Entry(never=SEARCH_DATA, needs=("-n", "--line-number", "-r", "-R", "--recursive")),
    "kubectl": Entry(
        ("get", "describe"),
        ("-o", "--output", "-w", "--watch", "--watch-only", "--template", "--raw"),
        valued=("-n", "--namespace", "--context", "--kubeconfig", "--cluster", "--user"),
    ),
    # `ls -d .` becomes `(empty)` (measured).
    "ls": Entry(
        named=("-d", "--directory"),
        never=(
            *("-1", "-R", "--recursive", "-t", "-m", "-x", "-C", "--zero", "--format"),
            *("-i", "--inode", "-s", "--size", "-F", "--classify", "-p"),
            *("--file-type", "--indicator-style", "-Q", "--quote-name", "-S", "-r", "--reverse"),
            *("-v", "-I", "--ignore", "--hide", "--sort", "-U", "-X", "-f", "-u", "-c"),
        ),
    ),
    "mypy": Entry(never=("-O", "--output", "--install-types"), replaced=True),
    "pip": Entry(
        ("list", "show", "install"), ("--format", "--dry-run", "--report", "-i"), replaced=True
    ),
    "pnpm": Entry(("install", "list"), ("--json", "--parseable", "--format")),
    "ps": Entry(never=("-o", "--format", "-O")),
    "pytest": Entry(
        never=("--pdb", "--trace", "-f", "--looponfail", "--co", "--collect-only"), replaced=True
    ),
    "rg": Entry(never=(*SEARCH_DATA, "--vimgrep", "--type-list", "--pre"), since=(0, 43)),
    "ruff": Entry(("check", "format"), ("--output-format", "-w", "--watch", "--diff", "--stdin")),
    "terraform": Entry(("plan",), ("-json", "-out", "-generate-config-out")),
    "tofu": Entry(("plan", "validate"), ("-json", "-out", "-generate-config-out")),
    "tree": Entry(never=("-J", "-X", "-H", "-o", "-0")),
    "tsc": Entry(
        never=("--watch", "-w", "--build", "-b", "--showConfig", "--listFiles"), replaced=True
    ),
    "uv": Entry(("sync", "pip install", "pip list"), ("--format", "--dry-run")),
}
"""Commands by their name; `git status` adds to what `git` says.

Where a program is missing, rtk says so and ends with 1 instead of 127. That is still a failure
that names the program, so such lines are not left alone: the PATH of a hook is not the PATH of the
agent's shell. Only what is `replaced` is looked for, because there a success could be false.
"""
TABLE["pip3"] = TABLE["pip"]

LEFT_ALONE: dict[str, str] = {
    "./gradlew": "whoever names a program by its path has chosen that program",
    "aws": "JSON becomes a table, and values are lost (section 1.4)",
    "az": "rtk has no filter for it",
    "brew": "rtk only has a text filter for it, which buffers what it asks",
    "curl": "a body is data: rtk cuts it and replaces JSON values (issues 297, 1152)",
    "docker-compose": "rtk knows `docker compose` only",
    "find": "rtk drops the start directory, directories and the exit status (section 1.3)",
    "gcloud": "JSON is cut (section 1.4)",
    "gradle": "rtk runs the project's wrapper in place of it (issues 2374, 3413)",
    "helm": "JSON is cut, and output waits for the end (section 1.4)",
    "lsof": "rtk has no filter for it",
    "mvn": "rtk runs the project's wrapper in place of it (section 1.4)",
    "npm": "rtk replaces scripts by other programs and loses stdin (issues 3010, 3286)",
    "npx": "rtk replaces what is run (section 1.4)",
    "oci": "rtk has no filter for it",
    "pnpm outdated": "rtk loses its exit status, which is the answer (measured)",
    "podman": "rtk has no filter for it",
    "rustc": "rtk has no filter for it",
    "yarn": "rtk has no filter for it",
}
"""Commands of the seed's list that gain nothing or break, and why."""
