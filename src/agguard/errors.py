"""Every error that agguard raises on purpose, in one tree.

AgguardError                      exit status 2
├── UsageError                    a command was given what it cannot use
├── ConfigError                   a configuration file or value is wrong
├── HostError                     the host's files or payloads are not what its contract says
│   ├── PayloadError              a hook payload could not be read
│   └── RegistrationError         hooks.json cannot be changed safely
├── LedgerError                   the ledger cannot be read or written
├── PluginError                   a plugin breaks the contract of `agguard.hookspecs`
└── DeadlineError                 a guard or the whole hook ran out of time

Messages name the thing, say what was expected and what to do next.
"""

from __future__ import annotations


class AgguardError(Exception):
    """Root of the tree; the CLI prints it as one message and exits with `exit_code`."""

    exit_code = 2


class UsageError(AgguardError, ValueError):
    """A command was given what it cannot use."""


class ConfigError(AgguardError, ValueError):
    """A configuration file or value is wrong."""


class HostError(AgguardError):
    """The host's files or payloads are not what its contract says."""


class PayloadError(HostError, ValueError):
    """A hook payload could not be read."""


class RegistrationError(HostError):
    """hooks.json cannot be changed safely; nothing was written."""


class LedgerError(AgguardError):
    """The ledger cannot be read or written."""


class PluginError(AgguardError):
    """A plugin breaks the contract of `agguard.hookspecs`."""


class DeadlineError(AgguardError, TimeoutError):
    """A guard or the whole hook ran out of time."""
