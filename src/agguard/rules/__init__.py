"""What an agent is told: the host's rules engine, rebuilt byte for byte.

`engine.render` gives the `<user_rules>` block that a session gets, with the account of every
rule file; `explanation.why` explains one file, `tree.tree` groups them by scope, `lint` checks
them. The facts come from the measured contract of the host's engine (rules-engine.md); section
numbers in this package are that document's. Only `disk` does I/O, behind the port `Read`.
"""

from __future__ import annotations
