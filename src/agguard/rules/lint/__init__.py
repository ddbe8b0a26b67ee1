"""Checks of rule files: every trap of the host's rules engine, with file and line.

`linter.lint` runs them all over one session's files, `linter.lint_below` over every session that
could be opened below a folder, `format` writes the findings for a person, for GitHub and as data.
"""

from __future__ import annotations
