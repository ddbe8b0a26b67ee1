"""What an MCP tool does, by its name. Pure.

The verb may stand anywhere in a name that is cut into its words: `jira_create_issue`,
`createIssue`, `issue.create`. Whole words count, so `get_settings`, `list_added` and
`address_lookup` read.
"""

from __future__ import annotations

from agguard.model.effect import Effect

WRITES = frozenset(
    (
        "write edit create update delete remove push move fork insert modify set put patch deploy"
        " add transition fill merge submit approve publish archive send commit upload append"
        " assign attach cancel change clear clone close copy disable drop enable execute exec"
        " grant import install invite invoke kill lock mark mutate open post purge rename reopen"
        " replace reply reset resolve restart restore revert revoke rollback run save schedule"
        " start stop sync trigger unassign unlock upsert"
    ).split()
)
"""The first seed's eighteen verbs, those of its later versions, and their kin."""

READS = frozenset(
    (
        "check compare count describe diff download explain export fetch find get inspect list"
        " lookup peek preview query read retrieve search show stat status summarize tail trace"
        " validate view"
    ).split()
)

JOINING = frozenset({"and", "or", "then"})
"""After these a second verb is meant: `get_and_delete`."""


def words(name: str) -> list[str]:
    """Cut a name into its words: at case changes, digits and everything that is no letter."""
    found = [""]
    before = ""
    for place, letter in enumerate(name):
        after = name[place + 1 : place + 2]
        starts = letter.isupper() and (before.islower() or (before.isupper() and after.islower()))
        if not letter.isalpha():
            found.append("")
        elif starts:
            found.append(letter)
        else:
            found[-1] += letter
        before = letter
    return [word.lower() for word in found if word]


def effect(server: str, tool: str) -> Effect:
    """Say what the tool of a server does; UNKNOWN when its name has no verb that is known."""
    parts = words(tool)
    own = words(server)
    while parts and parts[0] in own:
        parts = parts[1:]
    if parts and parts[0] in READS:
        pairs = zip(parts, parts[1:], strict=False)  # noqa: RUF007 - itertools for one loop
        joined = any(one in JOINING and other in WRITES for one, other in pairs)
        return Effect.WRITE if joined else Effect.READ
    if any(part in WRITES for part in parts):
        return Effect.WRITE
    return Effect.READ if any(part in READS for part in parts) else Effect.UNKNOWN
