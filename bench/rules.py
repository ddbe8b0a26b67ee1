"""How long the rules engine takes on a large repository, against the work it cannot avoid.

A repository of 10,000 directories with 200 rule files that apply to a session. The yardstick, in
the same run: reading these files, `os.path.realpath` on each and C YAML on each one's
frontmatter. The engine may take three times as long. Run with `PYTHONPATH=src`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from agguard.rules.disk import Disk
from agguard.rules.engine import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DIRECTORIES = 10_000
RULES = 200
LIMIT = 3.0
HEAD = "---\ntrigger: {trigger}\ndescription: Rule number {n}, about one thing\n---\n"
BODY = "# Rule {n}\n\nUse four spaces, see @docs/guide.md and never push to main.\n" * 4


class Watched(Disk):
    """The disk, noting every folder and file that is opened."""

    def __init__(self) -> None:
        self.opened: list[str] = []

    def names(self, path: str) -> tuple[str, ...]:  # noqa: D102 - see Disk
        self.opened.append(path)
        return super().names(path)

    def data(self, path: str) -> bytes:  # noqa: D102 - see Disk
        self.opened.append(path)
        return super().data(path)


def repository(root: Path) -> tuple[Path, list[Path]]:
    """Write the repository; return the session's folder and the rule files that apply."""
    (root / ".git").mkdir(parents=True)
    (root / ".git/HEAD").write_text("ref: refs/heads/main\n")
    for n in range(DIRECTORIES):
        folder = root / f"pkg{n // 100:02}/mod{n % 100:02}"
        folder.mkdir(parents=True)
        (folder / "AGENTS.md").write_text("Not on the way.\n")
    (root / "docs").mkdir()
    (root / "docs/guide.md").write_text("guide\n")
    session = root / "pkg07/mod42"
    chain = [root, root / "pkg07", session]
    rules = []
    for n in range(RULES):
        folder = chain[n % 3] / (".agents/rules" if n % 2 else ".agent/rules")
        folder.mkdir(parents=True, exist_ok=True)
        trigger = "model_decision" if n % 4 == 3 else "always_on"
        text = HEAD.format(trigger=trigger, n=n) + BODY.format(n=n)
        (folder / f"rule{n:03}.md").write_text(text)
        rules.append(folder / f"rule{n:03}.md")
    (session / "AGENTS.md").unlink()
    return session, rules


def yardstick(rules: list[Path]) -> None:
    """Read each rule file, resolve its links, read its frontmatter with C YAML."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for rule in rules:
        path = os.fspath(rule)
        with open(path, "rb") as file:
            data = file.read()
        os.path.realpath(path)
        yaml.load(data.split(b"---\n", 2)[1], Loader=loader)  # noqa: S506 - a safe loader


def timed(work: Callable[[], object]) -> float:
    """Return how long some work takes, in milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "repo"
        session, rules = repository(root)
        home = str(root.parent / "home")
        watched = Watched()
        rendered = render(str(session), home, product="sdk", read=watched)
        assert len(rendered.rules) == RULES
        strays = [path for path in watched.opened if _outside(path, session, root)]
        # By turns, so that a busy machine hits both; the first pair warms the caches.
        pairs = [
            (
                timed(lambda: yardstick(rules)),
                timed(lambda: render(str(session), home, product="sdk")),
            )
            for _ in range(options.rounds + 1)
        ][1:]
    ratio = statistics.median(engine / base for base, engine in pairs)
    result = {
        "directories": DIRECTORIES,
        "rules": RULES,
        "yardstick_ms": round(statistics.median(base for base, _ in pairs), 2),
        "engine_ms": round(statistics.median(engine for _, engine in pairs), 2),
        "ratio": round(ratio, 2),
        "limit": LIMIT,
        "opened_outside_the_walk": len(strays),
    }
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name:<26}{value:>10}")
    return 0 if ratio <= LIMIT and not strays else 1


def _outside(path: str, session: Path, root: Path) -> bool:
    """Whether a path is neither a place of the chain nor of the home."""
    chain = {os.fspath(root), os.fspath(root / "pkg07"), os.fspath(session)}
    place = path
    for name in ("/.agents", "/.agent", "/_agents", "/_agent"):
        place = place.partition(name)[0] if name + "/" in place + "/" else place
    return place not in chain and not path.startswith(f"{root.parent}/home/")


if __name__ == "__main__":
    sys.exit(main())
