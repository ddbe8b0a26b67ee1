"""One thing that is wrong with a rule file, and the list of all that can be."""

from __future__ import annotations

from agguard.model.value import Value

ERROR = "error"
WARNING = "warning"
NOTICE = "notice"
SEVERITIES = (ERROR, WARNING, NOTICE)

CODES = {
    "crashes-host": (ERROR, "13", "the host's engine ends with a panic over the file"),
    # size and budget
    "truncated": (ERROR, "7.1", "the cap cuts the rule"),
    "all-lost": (ERROR, "7.1", "the cap leaves nothing: the first 24,000 bytes end no line"),
    "near-cap": (WARNING, "7.1", "the rule is over 20,000 bytes, close to the cap"),
    "monolithic-root": (ERROR, "7.1", "the root's file alone is larger than the cap"),
    "mention-grows": (NOTICE, "8.4", "mentions make the rule larger than the cap"),
    "over-budget": (ERROR, "9.2", "all rules together are over the budget; shrink this one"),
    "demoted": (WARNING, "9.2", "the budget turns the rule into a pointer"),
    "demoted-without-description": (ERROR, "10.4", "the pointer does not say when to read it"),
    # frontmatter
    "no-frontmatter": (ERROR, "4.3", "a file of a rules folder without frontmatter is dropped"),
    "unclosed-frontmatter": (ERROR, "4.4", "frontmatter that is not closed is none"),
    "early-fence": (WARNING, "4.4", "a fence inside the frontmatter closes it"),
    "bom": (ERROR, "4.3", "a byte order mark hides the frontmatter"),
    "bom-in-text": (WARNING, "4.2", "the byte order mark stays in the text"),
    "frontmatter-refused": (ERROR, "4.5", "the YAML is refused and the rule dropped"),
    "list-value": (ERROR, "4.5", "a list or a map where text is needed drops the rule"),
    "duplicate-key": (ERROR, "4.5", "a key given twice drops the rule"),
    "key-case": (WARNING, "4.5", "keys are case-sensitive"),
    "trigger-missing": (ERROR, "4.3", "without a trigger the rule is dropped"),
    "trigger-unknown": (ERROR, "4.3", "the trigger is none that the engine knows"),
    "trigger-manual": (WARNING, "4.3", "manual rules have no effect on the prompt"),
    "trigger-glob": (NOTICE, "11.4", "glob rules are told with tool results only"),
    "glob-never-matches": (WARNING, "11.4", "the pattern cannot match"),
    "glob-comment": (WARNING, "4.5", "an unquoted glob swallows the comment behind it"),
    "unused-globs": (NOTICE, "11.5", "globs have no effect with this trigger"),
    "missing-description": (WARNING, "10.5", "nothing says when the rule applies"),
    "multi-line-description": (WARNING, "10.5", "the description breaks the list that it is in"),
    "frontmatter-in-directory-file": (WARNING, "4.2", "frontmatter is plain text here"),
    # text
    "invalid-utf8": (ERROR, "4.2", "the file is not valid UTF-8"),
    "not-text": (ERROR, "6.4", "the host guesses the encoding, if it reads the file at all"),
    "control-character": (WARNING, "10.6", "control characters go to the model as they are"),
    "breaks-block": (ERROR, "10.6", "the text closes the block's own tags"),
    "empty": (NOTICE, "10.3", "the rule says nothing"),
    # includes
    "include-missing": (ERROR, "6.3", "the included file is not there; the text stays"),
    "include-not-a-file": (ERROR, "6.3", "only regular files can be included"),
    "include-unreadable": (ERROR, "6.4", "the included file is no text in Unicode"),
    "include-absolute": (WARNING, "6.2", "an absolute path works on one machine only"),
    "include-home": (WARNING, "6.2", "a path below the home works for one user only"),
    "include-outside": (WARNING, "6.2", "the path leads out of the repository"),
    "include-nested": (WARNING, "6.1", "an include inside an included file is not expanded"),
    "include-empty": (WARNING, "6.5", "the included file leaves nothing"),
    "include-frontmatter": (NOTICE, "6.5", "the included file loses its frontmatter"),
    "include-in-code": (NOTICE, "6.1", "the include is expanded though it stands in code"),
    "include-unexpanded": (WARNING, "6", "includes are expanded in inline rules only"),
    "include-self": (WARNING, "6.1", "the rule includes itself"),
    # mentions
    "mention-missing": (NOTICE, "8.1", "the mentioned path does not exist and stays as it is"),
    "mention-punctuation": (WARNING, "8.1", "the punctuation behind it belongs to the path"),
    "mention-home": (WARNING, "8.2", "mentions know no ~"),
    "mention-kept": (NOTICE, "8", "mentions in the user's own rules stay as they are"),
    # places
    "wrong-case": (WARNING, "2", "names are case-sensitive; the file is not read"),
    "wrong-extension": (WARNING, "2.3", "only names that end with .md are read"),
    "nested-rule": (WARNING, "2.3", "only files directly in the rules folder are read"),
    "unread-place": (WARNING, "2.4", "nothing is read from this place"),
    "unread-name": (NOTICE, "11.6", "the host does not read a file of this name"),
    "not-regular": (ERROR, "2", "only regular files are read"),
    "no-root": (WARNING, "1.3", "without a root nothing above the session's folder is read"),
    "repo-marker": (NOTICE, "1.1", ".repo makes the root, whatever .git lies nearer"),
    # one file, two paths
    "shadowed": (WARNING, "3.1", "another path leads to the same file and counts instead"),
    "vanished": (ERROR, "3.2", "the file is seen as a dropped rule first, and counts nowhere"),
    "told-twice": (WARNING, "3.3", "the file is global and local, and stands in the block twice"),
    "identical": (NOTICE, "3.1", "another rule file has the same content; both are told"),
    # what other rules say
    "both-active": (NOTICE, "5.1", "an outer rule has the same heading; both stay active"),
    "order": (NOTICE, "5.1", "an outer rule stands after an inner one, and so wins"),
    "directory-specific": (NOTICE, "2.2", "the section belongs into the folder that it names"),
    # registries
    "registry": (WARNING, "12", "the registry does not say what it seems to"),
}
"""Every code with its severity, the section of the contract and what it means."""


class Finding(Value):
    """One finding."""

    path: str
    line: int
    """From 1."""
    code: str
    message: str
    """What is wrong and what to do, without a full stop."""
    severity: str
    """ERROR, WARNING or NOTICE."""
    section: str
    """The section of the contract (rules-engine.md)."""


def finding(path: str, line: int, code: str, message: str, *, severity: str = "") -> Finding:
    """Return a finding with the severity and section of its code."""
    usual, section, _ = CODES[code]
    return Finding(path, line, code, message, severity or usual, section)
