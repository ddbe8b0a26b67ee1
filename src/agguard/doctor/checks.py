"""All checks of `agguard doctor`, in the order in which a person wants to read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agguard.doctor import answering, parts, products, records, registration
from agguard.doctor.finding import BAD, Finding
from agguard.errors import AgguardError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agguard.paths import Paths

    Check = Callable[[Paths, str], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    registration.registration,
    registration.others,
    registration.unread,
    registration.plugin_folder,
    records.manifest,  # before a hook runs, which mends it without a word
    answering.command,
    answering.fired,
    products.products,
    products.log,
    parts.configuration,
    parts.launcher,
    records.pause,
    records.trust,
    parts.plugins,
    records.sums,
    parts.rtk,
    records.rights,
    records.ledger,
    parts.rules,
)


def examine(paths: Paths, folder: str) -> Iterator[Finding]:
    """Look at everything; findings come as they are made.

    Args:
        paths: The user's folders.
        folder: The folder of a project, for what holds in it.
    """
    for check in CHECKS:
        try:
            yield from check(paths, folder)
        except AgguardError as error:
            yield Finding(check.__name__, BAD, str(error))
        except OSError as error:
            text = f"{error.filename or check.__name__}: {error.strerror}"
            yield Finding(check.__name__, BAD, text)
