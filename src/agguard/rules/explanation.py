"""Why a file is in the block, or is not, with the rule of the contract that says so."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.quantity import counted
from agguard.rules import port
from agguard.rules.discovery import CONFIG_FOLDERS
from agguard.rules.path import clean, leaf, parent, within
from agguard.rules.reason import section, sentence
from agguard.rules.rule import DEMOTED, INLINE, OUT, PUT_IN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.rules.engine import Rendered
    from agguard.rules.port import Read
    from agguard.rules.rule import Rule


class Explanation(Value):
    """What the block says of a file, and why."""

    path: str
    state: str
    """INLINE, DEMOTED, CONDITIONAL or OUT."""
    reason: str
    """A code of `agguard.rules.reason`."""
    section: str
    """The section of the contract (rules-engine.md) that decides."""
    sentences: tuple[str, ...]
    """What a person wants to read, the reason first."""
    rule: Rule | None = None
    """The engine's account, when the walk met the file."""


def why(file: str, rendered: Rendered, read: Read) -> Explanation:
    """Explain one file of a block that was rendered.

    Args:
        file: an absolute path, whether anything stands there or not.
        rendered: what `engine.render` gave.
        read: the port that it was rendered with.
    """
    path = clean(file)
    rule = _account(path, rendered) or _linked_account(path, rendered, read)
    if rule is not None:
        return _of_rule(path, rule, rendered)
    code, detail = _unmet(path, rendered, read)
    return Explanation(
        path, OUT, code, section(code), (_reason(code, detail), *_uses(path, rendered))
    )


def _account(path: str, rendered: Rendered) -> Rule | None:
    for rule in (*rendered.rules, *rendered.left_out):
        if rule.path == path:
            return rule
    return None


def _linked_account(path: str, rendered: Rendered, read: Read) -> Rule | None:
    """Return the rule that leads to the same file under another path."""
    if read.kind(path) != port.FILE:
        return None
    real = read.real(path)
    for rule in rendered.rules:
        if read.real(rule.path) == real:
            return rule
    return None


def _reason(code: str, detail: str) -> str:
    what = f": {detail}" if detail else ""
    return f"{sentence(code)}{what} (contract, section {section(code)})"


def _of_rule(path: str, rule: Rule, rendered: Rendered) -> Explanation:
    sentences = [_reason(rule.reason, rule.detail)]
    if rule.path != path:
        sentences.insert(0, f"it is the same file as {rule.path!r}, under which it counts (3.1)")
    if rule.line:
        sentences.append(f"the problem is on line {rule.line}")
    sentences += _facts(rule, rendered)
    sentences += _uses(path, rendered)
    return Explanation(path, rule.state, rule.reason, section(rule.reason), tuple(sentences), rule)


def _facts(rule: Rule, rendered: Rendered) -> list[str]:
    facts = []
    if rule.source.via:
        facts.append(f"it was brought in by {rule.source.via!r}")
    if rule.state == INLINE:
        inline = [each for each in rendered.rules if each.state == INLINE]
        place = inline.index(rule) + 1
        facts.append(f"it stands at place {place} of {len(inline)}; later rules win (5.1)")
    if rule.state in (INLINE, DEMOTED):
        exempt = ", which the budget does not count" if rule.exempt else ""
        facts.append(f"it costs {counted(rule.tokens, 'token')}{exempt} (9.1)")
    if rule.lost:
        of = f"of {rule.expanded}"
        lost = counted(rule.lost, f"byte {of} is", f"bytes {of} are")
        facts.append(f"{lost} cut off at the cap (7.1)")
    put_in = sum(each.state == PUT_IN for each in rule.inclusions)
    if rule.inclusions:
        of = f"of its {counted(len(rule.inclusions), 'include')}"
        facts.append(f"{counted(put_in, f'{of} is', f'{of} are')} put in (6)")
    if rule.spoken and not rendered.product.measured:
        facts.append(f"the profile {rendered.product.name!r} was not measured (11.6)")
    return facts


def _uses(path: str, rendered: Rendered) -> list[str]:
    users = [
        rule.path
        for rule in rendered.rules
        if any(each.path == path and each.state == PUT_IN for each in rule.inclusions)
    ]
    return [f"its text is put into {user!r} (6.1)" for user in users]


# -- files that the walk does not meet ---------------------------------------------------


def _unmet(path: str, rendered: Rendered, read: Read) -> tuple[str, str]:
    """Return why the walk does not meet a file: a code and what it is about."""
    kind = read.kind(path)
    if kind != port.FILE:
        return kind, ""
    plugin = _plugin(path, rendered)
    if plugin:
        return plugin
    return _in_home(path, rendered) or _in_workspace(path, rendered) or _by_name(path, rendered)


def _plugin(path: str, rendered: Rendered) -> tuple[str, str] | None:
    before, _, below = path.partition("/plugins/")
    if "/" not in below or leaf(before) not in (*CONFIG_FOLDERS, "config", "builtin"):
        return None
    if not rendered.product.plugins:
        return "plugins_off", ""
    for plugin in rendered.plugins:
        if within(path, plugin.path):
            return plugin.state or "plugin_place", plugin.path
    return "plugin_place", ""


def _in_home(path: str, rendered: Rendered) -> tuple[str, str] | None:
    own = f"{rendered.home}/.gemini"
    if not within(path, own) or any(within(path, each.root) for each in rendered.sessions):
        return None
    rules = f"{own}/config/rules"
    if within(path, rules):
        return _in_rules(path, rules)
    if parent(path) in (own, f"{own}/config"):
        return _by_name(path, rendered)
    return "home_place", ""


def _in_workspace(path: str, rendered: Rendered) -> tuple[str, str] | None:
    folder, config = _owner(path)
    if not config and leaf(path) not in rendered.product.filenames:
        return None
    off = _off_chain(folder, config, rendered)
    if off or not config:
        return off
    if within(path, f"{config}/rules"):
        return _in_rules(path, f"{config}/rules")
    return _wrong_case(path, rendered) or ("config_folder", "")


def _owner(path: str) -> tuple[str, str]:
    """Return the folder whose agents a file speaks to, and the config folder that holds it."""
    folder = parent(path)
    while parent(folder) != folder:
        if leaf(folder) in CONFIG_FOLDERS:
            return parent(folder), folder
        folder = parent(folder)
    return parent(path), ""


def _off_chain(folder: str, config: str, rendered: Rendered) -> tuple[str, str] | None:
    """Return why a folder's rules reach no session, or None where they do."""
    chain = {each for session in rendered.sessions for each in session.chain}
    if folder in chain:
        return None
    if folder == rendered.home:
        return "home_place", ""
    if not config and leaf(folder) == ".gemini" and parent(folder) in chain:
        return "dot_gemini", ""
    session = rendered.sessions[0]
    if any(within(folder, each.folder) for each in rendered.sessions):
        return "below_session", session.folder
    above = all(within(each.root, folder) for each in rendered.sessions)
    return ("above_root", session.root) if above else ("beside_session", session.folder)


def _in_rules(path: str, rules: str) -> tuple[str, str]:
    return ("extension" if parent(path) == rules else "nested"), ""


def _wrong_case(path: str, rendered: Rendered) -> tuple[str, str] | None:
    for name in rendered.product.filenames:
        if leaf(path).lower() == name.lower() and leaf(path) != name:
            return "case", f"the engine reads {name!r}"
    return None


def _by_name(path: str, rendered: Rendered) -> tuple[str, str]:
    if leaf(parent(path)) == ".gemini":
        return "dot_gemini", ""
    if leaf(parent(path)) == "rules" and path.endswith(".md"):
        return "rules_folder", ""
    return _wrong_case(path, rendered) or ("other_name", ", ".join(rendered.product.filenames))
