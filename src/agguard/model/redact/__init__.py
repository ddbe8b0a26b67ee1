"""Takes secrets out of texts before they are stored.

`redact` cleans a text, `redact_value` a JSON-like value. Every finder of this package takes a
text and returns spans, pairs of positions (start, end), that hold secrets; it is imported only
when the text holds one of its hints, so that most commands pay for a few substring searches.

What is recognized: private keys, tokens of known vendors, the userinfo of URLs, values beside
names and flags that say "secret", headers, the password options of a hundred programs, what is
piped into a program that reads a password, and a few sentences of SQL and configuration files.
A secret that stands alone and looks like nothing in particular is not recognized, nor is one that
only its position tells (`insert into users values ('bob', 'x')`), or one in a process substitution.

The log is also there to show what an agent ran. So a quote is believed only where a shell would
believe it, substitutions inside of a secret stay, and data of a program that runs its input stay.
What is assigned to a secret name and executed later (`TOKEN='...'; eval "$TOKEN"`) is withheld.
"""

from __future__ import annotations

from agguard.model.redact.text import LIMIT, MARK, redact
from agguard.model.redact.value import redact_value

__all__ = ["LIMIT", "MARK", "redact", "redact_value"]
