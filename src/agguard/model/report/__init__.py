"""What a subagent hands to its parent when it is done: one JSON object.

`schema` says what it holds, `check` compares a document with that, `reading` makes a `Report` of
what an agent wrote. All of it is pure, and none of it decides what follows.
"""

from __future__ import annotations
