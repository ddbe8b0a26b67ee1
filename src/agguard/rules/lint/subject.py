"""What the checks look at: a rendered block, and a rule's text by line."""

from __future__ import annotations

from agguard.model.value import Value
from agguard.rules import port
from agguard.rules.lint.finding import Finding, finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from agguard.rules.engine import Rendered
    from agguard.rules.port import Read
    from agguard.rules.rule import Rule


_UNREAD = (
    port.FOLDER,
    port.SPECIAL,
    port.DANGLING,
    port.CLOSED,
    "unreadable",
    "same_file",
    "registry_filter",
    "not_utf8",
    "not_text",
)


class Subject(Value):
    """A session's rules and the port that they were read through."""

    rendered: Rendered
    read: Read
    focus: str = ""
    """The folder whose rules are checked one by one; all of them when empty."""

    def in_focus(self, folder: str) -> bool:
        """Whether what belongs to a folder is checked by itself."""
        return not self.focus or folder == self.focus

    @property
    def told(self) -> tuple[Rule, ...]:
        """The rules in focus that the block speaks of."""
        return self._focused(self.rendered.rules)

    @property
    def left_out(self) -> tuple[Rule, ...]:
        """The rules in focus that it does not speak of."""
        return self._focused(self.rendered.left_out)

    @property
    def met(self) -> tuple[Rule, ...]:
        """Every rule file in focus that the walk met."""
        return (*self.told, *self.left_out)

    @property
    def paths(self) -> set[str]:
        """The paths of all rule files that the walk met, in focus or not."""
        rendered = self.rendered
        return {rule.path for rule in (*rendered.rules, *rendered.left_out)}

    def _focused(self, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        return tuple(rule for rule in rules if self.in_focus(rule.source.folder))

    @property
    def loaded(self) -> tuple[Rule, ...]:
        """The rule files in focus whose text was read."""
        return tuple(rule for rule in self.met if rule.reason not in _UNREAD)


def line_at(rule: Rule, at: int) -> int:
    """Return the line of the file on which the body's character `at` stands."""
    return rule.parts.body_line + rule.parts.body.count("\n", 0, at)


def about(rule: Rule, code: str, message: str, *, at: int = -1, line: int = 0) -> Finding:
    """Return a finding about a rule.

    Args:
        rule: the rule.
        code: a key of CODES.
        message: what is wrong.
        at: a place in the body, in characters; or
        line: a line of the file; line 1 when neither is given.
    """
    where = line or (line_at(rule, at) if at >= 0 else 1)
    return finding(rule.path, where, code, message)
