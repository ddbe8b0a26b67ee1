"""Runs rewriting cases through the RTK guard's rewriter, assuming what rtk 1.1.0 can do.

    python bench/rtk_cases.py FILE [--json]

FILE holds one JSON object a line with `input` and `expected`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from agguard_builtin.rtk.rewrite import rewrite

VERSION = (1, 1, 0)


def main() -> None:
    """Run the cases and print how many hold, and those that do not."""
    parser = argparse.ArgumentParser(description="Run rewriting cases.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.file.read_text().splitlines() if line.strip()]
    wrong: list[dict[str, Any]] = []
    for row in rows:
        found = rewrite(row["input"], version=VERSION) or row["input"]
        if found != row["expected"]:
            wrong.append({**row, "found": found})
    result = {"rows": len(rows), "ok": len(rows) - len(wrong), "wrong": wrong}
    if options.json:
        print(json.dumps(result, indent=2, ensure_ascii=False))
        return
    print(f"{result['ok']} of {result['rows']} rows hold")
    for row in wrong:
        print(
            f"  {row['input']!r}\n    expected {row['expected']!r}\n    found    {row['found']!r}"
        )


if __name__ == "__main__":
    main()
