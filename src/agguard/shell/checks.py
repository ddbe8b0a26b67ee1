"""Commands whose arguments are little programs, and others that a table cannot describe."""

from __future__ import annotations

from agguard.shell.calls import Loose
from agguard.shell.scanner import pattern
from agguard.shell.table import UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from agguard.shell.options import Reading

    Check = Callable[[Reading], "tuple[int, str] | None"]

# awk: what is taken away before operators are looked for. Strings are only kept apart, never cut.
AWK_COMPARISON = r"\(\s*[$\w.\[\]]+\s*>\s*[$\w.]+\s*\)"
AWK_SUM = r"(?:\b(?:length|int))?\(\s*[$\w.+*% -]*\s*\)"
AWK_PATTERN = r"(^|[~!(,{;&|}\n])(\s*)/(?:[^/\\\n\"]|\\.)*/"
AWK_UNCLEAR = r"\[[^\]]*/|\\\n"
AWK_FORBIDDEN = r"\bsystem\b|\bgetline\b|@|\bARGV\b|\bclose\b|\bfflush\b|>>|\bPROCINFO\b"

SQL = r"(?i)(?:select|explain|with|values)\b[^;]*;?\s*"
SQL_FORBIDDEN = (
    r"(?i)writefile|readfile|load_extension|edit\s*\(|attach|fts3_tokenizer|insert|update|delete|replace\s+into|zipfile"
    r"|fsdir|sqlar|lsmode"
)
SQLITE_DOT = r"\.(?:tables|schema|indexes|indices|databases|dbinfo|fullschema)(?: [\w%*.-]+)?\s*"

JQ_FROM_FILE = r"-(?!-)[A-Za-z]*[fL]|--(?:from|lib)"
JQ_MODULE = r"(?s)(?:.*[;\n])?\s*(?:import|include)\b(?!/)"
PS_ENVIRONMENT = r"[A-Za-df-z]*e[A-Za-z]*|-[A-Za-z]*E[A-Za-z]*"
PS_VALUED = r"-[A-Za-z]*[CGNOUgopqstuk]|--[a-z-]+"

AWS_VERB = r"(?:describe|list)-[a-z0-9-]+"
AWS_PRIVATE = (
    r"secret|credential|password|token|sso|login|api-key|parameters-by-path|user-pool-client"
    r"|instance-attribute"
)
AWS_EXACT = frozenset(
    {
        "configure list",
        "configure list-profiles",
        "dynamodb query",
        "dynamodb scan",
        "dynamodb get-item",
        "apigateway get-rest-apis",
        "iam get-role",
        "iam get-user",
        "iam get-policy",
        "logs filter-log-events",
        "logs get-log-events",
        "logs tail",
        "lambda get-policy",
        "s3 ls",
        "s3api head-object",
        "sqs get-queue-attributes",
        "s3api get-bucket-location",
        "s3api get-bucket-policy",
        "s3api get-bucket-versioning",
        "sts get-caller-identity",
        "cloudwatch get-metric-statistics",
        "cloudformation get-template-summary",
        "ce get-cost-and-usage",
    }
)
AWS_GLOBAL = frozenset({"--region", "--profile", "--output", "--query", "--color"})
AWS_FORBIDDEN = (
    "--endpoint-url",
    "--cli-input",
    "--cli-auto-prompt",
    "--ca-bundle",
    "--no-verify-ssl",
    "--no-sign-request",
    "--debug",
    "--generate-cli-skeleton",
    "--with-decryption",
    "--include-value",
)


def sed(reading: Reading) -> tuple[int, str] | None:
    """`sed`: scripts that only select, substitute and print."""
    from agguard.shell.sedscript import only_reads

    scripts = [value for option, value in reading.values if option in ("-e", "--expression")]
    scripts = scripts or reading.operands[:1]
    if not scripts:
        return UNKNOWN, "'sed' without a script"
    for script in scripts:
        if isinstance(script, Loose):
            return UNKNOWN, "a script of 'sed' that only running tells"
        if not only_reads(script):
            return UNKNOWN, f"a script of 'sed' that may write or run something: {script!r}"
    return None


def awk(reading: Reading) -> tuple[int, str] | None:
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
    # A comparison in brackets, and what stands in brackets inside it.
    rest = pattern(AWK_COMPARISON).sub("()", pattern(AWK_SUM).sub("n", rest))
    rest = rest.replace("||", "").replace(">=", "")
    if "|" in rest:
        return True
    head, _, body = rest.partition("{")
    return ">" in body or (">" in head and ('"' in head or "print" in head))


def sqlite(reading: Reading) -> tuple[int, str] | None:
    """`sqlite3 -readonly`: a question in SQL or about the schema."""
    if len(reading.operands) != len(("file", "question")):
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


def aws(reading: Reading) -> tuple[int, str] | None:
    """`aws`: operations that describe and list; what gives out secrets is not reading."""
    words: list[str] = []
    skip = False
    for argument in reading.operands:
        if not isinstance(argument, str):
            return UNKNOWN, "an argument of 'aws' that only running tells"
        if skip:
            skip = False
        elif not argument.startswith("-"):
            words.append(argument)
        elif len(words) == 1 or (not words and not argument.startswith("--")):
            return UNKNOWN, f"the option {argument!r} between the words of 'aws'"
        elif not words and "=" not in argument and argument != "--no-cli-pager":
            skip = argument in AWS_GLOBAL
            if not skip:
                return UNKNOWN, f"the option {argument!r} of 'aws'"
        if _sends_or_redirects(argument):
            return UNKNOWN, f"the argument {argument!r} of 'aws'"
    operation = " ".join(words[:2])
    asks = words[-1:] == ["help"] and len(words) <= len(("service", "operation", "help"))
    if (
        asks
        or operation in AWS_EXACT
        or (
            len(words) > 1
            and pattern(AWS_VERB).fullmatch(words[1])
            and not pattern(AWS_PRIVATE).search(operation)
        )
    ):
        return None
    return UNKNOWN, f"'aws {operation}' is not known to only read"


def _sends_or_redirects(argument: str) -> bool:
    """Tell whether an argument of `aws` loads a file, or leads to another machine.

    Its options may be shortened, so every beginning of a forbidden one counts.
    """
    if "file:" in argument or "fileb:" in argument or argument.startswith(("http:", "https:")):
        return True
    name = argument.partition("=")[0]
    return (
        name.startswith("--")
        and len(name) > len("--")
        and (
            name.startswith(AWS_FORBIDDEN)
            or any(option.startswith(name) for option in AWS_FORBIDDEN)
        )
    )


def jq(reading: Reading) -> tuple[int, str] | None:
    """`jq`: filters; modules may be JSON files from anywhere, so none are loaded."""
    filtered = False
    for argument in reading.operands:
        text = argument.prefix if isinstance(argument, Loose) else argument
        if not filtered and isinstance(argument, Loose):
            return UNKNOWN, "a filter of 'jq' that only running tells"
        filtered = filtered or text[:1] != "-"
        if pattern(JQ_FROM_FILE).match(text) or pattern(JQ_MODULE).match(text):
            return UNKNOWN, f"{text!r} may load any file"
    return None


def ps(reading: Reading) -> tuple[int, str] | None:
    """`ps`: processes, but not their environments, which hold what files are protected for."""
    before = ""
    for argument in reading.operands:
        text = argument.prefix if isinstance(argument, Loose) else argument
        value = pattern(PS_VALUED).fullmatch(before)
        if pattern(PS_ENVIRONMENT).fullmatch(text) and not value:
            return UNKNOWN, f"{text!r} shows the environments of processes"
        before = text
    return None


CHECKS: dict[str, Check] = {
    "aws": aws,
    "awk": awk,
    "jq": jq,
    "ps": ps,
    "sed": sed,
    "sqlite": sqlite,
}
