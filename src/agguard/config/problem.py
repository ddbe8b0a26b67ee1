"""What is wrong with a configuration, as a value: nothing here raises."""

from __future__ import annotations

from agguard.model.value import Value


class Problem(Value):
    """One thing that is wrong, and where.

    Args:
        file: the path of a file, or the name of an environment variable.
        line: from 1; 0 where there is no line.
        column: in characters, from 1; 0 where there is no line.
        message: what is wrong, what was expected, the next step.
        key: the dotted key it is about, or ''.
        suggestion: the key or value that was probably meant, or ''; also part of the message.
        grave: whether the whole file counts as broken. A table for a plugin that is not
            installed, or a project's wish that would weaken the user's settings, is not grave.
    """

    file: str
    line: int
    column: int
    message: str
    key: str = ""
    suggestion: str = ""
    grave: bool = True

    @property
    def text(self) -> str:
        """The problem as compilers print it: `file:line:column: message`."""
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.message}"
