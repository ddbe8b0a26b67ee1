"""`agguard rules`: what an agent is told, and why."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from agguard.cli import choice, output
from agguard.quantity import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

    from agguard.rules.engine import Rendered
    from agguard.rules.tree import Placed, Scope, Tree


class ProductName(StrEnum):
    """The products whose rules can be shown."""

    CLI = "cli"
    APP = "app"
    IDE = "ide"
    SDK = "sdk"


class Format(StrEnum):
    """How findings are printed."""

    TEXT = "text"
    GITHUB = "github"
    JSON = "json"


Path = Annotated[str, typer.Argument(help="The session's folder.")]
Product = Annotated[
    ProductName | None,
    typer.Option(
        help="Whose rules; the one that this machine shows, if left out.",
        show_default=False,
        **choice.of("--product", ProductName),
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]

BAR = 40
"""Characters of the budget's bar."""
STYLES = {"inline": "green", "demoted": "yellow", "conditional": "cyan", "out": "dim"}


def build() -> typer.Typer:
    """Make the group."""
    app = typer.Typer(help="Show, explain and check the rules of a session.", no_args_is_help=True)
    for command in (show, tree, why, lint):
        app.command()(command)
    return app


def show(path: Path = ".", product: Product = None, as_json: Json = False) -> None:
    """Print exactly the block that the host tells a session there, and nothing else.

    Example: agguard rules show
    """
    from agguard.rules.report import account

    rendered = _rendered(path, product)
    if as_json:
        output.data(account(rendered))
        return
    # Bytes, whatever the terminal's encoding: this is what the agent gets.
    sys.stdout.flush()
    sys.stdout.buffer.write(rendered.block.encode())
    sys.stdout.buffer.flush()


def tree(path: Path = ".", product: Product = None, as_json: Json = False) -> None:
    """Draw which rules reach whom, which stand later and so win, and what they cost.

    Example: agguard rules tree
    """
    from agguard.rules.report import account
    from agguard.rules.tree import tree as grouped

    rendered = _rendered(path, product)
    if as_json:
        output.data(account(rendered))
        return
    found = grouped(rendered)
    output.say(_drawn(found), "", _bar(found))
    for sentence in _inverted(found):
        output.note(sentence)


def why(
    file: Annotated[str, typer.Argument(help="The rule file in question.")],
    path: Path = ".",
    product: Product = None,
    as_json: Json = False,
) -> None:
    """Explain why a file is or is not in the block.

    Example: agguard rules why AGENTS.md
    """
    from agguard.rules.disk import Disk
    from agguard.rules.explanation import why as explained

    found = explained(os.path.abspath(file), _rendered(path, product), Disk())
    if as_json:
        output.data({**found.replace(rule=None).asdict(), "sentences": list(found.sentences)})
        return
    style = STYLES.get(found.state, "none")
    output.say(f"[bold]{output.plain(found.path)}[/] is [{style}]{found.state}[/]")
    for sentence in found.sentences:
        output.say(f"  {output.plain(sentence)}")
    output.say(f"  [dim]rules contract, section {found.section}[/]")


def lint(
    path: Path = ".",
    product: Product = None,
    form: Annotated[
        Format,
        typer.Option("--format", help="How to print.", **choice.of("--format", Format)),
    ] = Format.TEXT,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
) -> None:
    """Check the rules of a session there and below; the exit status is 1 on errors.

    Example: agguard rules lint --format github
    """
    from agguard.paths import resolve
    from agguard.rules.lint.format import as_data, as_github, as_text
    from agguard.rules.lint.linter import lint_below, relative

    folder = _folder(path)
    home = resolve(environ=os.environ).home
    found = lint_below(folder, home, product=_product(home, product))
    # Editors and GitHub read paths from where they, and so we, were started.
    findings = relative(found.findings, os.path.realpath(os.getcwd()))
    form = Format.JSON if as_json else form
    if form is Format.JSON:
        output.data(as_data(findings))
    else:
        typer.echo((as_github if form is Format.GITHUB else as_text)(findings), nl=False)
    if form is Format.TEXT:
        counts = ", ".join(
            counted(found.count(kind), kind) for kind in ("error", "warning", "notice")
        )
        output.note(counts, "red" if found.failed else "green")
    if found.failed:
        raise typer.Exit(1)


def _rendered(path: str, product: ProductName | None) -> Rendered:
    from agguard.paths import resolve
    from agguard.rules.engine import render

    home = resolve(environ=os.environ).home
    return render(_folder(path), home, product=_product(home, product))


def _folder(path: str) -> str:
    folder = os.path.abspath(path)
    if not os.path.isdir(folder):
        output.fail(f"{path} is no folder: name the folder of a session")
    return folder


def _product(home: str, product: ProductName | None) -> str:
    from agguard.rules.disk import Disk
    from agguard.rules.product import product_shown

    return product.value if product else product_shown(home, Disk()).name


def _drawn(found: Tree) -> RenderableType:
    from rich.tree import Tree as Drawing

    drawing = Drawing("[bold]rules, the widest scope first[/]")
    for scope in found.scopes:
        branch = drawing.add(_scope(scope))
        for placed in scope.rules:
            branch.add(_rule(placed, scope.folder))
    return drawing


def _inverted(found: Tree) -> list[str]:
    """Say what wins against the usual picture, in one sentence for each rule that does."""
    beaten: dict[str, list[str]] = {}
    for one in found.inversions:
        beaten.setdefault(one.outer, []).append(one.inner)
    sentences = []
    for outer, (inner, *others) in beaten.items():
        more = f" and {counted(len(others), 'more', 'more')}" if others else ""
        them = "them" if others else "it"
        sentences.append(f"{outer} stands after {inner}{more}, and so wins over {them}")
    return sentences


def _scope(scope: Scope) -> str:
    folder = f" [dim]{output.plain(scope.folder)}[/]" if scope.folder else ""
    return f"[bold]{output.plain(scope.label)}[/]{folder}"


def _rule(placed: Placed, folder: str) -> str:
    rule = placed.rule
    path = rule.path.removeprefix(f"{folder}/") if folder else rule.path
    place = f"{placed.place}. " if placed.place else ""
    cut = f", cut by {counted(rule.lost, 'byte')}" if rule.lost else ""
    style = STYLES.get(rule.state, "none")
    detail = f"{rule.state}, {counted(rule.tokens, 'token')}{cut}"
    return f"{place}{output.plain(path)} [{style}]({detail})[/]"


def _bar(found: Tree) -> str:
    full = round(found.filled * BAR)
    style = "red" if found.demoted else "green"
    text = f"{found.used:,} of {found.budget:,} tokens"
    if found.demoted:
        demoted = "more is demoted to a pointer", "more are demoted to pointers"
        text += f"; {counted(found.demoted, *demoted)}"
    if found.exempt:
        text += f"; {counted(found.exempt, 'is exempt', 'are exempt')}"
    return f"[{style}]{'█' * full}[/][dim]{'░' * (BAR - full)}[/] {text}"
