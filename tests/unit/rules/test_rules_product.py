"""The products' profiles."""

from __future__ import annotations

import pytest

from agguard.errors import ConfigError
from agguard.rules.product import PRODUCTS, product_named, product_shown
from unit.rules.shelf import Shelf


def test_only_the_oracles_profile_is_measured() -> None:
    assert [each.name for each in PRODUCTS if each.measured] == ["sdk"]


def test_an_unknown_product_names_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match="unknown product 'vim': choose one of cli, app, ide, sdk"
    ):
        product_named("vim")


@pytest.mark.parametrize(
    ("artifact", "expected"),
    [
        ("/h/.gemini/antigravity/brain/1/x.jsonl", "app"),
        ("/h/.gemini/antigravity-cli/brain/1/x.jsonl", "cli"),
        (r"C:\Users\u\.gemini\antigravity-ide\brain\1", "ide"),
        ("/h/elsewhere/antigravity-cli", "app"),
        ("", "app"),
    ],
)
def test_the_sessions_paths_show_the_product(artifact: str, expected: str) -> None:
    assert product_shown("/h", Shelf({}), artifact=artifact).name == expected


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        (["antigravity-cli"], "cli"),
        (["antigravity-ide"], "ide"),
        (["antigravity-cli", "antigravity-ide"], "app"),
        ([], "app"),
    ],
)
def test_a_machine_with_one_product_shows_it(folders: list[str], expected: str) -> None:
    shelf = Shelf({f"/h/.gemini/{folder}/x": "" for folder in folders})
    assert product_shown("/h", shelf).name == expected
