"""What the property tests of the configuration draw from."""

from __future__ import annotations

from hypothesis import strategies as st

from agguard.config.literal import literal
from agguard.config.schema import Schema
from agguard.config.setting import BOOL, CHOICE, FLOAT, INT, LIST, Setting

SCHEMA = Schema()
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ITEM = TEXT.filter(bool)


def value_for(setting: Setting) -> st.SearchStrategy:
    """Draw a value that fits the setting, in its compiled form."""
    if setting.kind == BOOL:
        return st.booleans()
    if setting.kind == INT:
        return st.integers(int(setting.minimum), int(setting.maximum))
    if setting.kind == FLOAT:
        return st.floats(setting.minimum, setting.maximum)
    if setting.kind == CHOICE:
        return st.sampled_from(setting.choices)
    if setting.kind == LIST:
        return st.lists(st.sampled_from("abcd") | ITEM, max_size=4, unique=True)
    return TEXT


def layers() -> st.SearchStrategy[dict]:
    """Draw fitting values for some of the settings, by dotted key."""
    return st.fixed_dictionaries({}, optional={s.key: value_for(s) for s in SCHEMA})


def pairs() -> st.SearchStrategy[tuple[Setting, object]]:
    """Draw a setting and a value that fits it."""
    return st.sampled_from(list(SCHEMA)).flatmap(lambda s: st.tuples(st.just(s), value_for(s)))


COMMENT = st.sampled_from(["# a note", "#", "#:[x]\t= 'y'", "  # set off"])
FILLING = st.lists(COMMENT | st.just("") | st.just("  "), max_size=3)
PLAIN = st.dictionaries(
    st.sampled_from(["mode", "max_depth", "other", '"quo ted"', "'lit.eral'", "add"]),
    st.one_of(
        st.integers(-9, 9).map(literal),
        TEXT.map(literal),
        st.lists(TEXT, max_size=3).map(literal),
        st.sampled_from(
            [
                "'''\n[x]\n'''",
                '"""# no\\""""',
                "[ # odd\n  1, # ]\n]",
                "{ a = [1, {b = 2}], c.d = 'x' }",
                "1979-05-27 07:32:00",
                "inf",
                "0x1F",
            ]
        ),
    ),
    max_size=3,
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Draw a TOML text as people write them: notes, empty lines, every way to spell a table."""
    top, sections = [], []
    for name in draw(st.permutations(["delegation", "rtk", "plugins", "tiers.flash"])):
        entries = draw(PLAIN)
        style = draw(st.sampled_from(["absent", "header", "dotted", "inline"]))
        if style == "header":
            note = draw(st.sampled_from(["", " # why"]))
            lines = [f"[{name}]{note}"] if entries or note else [f"[{name}] # none yet"]
            sections += draw(FILLING) + lines + _spelled(draw, entries, "{} = {}")
        elif style == "dotted":
            top += _spelled(draw, entries, name + ".{} = {}")
        elif style == "inline":
            inner = [f"{key} = {value}" for key, value in entries.items() if "\n" not in value]
            top.append(f"{name} = {{ {', '.join(inner)} }}")
    if draw(st.booleans()):
        top.append("profile = 'strict'")
    lines = draw(FILLING) + top + sections + draw(FILLING)
    ending = draw(st.sampled_from(["\n", "\r\n"]))
    text = "\n".join(lines) + draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", ending)


def _spelled(draw: st.DrawFn, entries: dict[str, str], form: str) -> list[str]:
    lines: list[str] = []
    for key, value in entries.items():
        indent = draw(st.sampled_from(["", "  "]))
        note = draw(st.sampled_from(["", "  # because"]))
        lines += [*draw(FILLING), indent + form.format(key, value) + note]
    return lines
