"""Why a rule file is in the block, or is not: each code with its section of the contract."""

from __future__ import annotations

REASONS = {
    # in
    "global": ("4.1", "the user's own rules always stand inline"),
    "directory": ("4.2", "a directory's rules always stand inline, also when empty"),
    "always_on": ("4.3", "its trigger is always_on"),
    "model_decision": ("4.3", "its trigger is model_decision: only path and description are told"),
    "over_budget": ("9.2", "taken out, the largest first, until the rest fits the budget"),
    # found, but not in
    "no_frontmatter": ("4.3", "a file of a rules folder needs frontmatter with a trigger"),
    "unclosed_frontmatter": ("4.4", "its frontmatter is not closed, so it has none"),
    "bom_before_frontmatter": ("4.3", "a byte order mark hides its frontmatter"),
    "frontmatter_refused": ("4.5", "the host's YAML reader refuses its frontmatter"),
    "trigger_missing": ("4.3", "its frontmatter sets no trigger"),
    "trigger_glob": ("11.4", "its trigger is glob: it is told with tool results on matching files"),
    "trigger_manual": ("4.3", "its trigger is manual: it has no effect on the prompt"),
    "trigger_unknown": ("4.3", "its trigger is none that the engine knows"),
    "not_utf8": ("4.2", "it is not valid UTF-8"),
    "not_text": ("6.4", "it cannot be decoded"),
    "blank": ("4.1", "a global file that holds only white space is left out"),
    "same_file": ("3.1", "another path leads to the same file and comes first"),
    "unreadable": ("13", "it cannot be read"),
    "folder": ("2", "only regular files are read; this is a folder"),
    "special": ("2", "only regular files are read; this is a FIFO, a socket or a device"),
    "dangling": ("2", "the link leads nowhere"),
    "closed": ("13", "it may not be looked at"),
    # not found
    "missing": ("2", "there is no such file"),
    "case": ("2", "names are case-sensitive"),
    "other_name": ("11.6", "it is none of the names that the product reads"),
    "above_root": ("1.3", "it lies above the root; nothing above the root is read"),
    "below_session": ("2.4", "it lies below the session's folder"),
    "beside_session": ("2.4", "its folder is not on the way from the root to the session's folder"),
    "nested": ("2.3", "only files directly in the rules folder are read"),
    "extension": ("2.3", "only names that end with .md, in lower case, are read"),
    "config_folder": ("2.3", "in a config folder only rules/*.md and the directory names are read"),
    "dot_gemini": ("2.4", "a workspace's .gemini folder is not read"),
    "rules_folder": ("2.4", "a rules folder counts only inside a config folder"),
    "home_place": ("2.4", "of the home only .gemini and .gemini/config are read"),
    "plugins_off": ("2.4", "this product loads no plugins"),
    "plugin_place": ("2.4", "of a plugin only rules/*.md is read"),
    "plugin_disabled": ("2.4", "its plugin is disabled"),
    "plugin_shadowed": ("2.4", "another plugin of the same name comes first"),
    "plugin_linked": ("2.4", "plugins that are links are not discovered"),
    "registry_filter": ("12.4", "the registry leaves it out"),
}


def section(code: str) -> str:
    """Return the section of the contract that a reason rests on."""
    return REASONS[code][0]


def sentence(code: str) -> str:
    """Return what a reason says, without a full stop."""
    return REASONS[code][1]
