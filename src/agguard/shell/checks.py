"""Commands whose arguments are little programs, and others that a table cannot describe."""

from __future__ import annotations

from agguard.shell.arguments import Argument, Loose
from agguard.shell.scanner import pattern
from agguard.shell.table import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.shell.options import Reading
    from agguard.shell.programs import Programs
    from agguard.shell.table import Entry
    from agguard.shell.walk import State

    Check = Callable[[Programs, Entry, Reading, State], "tuple[int, str] | None"]

WRITE = 16
EXECUTE = 32

# sed: addresses and the commands that only look, print and substitute (GNU manual, section 3.2).
_ADDRESS = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/[IM]*)(?:~\d+)?"
_ADDRESSES = rf"(?:{_ADDRESS}(?:\s*,\s*(?:{_ADDRESS}|[+~]\d+))?)?\s*!?\s*"
_SUBSTITUTION = "|".join(
    rf"s{d}(?:[^{d}\\\n]|\\.)*{d}(?:[^{d}\\\n]|\\.)*{d}[gpiImM0-9]*"
    for d in (r"/", r"\|", "#", ",", ":", "@", "!", "%", "_")
)
_TRANSLATION = r"y/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/"
_COMMAND = rf"(?:{_SUBSTITUTION}|{_TRANSLATION}|[pdDPgGhHxnNl=zF]|[qQ]\d*)"
SED = rf"[\s;{{}}]*+(?:{_ADDRESSES}(?:\{{\s*)*(?:{_ADDRESSES}{_COMMAND})?[\s;}}]*+(?:[;\n}}]|\s|\Z)[\s;}}]*+)*"

# awk: what is taken away before operators are looked for. Strings are only kept apart, never cut.
AWK_COMPARISON = r"\(\s*[$\w.\[\]]+\s*>\s*[$\w.]+\s*\)"
AWK_PATTERN = r"(^|[~!(,{;&|}\n])(\s*)/(?:[^/\\\n\"]|\\.)*/"
AWK_UNCLEAR = r"\[[^\]]*/|\\\n"
AWK_FORBIDDEN = r"\bsystem\b|\bgetline\b|@|\bARGV\b|\bclose\b|\bfflush\b|>>|\bPROCINFO\b"

SQL = r"(?i)(?:select|explain|with|values)\b[^;]*;?\s*"
SQL_FORBIDDEN = (
    r"(?i)writefile|readfile|load_extension|edit\s*\(|attach|fts3_tokenizer|insert|update|delete|replace\s+into|zipfile"
    r"|fsdir|sqlar|lsmode"
)
SQLITE_DOT = r"\.(?:tables|schema|indexes|indices|databases|dbinfo|fullschema)(?: [\w%*.-]+)?\s*"

AWS_VERB = r"(?:describe|list)-[a-z0-9-]+"
AWS_SECRET = r"secret|credential|password|token|kms|sso|login|api-key|parameters-by-path"
AWS_EXACT = frozenset(
    {
        "configure list",
        "configure list-profiles",
        "iam get-role",
        "iam get-user",
        "iam get-policy",
        "logs filter-log-events",
        "logs get-log-events",
        "logs tail",
        "s3 ls",
        "s3api get-bucket-location",
        "s3api get-bucket-policy",
        "s3api get-bucket-versioning",
        "sts get-caller-identity",
        "cloudwatch get-metric-statistics",
        "cloudformation get-template-summary",
        "ce get-cost-and-usage",
    }
)
AWS_FORBIDDEN = (
    r"--(?:endpoint-url|cli-input|ca-bundle|no-verify|no-sign|debug|cli-auto|generate-cli|with-dec"
    r"|include-value|profile=?.*[/$])"
)


def sed(judge: Programs, entry: Entry, reading: Reading, state: State) -> tuple[int, str] | None:
    """`sed`: scripts that only select, substitute and print."""
    scripts: list[Argument] = [v for o, v in reading.values if o in ("-e", "--expression")]
    if not scripts:
        scripts = list(reading.operands[:1])
    if not scripts:
        return UNKNOWN, "'sed' without a script"
    for script in scripts:
        if isinstance(script, Loose):
            return UNKNOWN, "a script of 'sed' that only running tells"
        if pattern(SED).fullmatch(script.strip()) is None:
            return UNKNOWN, f"a script of 'sed' that may write or run something: {script!r}"
    return None


def awk(judge: Programs, entry: Entry, reading: Reading, state: State) -> tuple[int, str] | None:
    """`awk`: programs without output files, pipes and calls."""
    program = reading.operands[0] if reading.operands else ""
    if isinstance(program, Loose) or not program:
        return UNKNOWN, "a program of 'awk' that only running tells"
    if awk_runs_or_writes(program):
        return UNKNOWN, f"a program of 'awk' that may write or run something: {program!r}"
    return None


def awk_runs_or_writes(program: str) -> bool:
    """Tell whether an awk program may do anything but read and print; in doubt it may."""
    if pattern(AWK_FORBIDDEN).search(program) or pattern(AWK_UNCLEAR).search(program):
        return True
    rest = pattern(AWK_PATTERN).sub(r"\1\2", program)
    rest = pattern(AWK_COMPARISON).sub("()", rest).replace("||", "").replace(">=", "")
    if "|" in rest:
        return True
    head, _, body = rest.partition("{")
    return ">" in body or (">" in head and ('"' in head or "print" in head))


def sqlite(judge: Programs, entry: Entry, reading: Reading, state: State) -> tuple[int, str] | None:
    """`sqlite3 -readonly`: a question in SQL or about the schema."""
    if len(reading.operands) != 2:  # noqa: PLR2004 - the file and the question
        return UNKNOWN, "'sqlite3' without a question"
    question = reading.operands[1]
    if isinstance(question, Loose):
        return UNKNOWN, "a question to 'sqlite3' that only running tells"
    text = question.strip()
    if pattern(SQLITE_DOT).fullmatch(text):
        return None
    if pattern(SQL).fullmatch(text) and not pattern(SQL_FORBIDDEN).search(text):
        return None
    return UNKNOWN, f"{text!r} may change something or run code"


def aws(judge: Programs, entry: Entry, reading: Reading, state: State) -> tuple[int, str] | None:
    """`aws`: operations that describe and list; what gives out secrets is not reading."""
    arguments = list(reading.operands)
    words: list[str] = []
    while arguments:
        argument = arguments.pop(0)
        if not isinstance(argument, str):
            return UNKNOWN, "an argument of 'aws' that only running tells"
        if argument.startswith(("file:", "fileb:", "http:", "https:")) or "=file" in argument:
            return UNKNOWN, "'aws' sends what is in a file"
        if pattern(AWS_FORBIDDEN).match(argument):
            return UNKNOWN, f"the option {argument!r} of 'aws'"
        if argument.startswith("--") and not words:
            # Before the service only options that take a value, or none, and mean no harm.
            if argument in ("--region", "--profile", "--output", "--query", "--color"):
                arguments = arguments[1:]
            elif argument != "--no-cli-pager" and "=" not in argument:
                return UNKNOWN, f"the option {argument!r} of 'aws'"
        elif not argument.startswith("-"):
            words.append(argument)
        elif len(words) < 2:  # noqa: PLR2004 - service and operation
            return UNKNOWN, "an option between the words of 'aws'"
    operation = " ".join(words[:2])
    if operation in AWS_EXACT:
        return None
    if (
        len(words) > 1
        and pattern(AWS_VERB).fullmatch(words[1])
        and not pattern(AWS_SECRET).search(operation)
    ):
        return None
    return UNKNOWN, f"'aws {operation}' is not known to only read"


CHECKS: dict[str, Check] = {"aws": aws, "awk": awk, "sed": sed, "sqlite": sqlite}
