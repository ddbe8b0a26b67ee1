"""How a hook imports agguard: the same modules as ever, and never old ones."""

from __future__ import annotations

import json
import os
import py_compile
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"

ATTRIBUTES = """
import importlib, json, os, sys
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "ours":
    from agguard.importer import Importer
    sys.meta_path.insert(0, Importer(sys.argv[1]))
facts = {}
for name in sys.argv[3:]:
    module = importlib.import_module(name)
    facts[name] = {
        key: getattr(module, key, None)
        for key in ("__file__", "__cached__", "__package__", "__path__", "__doc__", "__name__")
    }
    facts[name]["names"] = sorted(vars(module))
    facts[name]["origin"] = module.__spec__.origin
    facts[name]["has_location"] = module.__spec__.has_location
print(json.dumps(facts))
"""


def python(*arguments: str) -> str:
    """Run Python as the launcher does, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def facts(how: str, site: Path, *names: str) -> dict[str, dict[str, object]]:
    """Import modules in a new process, and return what they are like."""
    found: dict[str, dict[str, object]] = json.loads(python(ATTRIBUTES, str(site), how, *names))
    return found


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """Return a folder with copies of agguard's two packages, without bytecode."""
    for package in ("agguard", "agguard_builtin"):
        skip = shutil.ignore_patterns("__pycache__")
        shutil.copytree(SOURCE / package, tmp_path / package, ignore=skip)
    return tmp_path


def test_modules_are_what_the_usual_search_makes_of_them(site: Path) -> None:
    """Every attribute that the import system sets is the same, for packages and modules."""
    names = ("agguard.pipeline", "agguard.pipeline.hook", "agguard_builtin.rtk", "agguard.shell")
    assert facts("ours", site, *names) == facts("usual", site, *names)


VALUE = "import agguard.probe; print(agguard.probe.VALUE)"


def probe(site: Path) -> str:
    """Return what `agguard.probe` says when a hook imports it."""
    start = "import sys; sys.path.insert(0, sys.argv[1]); from agguard.importer import Importer; "
    return python(f"{start}sys.meta_path.insert(0, Importer(sys.argv[1])); {VALUE}", str(site))


def write(site: Path, text: str, at: float) -> Path:
    """Write `agguard.probe` with a time of change, in seconds."""
    path = site / "agguard" / "probe.py"
    path.write_text(text)
    os.utime(path, (at, at))
    return path


class TestBytecode:
    """The bytecode beside a source counts only if it was made from that source."""

    def test_it_is_written_once_and_then_taken(self, site: Path) -> None:
        """The second process does not look into the source: it has the old text's value."""
        path = write(site, "VALUE = 'old'\n", 1_000_000)
        assert probe(site) == "old\n"
        write(site, "VALUE = 'new'\n", 1_000_000)  # same size, same time: taken for the same
        assert probe(site) == "old\n"
        assert list((path.parent / "__pycache__").glob("probe.*"))

    @pytest.mark.parametrize(
        ("text", "at"),
        [("VALUE = 'new'\n", 1_000_001), ("VALUE = 'new' \n", 1_000_000)],
        ids=["another time", "another size"],
    )
    def test_a_changed_source_is_read_again(self, site: Path, text: str, at: float) -> None:
        """By its time or by its size, as Python itself tells."""
        write(site, "VALUE = 'old'\n", 1_000_000)
        probe(site)
        write(site, text, at)
        assert probe(site) == "new\n"

    @pytest.mark.parametrize("data", [b"", b"\x00" * 15, b"\x00" * 4000], ids=len)
    def test_what_is_no_bytecode_is_passed_by(self, site: Path, data: bytes) -> None:
        """Empty, cut off, or of another Python."""
        path = write(site, "VALUE = 'right'\n", 1_000_000)
        probe(site)
        next((path.parent / "__pycache__").glob("probe.*")).write_bytes(data)
        assert probe(site) == "right\n"

    def test_a_folder_in_its_place_is_passed_by(self, site: Path) -> None:
        """Then the source is compiled each time."""
        path = write(site, "VALUE = 'right'\n", 1_000_000)
        probe(site)
        cached = next((path.parent / "__pycache__").glob("probe.*"))
        cached.unlink()
        cached.mkdir()
        assert probe(site) == "right\n"

    def test_bytecode_checked_by_hash_is_left_to_python(self, site: Path) -> None:
        """Distributions ship it so (PEP 552); a changed source is noticed as ever."""
        path = write(site, "VALUE = 'old'\n", 1_000_000)
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        py_compile.compile(str(path), invalidation_mode=mode)
        assert probe(site) == "old\n"
        write(site, "VALUE = 'new'\n", 1_000_000)
        assert probe(site) == "new\n"

    def test_a_module_larger_than_one_read_is_left_to_python(self, site: Path) -> None:
        """Half a module is never run."""
        many = "".join(f"name_{number} = {number!r}\n" for number in range(20_000))
        write(site, f"{many}VALUE = 'whole'\n", 1_000_000)
        assert [probe(site), probe(site)] == ["whole\n", "whole\n"]


@pytest.mark.parametrize(
    "name", ["json", "agguards", "agguard_terraform", "agguard.nothing", "agguard_builtin.nothing"]
)
def test_other_names_are_left_to_the_other_finders(name: str) -> None:
    """A stranger's package, and a module that is not there."""
    from agguard.importer import Importer

    assert Importer(str(SOURCE)).find_spec(name) is None


class TestLocated:
    """Third parties' modules are imported from where the manifest says that they lie."""

    @pytest.mark.parametrize("leaf", ["guard_one.py", "guard_two/__init__.py"])
    def test_they_are_what_the_usual_search_makes_of_them(self, tmp_path: Path, leaf: str) -> None:
        """A package still finds its own modules."""
        path = tmp_path / leaf
        path.parent.mkdir(exist_ok=True)
        path.write_text("VALUE = 1\n")
        (path.parent / "beside.py").write_text("VALUE = 2\n")
        name = leaf.partition("/")[0].removesuffix(".py")
        start = "import json, sys; sys.path[:0] = sys.argv[1:3]; "
        ours = "from agguard.importer import Located; sys.meta_path.insert(0, Located({0!r})); "
        show = (
            f"import {name} as made; spec = made.__spec__; print(made.__file__, made.__cached__, "
            "made.__package__, getattr(made, '__path__', ''), spec.origin, spec.parent)\n"
            f"if spec.parent: import {name}.beside as it; print(it.__file__, it.VALUE)"
        )
        usual = python(start + show, str(SOURCE), str(tmp_path))
        located = start + ours.format({name: str(path)}) + show
        assert python(located, str(SOURCE), str(tmp_path)) == usual

    @pytest.mark.parametrize("sources", [{}, {"here": ""}, {"here": "/nothing/here.py"}], ids=str)
    def test_what_is_not_there_is_left_to_the_search(self, sources: dict[str, str]) -> None:
        """As when the file has moved since."""
        from agguard.importer import Located

        assert Located(sources).find_spec("here") is None

    def test_many_hooks_in_one_process_gather_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Each is asked first, in the place of the one before; the other finders stay."""
        from agguard.importer import Located

        before = [finder for finder in sys.meta_path if not isinstance(finder, Located)]
        monkeypatch.setattr(sys, "meta_path", list(before))
        for _ in range(3):
            newest = Located({})
            newest.come_first()

        assert sys.meta_path == [newest, *before]
