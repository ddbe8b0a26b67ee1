"""The kit for authors of guards: sessions, calls, real processes, assertions, case tables.

    # conftest.py
    pytest_plugins = ["agguard.testing.plugin"]

    # test_guard.py
    from agguard.testing import Guards, assert_denied, assert_left_alone, calls

    guards = Guards("terraform=agguard_terraform")

    def test_an_unplanned_apply_is_denied():
        assert_denied(guards.dispatch(calls.run("terraform apply")), by="terraform")

`Guards` asks in this process, which is fast and can be debugged; `Home` installs agguard into a
folder and runs the registered command as the host does. Both answer with a `Result`, and the
assertions take either. Nothing here is imported while a hook answers.
"""

from __future__ import annotations

from agguard.testing import calls
from agguard.testing.assertions import (
    assert_advised,
    assert_asked,
    assert_continued,
    assert_denied,
    assert_injected_once,
    assert_left_alone,
    assert_no_faults,
    assert_rewritten,
    assert_within_deadline,
)
from agguard.testing.cases import check_cases
from agguard.testing.guards import Guards
from agguard.testing.home import Home
from agguard.testing.never import check_never_fails
from agguard.testing.result import Result
from agguard.testing.sessions import session

__all__ = [
    "Guards",
    "Home",
    "Result",
    "assert_advised",
    "assert_asked",
    "assert_continued",
    "assert_denied",
    "assert_injected_once",
    "assert_left_alone",
    "assert_no_faults",
    "assert_rewritten",
    "assert_within_deadline",
    "calls",
    "check_cases",
    "check_never_fails",
    "session",
]
