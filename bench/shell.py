"""What understanding command lines costs: 50 typical commands, and the imports.

    python bench/shell.py [--json]

The commands are parsed, classified and rewritten, many times over; the best round counts, as the
least disturbed one. Imports are measured in fresh processes with json and re already loaded, and
compared with what loading those two costs in the same run. All times are processor time, so that
other work on the machine counts less.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from agguard.shell.effects import effect_of
from agguard.shell.parser import parse
from agguard_builtin.rtk.rewrite import rewrite

SOURCE = sys.path[0]
LIMIT_MS = 2.0
"""Issue 4: all 50 commands together."""
LIMIT_RATIO = 0.4
"""Issue 4: the import of the shell package and its table, over that of json and re."""
ROUNDS = 200
PROCESSES = 30
VERSION = (1, 1, 0)

COMMANDS = [
    "git status",
    "git diff",
    "git log --oneline -n 20",
    "git add -A && git commit -m 'fix: parser'",
    "ls -la src",
    "cat src/app.py",
    'grep -rn "TODO" src',
    "rg -n 'def ' src/",
    "find . -name '*.py' -not -path './venv/*'",
    "pytest -q tests/unit",
    "python3 -m pytest -x",
    "npm run build",
    "npm test",
    "cargo test --workspace",
    "cargo build --release",
    "go test ./...",
    "docker ps -a",
    "docker compose up -d",
    "kubectl get pods -n prod",
    "terraform plan",
    "make build",
    "cd src && ls",
    "mkdir -p build && cd build",
    "rm -rf build",
    "cp a b",
    "sed -n '1,20p' f.py",
    "sed -i 's/a/b/' f",
    "head -n 20 README.md",
    "tail -f log.txt",
    "wc -l src/*.py",
    "curl -s https://example.com/api | jq .",
    'echo "hello world"',
    "ps aux | grep node",
    "git push origin main",
    "git show HEAD:src/a.py",
    "FOO=1 cargo test 2>&1",
    "pip install -r requirements.txt",
    "uv run pytest",
    "ruff check .",
    "mypy src",
    "gh pr list",
    "gh pr view 12",
    "aws s3 ls",
    "tsc --noEmit",
    "npx eslint src",
    'for f in *.md; do wc -l "$f"; done',
    "if [ -f x ]; then cat x; fi",
    "git log -n 10 --stat",
    "tree -L 2",
    "which python3",
]

IMPORTS = """
import sys
sys.path.insert(0, sys.argv[1])
from time import process_time
begin = process_time()
import json, re
middle = process_time()
from agguard.shell.effects import effect_of
from agguard.shell.parser import parse
from agguard.shell.table import shipped
shipped()
print(middle - begin, process_time() - middle)
"""


def handle(command: str) -> None:
    """Do with a command what a hook does."""
    effect_of(command, cwd="/w", workspaces=("/w",), script=parse(command))
    rewrite(command, version=VERSION)


def seconds() -> float:
    begin = process_time()
    for command in COMMANDS:
        handle(command)
    return process_time() - begin


def imports() -> tuple[float, float]:
    """Return the seconds for json and re, and for the shell, as medians of fresh processes."""
    runs = []
    for _ in range(PROCESSES):
        command = [sys.executable, "-I", "-S", "-c", IMPORTS, SOURCE]
        run = subprocess.run(command, capture_output=True, text=True, check=True)
        runs.append([float(part) for part in run.stdout.split()])
    return statistics.median(run[0] for run in runs), statistics.median(run[1] for run in runs)


def main() -> None:
    """Measure, and print a table or JSON."""
    parser = argparse.ArgumentParser(description="Measure the shell package.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    assert len(COMMANDS) == 50
    handle("true")
    cold = seconds()
    rounds = sorted(seconds() for _ in range(ROUNDS))
    base, shell = imports()
    result = {
        "commands": len(COMMANDS),
        "cold_ms": round(cold * 1e3, 3),
        "best_ms": round(rounds[0] * 1e3, 3),
        "median_ms": round(statistics.median(rounds) * 1e3, 3),
        "limit_ms": LIMIT_MS,
        "json_re_ms": round(base * 1e3, 3),
        "shell_ms": round(shell * 1e3, 3),
        "ratio": round(shell / base, 3),
        "limit_ratio": LIMIT_RATIO,
    }
    if options.json:
        print(json.dumps(result))
        return
    print(f"50 commands, first pass       {result['cold_ms']:>8} ms")
    print(f"50 commands, best             {result['best_ms']:>8} ms   at most {LIMIT_MS}")
    print(f"50 commands, median           {result['median_ms']:>8} ms")
    print(f"import of json and re         {result['json_re_ms']:>8} ms")
    print(f"import of the shell and table {result['shell_ms']:>8} ms")
    print(f"ratio                         {result['ratio']:>8}      at most {LIMIT_RATIO}")


if __name__ == "__main__":
    main()
