"""Secrets beside a name that says so: `NAME=value`, `"name": "value"`, `--name value`, headers."""

from __future__ import annotations

import re

from agguard.model.redact import extent, names
from agguard.model.redact.text import MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from agguard.model.redact.extent import Span

_KEY = re.compile(
    r"(?<![\w.-])(?:(?P<flag>--?[A-Za-z][\w-]*+)(?:[ \t]|\\\r?\n)++"
    r"|(?P<name>[\w.-]++)(?P<close>%22|\\*+[\"']?+\]?+)[ \t]*+"
    r"(?P<sep>=>|(?:\|\||[:+?]{1,2})?={1,3}|:|%3[aAdD]|<<<|[,>(])(?P<blank>[ \t]*+))"
)
_CARRIER = (
    r"(?:(?<![\w-])(?:-[bdeEFHuv]|--?var|--(?:cookie|data[\w-]*|env|form|header|from-literal"
    r"|set[\w-]*|build-arg|arg|body|extra-vars|field|raw-field|config|option|user))[\"']?[= ,]*"
    r"|\b(?:export|env|set|declare|readonly|local|typeset) )\Z"
)
_TAKES_DATA = (
    r"(?:^|[\s\"'/(\[])(?:docker|podman|nerdctl|docker-compose|kubectl|oc|helm|curl|wget|https?|xh"
    r"|terraform|tofu|ansible(?:-\w+)?|gh|glab|aws|az|gcloud|heroku|flyctl|fly|export|env|set|declare"
    r"|readonly|local|typeset|cf|vault|buildah|skopeo|grpcurl)[\s\"',]"
)
_BEFORE_HEADER = r"(?:-H|--header|-c \S+|[\[({,=:])[\"']?[= ,]*\Z"
_NEXT_FIELD = r"&[\w.-]+="
_SCHEME = r"[A-Za-z]{1,24}(?:-[A-Z0-9]+)*[ \t]++(?=[^\s;&|-])(?![a-z]+://)"
_PAIRS = r"(?:[;,]?[ \t]*[\w.-]+=(?:\"[^\"\n]*\"|[^\s;,\"'&|]*))*+"
_HEADER = r"[^;&|`\n]*+(?:;[ \t]*[\w.-]+=[^\s;&|`]*+)*+"
_CODE = r"[A-Za-z_][A-Za-z_.]*+[(\[]|\{|(?:self|args|process\.env)\.[a-zA-Z_.]++"
_MOUNT = r"(?:id|source|src|type|env)="
_BLOCK = r"[|>][-+0-9]*[ \t]*\r?\n"
_CALLED = re.compile(r"[\\\"']*+([\w.-]{1,80}+)")
_LONG = re.compile(r"(?:\\*+[\"'])?[^\s;&|<>()\"'`]{16}")
_CDATA = "<![CDATA["
_ELEMENT = r"(?:[^<;&|\n\]]|&\w+;)*+"
_LIST = r"\[(?:[^\[\];&|<>`$\n]*+|(?:\s*\\*[\"'][^\"'\n]*+[\"']\s*,?)*+\s*)\]"
_EXPANSION = r"\$\{(?P<name>\w++):?[-=+]"
_NAMES_A_NAME = {"name", "key", "variable", "parameterkey"}
_NEAR = 256
"""How far after a name, given as a value, its own value may stand."""
_NOTHING = (0, 0)


def find(text: str) -> list[Span]:
    """Return the spans of the values whose names say that they are secret."""
    spans: list[Span] = []
    at, expected = 0, ("", 0)
    grades: dict[str, int] = {}
    while key := _KEY.search(text, at):
        at = key.end()
        name = (key["flag"] or key["name"]).lstrip("-")
        named = at <= expected[1] and expected[0] in {"*", name.lower()[-5:]}
        if name not in grades:
            grades[name] = names.grade(name)
        span = _value(text, key, names.SECRET if named else grades[name])
        expected = ("", 0) if named else _expected(text, key, name.lower()) or expected
        if span[0] < span[1]:
            spans.append(span)
            at = max(at, span[1])
    if "${" in text:
        spans += _defaults(text)
    return spans


def _defaults(text: str) -> Iterator[Span]:
    """Yield the secrets of `${NAME:-default}`."""
    until = 0
    for expansion in re.compile(_EXPANSION).finditer(text):
        sure = names.grade(expansion["name"]) if expansion.start() >= until else names.NO
        if sure:
            span = _word(text, expansion["name"], expansion.end(), sure)
            until = span[1]
            yield span


def _expected(text: str, key: re.Match[str], low: str) -> tuple[str, int] | None:
    """Return which name's value is a secret, and up to where, if `low` announces another name.

    As in `name: DB_PASSWORD` before `value: x`, or in `--from-literal=any=x`.
    """
    if low == "from-literal":
        return "*", key.end() + _NEAR
    if low not in _NAMES_A_NAME:
        return None
    called = _CALLED.match(text, key.end())
    return ("value", key.end() + _NEAR) if called and names.grade(called[1]) >= names.FILE else None


def _value(text: str, key: re.Match[str], sure: int) -> Span:
    """Return the span of the key's value, empty if it is no secret."""
    if sure == names.NO:
        return _NOTHING
    if key["flag"]:
        return _after_flag(text, key["flag"], key.end(), sure)
    if not _assigns(text, key):
        return _NOTHING
    at = key.end()
    found = _block(text, key, at) or _bracketed(text, key, at) if sure >= names.FILE else None
    found = found or _header(text, key, at) or _enclosed(text, key, at)
    if found and names.is_secret(key["name"], text[slice(*found)], sure):
        return found
    return _NOTHING if found == _NOTHING else _word(text, key["name"], at, sure)


def _word(text: str, name: str, at: int, sure: int) -> Span:
    """Return the shell word at `at` if it is a secret beside `name`.

    Its head decides: a long word with a name in every part would be read once for each of them.
    """
    if sure == names.WEAK and not _LONG.match(text, at):
        return _NOTHING
    head = text[at : at + _NEAR]
    span = extent.secret(head, 0)
    if span is None or not names.is_secret(name, head[slice(*span)], sure):
        return _NOTHING
    return extent.secret(text, at) or _NOTHING


def _after_flag(text: str, flag: str, at: int, sure: int) -> Span:
    """Return the value after `--flag `, unless the flag stands alone."""
    head = text[at : at + _NEAR]
    value = head[: extent.word_end(head, 0)].strip("\\\"'")
    if names.takes_no_value(flag) or re.compile(_MOUNT).match(value):
        return _NOTHING
    if value.startswith("-") and not names.looks_random(value):
        return _NOTHING
    if flag.endswith("cookie") and "=" not in value:
        return _NOTHING
    return _word(text, flag, at, sure)


def _assigns(text: str, key: re.Match[str]) -> bool:
    """Tell whether the separator gives the name a value."""
    sep, low = key["sep"], key["name"].lower()
    before = text[max(0, key.start() - 4) : key.start()]
    quoted = text[key.end() : key.end() + 1] in {'"', "'", "\\"}
    if sep == ",":
        listed = before.rstrip("\\\"'").endswith("(") or low.startswith("--")
        return quoted and bool(key["close"]) and listed
    if sep == "(":
        return quoted and low.rpartition(".")[2].startswith(("set", "with", "password"))
    if sep == ">":
        return before.endswith("<")
    if sep in {"==", "==="}:
        return quoted
    return not (_is_no_value(key, before) or (key["blank"] and _is_code(text, key.end())))


def _is_no_value(key: re.Match[str], before: str) -> bool:
    """Tell whether the name stands in an expansion, an ARN, a URL or a test's result."""
    if key["sep"] == ":":
        return before.endswith(("${", ":", "//")) or key["name"] == "PASS"
    return before.endswith("${")


def _is_code(text: str, at: int) -> bool:
    return re.compile(_CODE).match(text, at) is not None


def _block(text: str, key: re.Match[str], at: int) -> Span | None:
    """Return the lines of a YAML block (`password: |`): single words, deeper than the key.

    A shell would take such a block for a pipeline, so a line with arguments stays in the log.
    """
    head = re.compile(_BLOCK).match(text, at)
    if not head or key["sep"] != ":":
        return None
    column = key.start() - text.rfind("\n", 0, key.start()) - 1
    deeper = re.compile(rf"(?:[ \t]{{{column + 1},}}\S*[ \t]*(?:\r?\n|\Z)|[ \t]*\r?\n)*+")
    end = extent.run_end(deeper, text, head.end())
    start = head.end() + column + 1
    return (start, len(text[:end].rstrip())) if start < end else None


def _bracketed(text: str, key: re.Match[str], at: int) -> Span | None:
    """Return what stands between `[` and `]`, or `<a>` and `</a>`, if no shell would run it."""
    if key["sep"] == ">":
        at += len(_CDATA) if text.startswith(_CDATA, at) else 0
        end = extent.run_end(re.compile(_ELEMENT), text, at)
        return (at, end) if text.startswith(("</", "]]>"), end) and end > at else _NOTHING
    if text[at : at + 1] != "[" or text.startswith(MARK, at):
        return None
    found = re.compile(_LIST).match(text, at)
    return (at + 1, found.end() - 1) if found else None


def _header(text: str, key: re.Match[str], at: int) -> Span | None:
    """Return the value of `Authorization: Bearer x` or `Cookie: a=b; c=d` outside of quotes."""
    low = key["name"].lower()
    if key["close"] or not low.endswith(("authorization", "cookie")):
        return None
    if key["sep"] != ":" and not extent.names_a_scheme(text[at : at + 16].partition(" ")[0]):
        return None
    enclosed = _enclosed(text, key, at)
    if enclosed:
        return enclosed
    scheme = None if low.endswith("cookie") else re.compile(_SCHEME).match(text, at)
    start = scheme.end() if scheme else at
    end = extent.run_end(re.compile(_PAIRS), text, start)
    if end == start:
        end = extent.word_end(text, start)
    return extent.secret(text, at, end) or _NOTHING


def _enclosed(text: str, key: re.Match[str], at: int) -> Span | None:
    """Return the rest of `-e "NAME=two words"`, whose quote opened before the name.

    Only where the quoted text is one argument that is not run: of `bash -c "NAME=x rm -rf /"`
    the log must show what runs.
    """
    start = key.start()
    if key["close"] or text[start - 1 : start] not in {'"', "'"}:
        return None
    opening = start - 1
    while opening and text[opening - 1] == "\\":
        opening -= 1
    end, _ = extent.quoted_end(text, at, text[opening:start])
    if _is_header(text, key, opening):
        end = extent.run_end(re.compile(_HEADER), text[:end], at)
    elif not _is_argument(text, opening):
        return None
    following = re.compile(_NEXT_FIELD).search(text, at, end)
    end = following.start() if following else end
    return _NOTHING if extent.is_reference(text[at:end]) else (at, end)


def _is_header(text: str, key: re.Match[str], opening: int) -> bool:
    before = text[max(0, opening - 32) : opening]
    return key["sep"] == ":" and re.compile(_BEFORE_HEADER).search(before) is not None


def _is_argument(text: str, opening: int) -> bool:
    before = re.split(r"[\n;|&]", text[max(0, opening - _NEAR) : opening])[-1]
    carried = re.compile(_CARRIER).search(before[-32:])
    return carried is not None and re.compile(_TAKES_DATA).search(before) is not None
