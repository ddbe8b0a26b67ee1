"""Every setting of agguard itself, one entry each; to add or drop one, add or drop its entry.

A setting that changes nothing is a defect: an entry stands here only when some code reads it.
"""

from __future__ import annotations

from agguard.config.setting import BOOL, CHOICE, FLOAT, INT, LIST, STRING, Setting
from agguard.config.strictness import (
    FALSE,
    GROW,
    LESS,
    MORE,
    ORDER,
    SHRINK,
    TRUSTED,
    USER,
)

_ON = ("off", "on")
_TIERS = {
    "pro": (
        "Deep reasoning and escalation",
        "New architecture and root causes that take insight, with high autonomy",
        "full",
    ),
    "flash": (
        "Mechanical execution",
        "Applying prepared diffs, running test suites and planned commands",
        "full",
    ),
    "flash_lite": (
        "Read-only research",
        "Searching, viewing files, exploring the code base",
        "read-only",
    ),
}
"""The host's model tiers with the first seed's table: role, actions, access."""


def _choice(key: str, default: str, choices: tuple[str, ...], way: str, meaning: str) -> Setting:
    return Setting(key, CHOICE, default, meaning, way, choices=choices)


def _list(key: str, default: tuple[str, ...], way: str, meaning: str) -> Setting:
    return Setting(key, LIST, default, meaning, way)


def _number(key: str, default: int, span: tuple[int, int], way: str, meaning: str) -> Setting:
    return Setting(key, INT, default, meaning, way, minimum=span[0], maximum=span[1])


def _switch(key: str, way: str, meaning: str) -> Setting:
    """Return a setting that is true or false, and false by default."""
    return Setting(key, BOOL, default=False, meaning=meaning, stricter=way)


def _text(key: str, default: str, way: str, meaning: str) -> Setting:
    return Setting(key, STRING, default, meaning, way)


def _tiers() -> tuple[Setting, ...]:
    access = "what a subagent of this tier may do"
    return tuple(
        setting
        for tier, (role, actions, may) in _TIERS.items()
        for setting in (
            _text(f"tiers.{tier}.role", role, TRUSTED, "what the tier is for"),
            _text(f"tiers.{tier}.actions", actions, TRUSTED, "what it is to be used for"),
            _choice(f"tiers.{tier}.access", may, ("full", "read-only"), ORDER, access),
        )
    )


# fmt: off
_HOOKS = (
    _choice("profile", "strict", ("observe", "adaptive", "balanced", "strict"), ORDER,
            "the set of values that the other settings start from"),
    # The host gives a hook 30 s and the launcher needs some of them.
    Setting("hooks.deadline", FLOAT, 5.0, "longest time for one whole hook",
            USER, minimum=0.5, maximum=25, unit="s"),
    Setting("hooks.guard_deadline", FLOAT, 1.0, "longest time for one guard",
            USER, minimum=0.05, maximum=25, unit="s"),
    _switch("hooks.observe", FALSE,
            "record what would have been decided and enforce nothing"),
    _choice("hooks.if_missing", "ask", ("ask", "deny"), USER,
            "what the launcher answers for a tool call when agguard cannot run"),
    _choice("hooks.rewrites", "chained", ("chained", "single"), ORDER,
            "each guard rewrites what the former left, or all the same command and only one may"),
)
_PLUGINS = (
    _list("classify.trust", (), SHRINK,
          "plugins that may call a tool call milder than the built-in classification does"),
    # A blocked plugin guards nothing, so a project must not block one.
    _list("plugins.block", (), USER, "plugins that are never imported"),
    Setting("plugins.trust", LIST, (), 'third-party plugins that may run, or "all"',
            USER, words=("all",)),
    _list("plugins.order", (), USER,
          "plugins to ask first, in this order; the others follow by name"),
)
_DELEGATION = (
    _choice("delegation.mode", "strict", ("off", "advise", "read-only", "strict"), ORDER,
            "what the primary may run itself: everything, everything with advice, "
            "only commands that certainly read, or nothing"),
    _switch("delegation.observe", FALSE,
            "record what delegation would have decided and enforce nothing of it"),
    _list("delegation.plan_files", (), SHRINK,
          "globs of workspace files that the primary may write besides its artifacts"),
    _choice("delegation.unknown_role", "primary", ("worker", "primary"), ORDER,
            "how a caller is judged that cannot be identified"),
    _list("delegation.coordinators", ("DeepCoder", "DeepInvestigator"), SHRINK,
          "TypeName or Role patterns of subagents that may start subagents themselves"),
    _number("delegation.max_depth", 2, (0, 16), LESS,
            "levels of subagents below the primary"),
    _choice("delegation.worker_scope", "any", ("any", "workspace"), ORDER,
            "where workers may write"),
    _switch("delegation.flash_is_subagent", FALSE,
            "take a session for a subagent's when its model is named flash"),
    _text("delegation.message", "", TRUSTED, "a sentence to add to the reason of a denial"),
)
_RTK = (
    _choice("rtk.mode", "on", _ON, TRUSTED, "put `rtk` before commands whose output it shortens"),
    # A project's own program could be exchanged after the file was trusted.
    _text("rtk.path", "", USER, "the rtk program; empty: the one on the PATH"),
    _list("rtk.add", (), TRUSTED, "commands to put `rtk` before besides those in the table"),
    _list("rtk.remove", (), TRUSTED, "commands of the table to leave as they are"),
)
_INJECTION = (
    _choice("injection.mode", "on", _ON, ORDER,
            "add token and rules to subagents' prompts; without a token they may only read"),
    _choice("injection.project_rules", "auto", ("never", "auto", "always"), TRUSTED,
            "add the project's rules too; auto: where the host does not do it"),
    # A project's rules for subagents are in its rule files, not here.
    _text("injection.rules", "", USER,
          "a folder with your own executor.md and coordinator.md; empty: the shipped ones"),
    _text("injection.template", "", USER,
          "the text behind a prompt, with {rules} and {project_rules} in it; empty: both"),
    Setting("injection.budget_tokens", INT, 4000,
            "most that the project's rules may add to one prompt",
            TRUSTED, minimum=0, maximum=100_000, unit="tokens"),
)
_ATTENTION = (
    _choice("attention.mode", "on", _ON, ORDER, "check the primary's work when it wants to stop"),
    _list("attention.markers", ("Summary of skills used:",), GROW,
          'what the last message must hold, each of them; "a | b" asks for either'),
    _number("attention.max_rejections", 3, (0, 20), MORE,
            "how often in a row a stop is sent back before it is let pass"),
    Setting("attention.after", INT, 120, "turns shorter than this are not checked",
            LESS, minimum=0, maximum=86_400, unit="s"),
    _list("attention.artifacts", (), GROW,
          "files of the artifact folder that must be there and newer than the turn"),
    Setting("attention.refresh_tokens", INT, 2000, "most rules that a rejection repeats",
            TRUSTED, minimum=0, maximum=100_000, unit="tokens"),
    Setting("attention.remind_every", INT, 25,
            "how often the primary is reminded of its role; 0: never",
            TRUSTED, minimum=0, maximum=10_000, unit="model calls"),
)
_LEDGER = (
    Setting("ledger.work_timeout", INT, 86_400, "silence after which a subagent counts as dead",
            USER, minimum=1, maximum=2_592_000, unit="s"),
    Setting("ledger.keep_decisions", INT, 30, "how long decisions are kept",
            USER, minimum=1, maximum=3650, unit="days"),
)
_EFFECTS = (
    _choice("protection.mode", "on", _ON, ORDER, "keep agents from changing the guard itself"),
    _list("shell.read", (), SHRINK, "command patterns that only read"),
    _list("shell.not_read", (), GROW, "command patterns that do more than read"),
    _list("mcp.read", (), SHRINK, "server/tool patterns of MCP tools that only read"),
    _list("mcp.write", (), GROW, "server/tool patterns of MCP tools that write"),
)
_HANDOFF = (
    _choice("handoff.mode", "strict", ("off", "advise", "strict"), ORDER,
            "whether a subagent's report must be valid JSON"),
    _choice("escalation.mode", "advise", ("off", "advise", "enforce"), ORDER,
            "what follows when a failed task is given to the same or a lower tier"),
    _number("escalation.halt_after", 3, (1, 100), LESS,
            "failed commands in a row after which a worker is to halt and report"),
    _choice("tiers.default", "none", ("none", "inherit", "flash_lite", "flash", "pro"), TRUSTED,
            "the model of a subagent that is started without one; none: the host's choice"),
    *_tiers(),
)
# fmt: on

SETTINGS: tuple[Setting, ...] = (
    *_HOOKS,
    *_PLUGINS,
    *_DELEGATION,
    *_RTK,
    *_INJECTION,
    *_ATTENTION,
    *_EFFECTS,
    *_LEDGER,
    *_HANDOFF,
)
