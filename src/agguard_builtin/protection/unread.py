"""Lines that agguard cannot read, judged by their text.

One control character or enough padding makes any line unreadable to us, and bash runs it all the
same. So whatever names the guard or the host's files gives such a line away, quoted or not.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

TELLING = re.compile(
    r"(?<![\w-])agguard(?![\w-])|agguard-hook|hooks\.json|\.system_generated|\.gemini"
    r"|(?:ANTIGRAVITY|AGGUARD)_",
    re.IGNORECASE,
)
QUOTES = re.compile(r"['\"\\]")


def given_away(text: str, protected: Iterable[str]) -> str:
    """Return what in an unreadable line names something of the guard; empty when nothing does.

    Args:
        text: The line.
        protected: Files and folders of agguard.
    """
    plain = QUOTES.sub("", text)
    found = TELLING.search(plain)
    return found[0] if found else next((one for one in protected if one in plain), "")
