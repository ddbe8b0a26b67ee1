"""How well the effects of command lines are known: rows with an expected effect, counted.

    python bench/shell_effects.py FILE [--json]

FILE holds one JSON object a line, with `command` and `effect` (`read` or `not-read`). A
`not-read` row that is called read is a hole; a `read` row that is not found is friction.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from agguard.shell.effects import effect_of

WORKSPACE = "/workspace"


def measure(lines: list[str]) -> dict[str, object]:
    """Compare the effects of all rows with what they should be."""
    counts = {"read": 0, "found_read": 0, "not_read": 0, "called_read": 0}
    wrong = []
    for line in lines:
        row = json.loads(line)
        result = effect_of(row["command"], cwd=WORKSPACE, workspaces=(WORKSPACE,))
        expected = row["effect"] == "read"
        counts["read" if expected else "not_read"] += 1
        if result.reads:
            counts["found_read" if expected else "called_read"] += 1
        if result.reads != expected:
            why = "; ".join(part.why for part in result.parts)
            wrong.append({**row, "found": result.effect.words, "why": why})
    return {**counts, "wrong": wrong}


def main(arguments: list[str]) -> int:
    paths = [argument for argument in arguments if not argument.startswith("--")]
    if len(paths) != 1 or set(arguments) - {*paths, "--json"}:
        print(__doc__, file=sys.stderr)
        return 2
    text = Path(paths[0]).read_text(encoding="utf-8")
    result = measure([line for line in text.splitlines() if line.strip()])
    if "--json" in arguments:
        print(json.dumps(result, ensure_ascii=False))
    else:
        print_table(result)
    return 0


def print_table(result: dict[str, object]) -> None:
    print(f"read rows        {result['read']:>6}   found read    {result['found_read']:>6}")
    print(f"not-read rows    {result['not_read']:>6}   called read   {result['called_read']:>6}")
    wrong = result["wrong"]
    assert isinstance(wrong, list)
    for row in wrong:
        print(f"  {row['effect']:<9} {row['command']!r}: {row['found']} ({row['why']})")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
