"""The tables, and the rules that the database itself enforces (design, section 4).

One tuple of statements for each version. A step that was released is never changed; the next
version gets a step of its own. The SQL keeps to SQLite 3.34, the oldest that a supported Python
is commonly built with: no STRICT tables, no RETURNING.
"""

from __future__ import annotations

from agguard.ledger.fsm import DEAD_STATUSES, OPEN_STATUSES, PATHS, STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


def words(texts: Iterable[str]) -> str:
    """Return an SQL list of texts."""
    return ", ".join(f"'{text}'" for text in texts)


STATUSES = (*OPEN_STATUSES, "TERMINATED", *DEAD_STATUSES)
ENDED = words(("TERMINATED", *DEAD_STATUSES))
PAIRS = ", ".join(f"('{old}', '{new}')" for old, new in sorted(PATHS))

CONVERSATIONS = """
CREATE TABLE conversations (
    id TEXT PRIMARY KEY CHECK (id <> ''),
    role TEXT NOT NULL CHECK (role IN ('', 'primary', 'coordinator', 'worker')),
    parent TEXT NOT NULL CHECK (parent <> id),
    remaining_depth INTEGER NOT NULL CHECK (remaining_depth >= 0),
    read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
    bound_by TEXT NOT NULL,
    first_seen REAL NOT NULL,
    last_seen REAL NOT NULL,
    seen_after INTEGER NOT NULL, -- the newest event when it was first seen: needs no clock
    CHECK (role <> 'worker' OR remaining_depth = 0)
) WITHOUT ROWID
"""

RIGHTS_NEVER_RISE = """
CREATE TRIGGER conversations_keep_rights BEFORE UPDATE ON conversations
WHEN NEW.id <> OLD.id OR NEW.seen_after <> OLD.seen_after OR NEW.first_seen <> OLD.first_seen
    OR (OLD.role <> '' AND (
        (NEW.role <> OLD.role AND (OLD.role <> 'coordinator' OR NEW.role <> 'worker'))
        OR NEW.parent <> OLD.parent
        OR NEW.remaining_depth > OLD.remaining_depth OR NEW.read_only < OLD.read_only))
BEGIN SELECT RAISE(ABORT, 'the rights of a bound conversation never rise'); END
"""

TURNS = f"""
CREATE TABLE turns (
    conversation TEXT NOT NULL CHECK (conversation <> ''),
    turn INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ({words(STATES)})),
    answered INTEGER NOT NULL,
    seq INTEGER NOT NULL, -- the last event that it has seen
    updated_at REAL NOT NULL,
    PRIMARY KEY (conversation, turn)
) WITHOUT ROWID
"""

TOKENS = """
CREATE TABLE tokens (
    token TEXT PRIMARY KEY CHECK (token <> ''),
    item TEXT NOT NULL UNIQUE REFERENCES work_items (id) DEFERRABLE INITIALLY DEFERRED,
    claimed_by TEXT UNIQUE REFERENCES conversations (id),
    claimed_at REAL,
    CHECK ((claimed_by IS NULL) = (claimed_at IS NULL))
) WITHOUT ROWID
"""

CLAIMED_ONCE = """
CREATE TRIGGER tokens_are_claimed_once BEFORE UPDATE ON tokens
WHEN NEW.token <> OLD.token OR NEW.item <> OLD.item OR OLD.claimed_by IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a token is claimed once and never changes'); END
"""

CLAIMED_BY_ANOTHER = """
CREATE TRIGGER tokens_are_not_the_issuers BEFORE UPDATE ON tokens
WHEN NEW.claimed_by = (SELECT issuer FROM work_items WHERE id = NEW.item)
BEGIN SELECT RAISE(ABORT, 'the issuer of a token cannot claim it'); END
"""

WORK_ITEMS = f"""
CREATE TABLE work_items (
    id TEXT PRIMARY KEY CHECK (id <> ''),
    token TEXT UNIQUE REFERENCES tokens (token) DEFERRABLE INITIALLY DEFERRED,
    issuer TEXT NOT NULL CHECK (issuer <> ''),
    step INTEGER NOT NULL,
    position INTEGER NOT NULL,
    digest TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('coordinator', 'worker')),
    remaining_depth INTEGER NOT NULL CHECK (remaining_depth >= 0),
    read_only INTEGER NOT NULL CHECK (read_only IN (0, 1)),
    status TEXT NOT NULL CHECK (status IN ({words(STATUSES)})),
    child TEXT NOT NULL CHECK (child <> issuer),
    type_name TEXT NOT NULL,
    agent_role TEXT NOT NULL,
    model TEXT NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    turn INTEGER NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('spawn', 'message')),
    accepted INTEGER NOT NULL CHECK (accepted IN (0, 1)),
    cause TEXT NOT NULL,
    issued_seq INTEGER NOT NULL, -- the event WORK_ISSUED
    ended_seq INTEGER NOT NULL, -- the event that ended it; 0 while it is open
    UNIQUE (issuer, step, position, digest),
    CHECK (role <> 'worker' OR remaining_depth = 0),
    CHECK (token IS NOT NULL OR origin = 'message' OR (read_only = 1 AND remaining_depth = 0)),
    CHECK (child <> '' OR status IN ('ISSUED', 'FAILED', 'TIMED_OUT')),
    CHECK ((ended_seq = 0) = (status IN ({words(OPEN_STATUSES)})))
)
"""

STARTS_AS_ISSUED = """
CREATE TRIGGER work_items_start_as_issued BEFORE INSERT ON work_items
WHEN NEW.status <> 'ISSUED'
BEGIN SELECT RAISE(ABORT, 'a work item starts as ISSUED'); END
"""

LESS_THAN_THE_ISSUER = """
CREATE TRIGGER work_items_have_less_than_the_issuer BEFORE INSERT ON work_items
WHEN EXISTS (
    SELECT 1 FROM conversations WHERE id = NEW.issuer AND role <> '' AND (
        read_only > NEW.read_only
        OR (NEW.remaining_depth > 0 AND NEW.remaining_depth >= remaining_depth)))
BEGIN SELECT RAISE(ABORT, 'a work item has less depth than its issuer, and not more rights'); END
"""

ENDED_IS_ENDED = f"""
CREATE TRIGGER work_items_end_once BEFORE UPDATE ON work_items
WHEN OLD.status NOT IN ({words(OPEN_STATUSES)})
BEGIN SELECT RAISE(ABORT, 'an ended work item never changes'); END
"""

KNOWN_PATHS = f"""
CREATE TRIGGER work_items_take_known_paths BEFORE UPDATE OF status ON work_items
WHEN NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN (VALUES {PAIRS})
BEGIN SELECT RAISE(ABORT, 'a work item cannot take this path'); END
"""

ITEM_IS_FIXED = """
CREATE TRIGGER work_items_keep_what_was_issued BEFORE UPDATE ON work_items
WHEN NEW.id <> OLD.id OR NEW.token IS NOT OLD.token OR NEW.issuer <> OLD.issuer
    OR NEW.step <> OLD.step OR NEW.position <> OLD.position OR NEW.digest <> OLD.digest
    OR (NEW.role <> OLD.role AND NEW.role <> 'worker')
    OR NEW.origin <> OLD.origin OR NEW.issued_seq <> OLD.issued_seq
    OR NEW.remaining_depth > OLD.remaining_depth OR NEW.read_only < OLD.read_only
    OR (OLD.child <> '' AND NEW.child <> OLD.child)
BEGIN SELECT RAISE(ABORT, 'a work item keeps what it was issued with, and its child'); END
"""

OPEN_STAYS = f"""
CREATE TRIGGER work_items_are_not_forgotten_while_open BEFORE DELETE ON work_items
WHEN OLD.status IN ({words(OPEN_STATUSES)})
BEGIN SELECT RAISE(ABORT, 'an open work item cannot be deleted'); END
"""

EVENTS = """
CREATE TABLE events (
    seq INTEGER PRIMARY KEY, -- retention keeps the newest row, so a number never comes back
    at REAL NOT NULL,
    conversation TEXT NOT NULL,
    turn INTEGER NOT NULL,
    type TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    item TEXT NOT NULL,
    child TEXT NOT NULL,
    from_status TEXT NOT NULL,
    to_status TEXT NOT NULL,
    pending INTEGER NOT NULL,
    running INTEGER NOT NULL,
    dead INTEGER NOT NULL,
    detail TEXT NOT NULL
)
"""

WRITTEN_ONCE = """
CREATE TRIGGER events_are_written_once BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'an event never changes'); END
"""

DECISIONS = """
CREATE TABLE decisions (
    seq INTEGER PRIMARY KEY, -- as in events
    at REAL NOT NULL,
    conversation TEXT NOT NULL,
    event TEXT NOT NULL,
    step INTEGER NOT NULL,
    turn INTEGER NOT NULL,
    tool TEXT NOT NULL,
    subject TEXT NOT NULL,
    effect INTEGER NOT NULL,
    decision TEXT NOT NULL,
    reasons TEXT NOT NULL,
    faults TEXT NOT NULL,
    micros INTEGER NOT NULL,
    role TEXT NOT NULL,
    inert INTEGER NOT NULL CHECK (inert IN (0, 1))
)
"""

HASHES = """
CREATE TABLE hashes (
    path TEXT PRIMARY KEY,
    sha256 TEXT NOT NULL,
    recorded_at REAL NOT NULL
) WITHOUT ROWID
"""

MARKS = "CREATE TABLE marks (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID"
"""Where the last sweep of the retention was."""

FIRST: tuple[str, ...] = (
    "CREATE TABLE migrations (version INTEGER PRIMARY KEY, at REAL NOT NULL)",
    CONVERSATIONS,
    RIGHTS_NEVER_RISE,
    "CREATE INDEX conversations_by_parent ON conversations (parent) WHERE parent <> ''",
    TURNS,
    TOKENS,
    CLAIMED_ONCE,
    CLAIMED_BY_ANOTHER,
    WORK_ITEMS,
    # One conversation is the child of one spawn; messages may give it further tasks.
    (
        "CREATE UNIQUE INDEX work_items_spawned ON work_items (child)"
        " WHERE child <> '' AND origin = 'spawn'"
    ),
    "CREATE INDEX work_items_by_child ON work_items (child, status) WHERE child <> ''",
    "CREATE INDEX work_items_by_issuer ON work_items (issuer, status, ended_seq)",
    (
        f"CREATE INDEX work_items_open ON work_items (updated_at)"
        f" WHERE status IN ({words(OPEN_STATUSES)})"
    ),
    f"CREATE INDEX work_items_ended ON work_items (updated_at) WHERE status IN ({ENDED})",
    # A child has one open task at a time.
    (
        "CREATE UNIQUE INDEX work_items_held ON work_items (child)"
        f" WHERE child <> '' AND status IN ({words(OPEN_STATUSES)})"
    ),
    "CREATE INDEX turns_by_age ON turns (updated_at)",
    STARTS_AS_ISSUED,
    LESS_THAN_THE_ISSUER,
    ENDED_IS_ENDED,
    KNOWN_PATHS,
    ITEM_IS_FIXED,
    OPEN_STAYS,
    EVENTS,
    WRITTEN_ONCE,
    "CREATE INDEX events_by_conversation ON events (conversation)",
    "CREATE INDEX events_by_item ON events (item) WHERE item <> ''",
    DECISIONS,
    "CREATE INDEX decisions_by_conversation ON decisions (conversation)",
    (
        "CREATE INDEX decisions_work ON decisions (conversation, step, effect)"
        " WHERE event = 'PreToolUse' AND decision <> 'deny' AND inert = 0"
    ),
    (
        "CREATE INDEX decisions_stops ON decisions (conversation, turn, seq, decision)"
        " WHERE event = 'Stop' AND inert = 0"
    ),
    HASHES,
    MARKS,
)

REPORTS = """
CREATE TABLE reports (
    seq INTEGER PRIMARY KEY,
    item TEXT NOT NULL REFERENCES work_items (id),
    issuer TEXT NOT NULL,
    child TEXT NOT NULL CHECK (child <> ''),
    at REAL NOT NULL,
    way TEXT NOT NULL CHECK (way IN ('stop', 'message', 'record')),
    standing TEXT NOT NULL CHECK (standing IN ('valid', 'unverified', 'invalid')),
    status TEXT NOT NULL CHECK (status IN ('', 'completed', 'failed', 'blocked')),
    summary TEXT NOT NULL,
    detail TEXT NOT NULL, -- JSON: what is wrong with it, or not borne out
    body TEXT NOT NULL, -- JSON: the report itself
    digest TEXT NOT NULL,
    told REAL NOT NULL CHECK (told >= 0), -- when its issuer was told of it; 0: not yet
    UNIQUE (item, digest),
    CHECK (standing <> 'invalid' OR status = ''),
    CHECK (standing <> 'valid' OR status <> '')
)
"""

REPORTED_BY_ITS_CHILD = f"""
CREATE TRIGGER reports_are_of_open_work BEFORE INSERT ON reports
WHEN NOT EXISTS (
    SELECT 1 FROM work_items WHERE id = NEW.item AND child = NEW.child AND issuer = NEW.issuer
        AND status IN ({words(OPEN_STATUSES)}))
BEGIN SELECT RAISE(ABORT, 'a report belongs to an open task of the child that sends it'); END
"""  # noqa: S608 - constants
"""A child that was given up reports nothing any more (design, section 4)."""

REPORTED_ONCE = """
CREATE TRIGGER reports_are_written_once BEFORE UPDATE ON reports
WHEN NEW.seq <> OLD.seq OR NEW.item <> OLD.item OR NEW.issuer <> OLD.issuer
    OR NEW.child <> OLD.child OR NEW.at <> OLD.at OR NEW.way <> OLD.way
    OR NEW.standing <> OLD.standing OR NEW.status <> OLD.status OR NEW.summary <> OLD.summary
    OR NEW.detail <> OLD.detail OR NEW.body <> OLD.body OR NEW.digest <> OLD.digest
    OR (OLD.told > 0 AND NEW.told <> OLD.told)
BEGIN SELECT RAISE(ABORT, 'a report never changes'); END
"""

SECOND: tuple[str, ...] = (
    # What a task is about, as hashes of words: a retry is recognized by them.
    "ALTER TABLE work_items ADD COLUMN words TEXT NOT NULL DEFAULT ''",
    REPORTS,
    "CREATE INDEX reports_by_issuer ON reports (issuer, seq)",
    REPORTED_BY_ITS_CHILD,
    REPORTED_ONCE,
)

THIRD: tuple[str, ...] = (
    # What each guard said, for `agguard why`.
    "ALTER TABLE decisions ADD COLUMN answers TEXT NOT NULL DEFAULT '[]'",
)

STEPS: tuple[tuple[str, ...], ...] = (FIRST, SECOND, THIRD)
