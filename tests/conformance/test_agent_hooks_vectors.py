"""The vectors of agent-hooks-sdk that state how guards compose, and how one that fails counts.

Every vector is either run here or listed with the reason why it does not apply: a vector that is
neither, as after an upgrade, fails.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.append(str(Path(__file__).parent))

from interceptors import LEAKED, asked, composed, scripts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from interceptors import Composed

SPEC = importlib.util.find_spec("agent_hooks")  # not imported: its native core is not under test
if SPEC is None or not SPEC.submodule_search_locations:
    pytest.skip("needs agent-hooks-sdk[ctk]", allow_module_level=True)

FOLDER = Path(next(iter(SPEC.submodule_search_locations))) / "ctk" / "vectors"
VECTORS: dict[str, dict[str, Any]] = {
    path.name[:10]: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(FOLDER.glob("AH-CTK-*.json"))
    if path.name[7:10] != "091"  # its text is not JSON on purpose; listed below
}

RUN = {
    "AH-CTK-010": "deny-pre-tool",
    "AH-CTK-020": "transform-tool-args",
    "AH-CTK-021": "transform, with the older name of the path",
    "AH-CTK-030": "an approval lifts what may be lifted",
    "AH-CTK-031": "a rejection leaves the denial standing",
    "AH-CTK-032": "with nobody to approve the denial stands",
    "AH-CTK-040": "evaluate_only: a denial is recorded and not enforced",
    "AH-CTK-050": "a warning passes and is kept",
    "AH-CTK-060": "fold-through",
    "AH-CTK-061": "zero interceptors fail closed",
    "AH-CTK-070": "an interceptor raises",
    "AH-CTK-071": "an interceptor answers garbage",
    "AH-CTK-073": "a failing approval permits nothing",
    "AH-CTK-080": "first deny, approved: the fold goes on to later interceptors",
    "AH-CTK-081": "all are asked past a denial",
    "AH-CTK-082": "one approval lifts all that may be lifted",
    "AH-CTK-083": "a plain denial beside it cannot be lifted, so nobody is asked",
    "AH-CTK-084": "parallel/strictest: nobody sees the other's transform, and one applies",
    "AH-CTK-085": "parallel/strictest: two transforms are a conflict, which denies",
    "AH-CTK-094": "the failure's denial names who failed",
    "AH-CTK-097": "a failure fills its own slot only",
    "AH-CTK-101": "evaluate_only with zero interceptors: the denial is recorded, not enforced",
    "AH-CTK-104": "what an interceptor changes in its copy reaches nobody",
}

POINTS = "about points of interception that our hosts do not have"
ANSWERS = "an approval of ours is a yes or a no: it carries no verdict, transform or identity"
IN_TURN = "the user is asked once, with all reasons, and not once for each of them"
DISAGREE = "a conflict of ours is denied and not put up for approval"
RECORDS = "about the record format and identities of its own host"
STREAMS = "hosts do not show us output while it is streamed"
DECLARES = "about the declaration document of its own host; ours is pluggy and config.toml"
DOMAIN = "about its canonical form of JSON; a host's arguments are taken as they come"

NOT_OURS = {
    **dict.fromkeys(("001", "002", "003", "011", "012", "022", "074", "100"), POINTS),
    **dict.fromkeys(("072", "098", "099", "103"), ANSWERS),
    **dict.fromkeys(("086", "088"), DISAGREE),
    "105": IN_TURN,
    **dict.fromkeys(("089", "093", "096"), RECORDS),
    **dict.fromkeys(("090", "091", "092", "095"), DOMAIN),
    **dict.fromkeys((str(number) for number in range(110, 114)), STREAMS),
    **dict.fromkeys((str(number) for number in range(120, 144)), DECLARES),
    "087": "no profile of ours asks for unanimity",
    "102": "a rewrite of ours is a whole command and cannot fail to apply",
}

CHECKED = ("verdict.decision", "verdict.reason", "decided_by", "verdict.warnings[0].reason")
OF_ITS_HOST = (
    "composition.",
    "fold_truncated",
    "identity_provider",
    "mode",
    "resolved_by",
    "verdict.result_labels",
)
"""Assertions about records that only its own host writes."""

REJECTED = "ctk:rejected"
"""The words of whoever rejects, which no host of ours hands over."""

WORDS = {
    "host_error:no_interceptor": "there is no guard to judge this call",
    "host_error:transform_conflict": "rewrite this command each in another way",
}
"""What we say where its own host gives a reason of its own."""


def test_every_vector_is_run_or_listed_with_a_reason() -> None:
    """Nothing is left out by silence."""
    known = {*RUN, *(f"AH-CTK-{number}" for number in NOT_OURS)}
    assert {*VECTORS, "AH-CTK-091"} == known
    assert not RUN.keys() & {f"AH-CTK-{number}" for number in NOT_OURS}


@pytest.mark.parametrize("vector", RUN)
def test_a_vector_holds(vector: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool is invoked or not, with the arguments, the verdicts and the culprit expected."""
    monkeypatch.syspath_prepend(str(tmp_path))
    stated = VECTORS[vector]
    expected = stated["expect"]

    found = composed(stated, tmp_path)

    name, _ = asked(stated)
    assert LEAKED not in found.args.values()
    if name in expected.get("tool_not_invoked", ()) or expected["run_outcome"] == "blocked":
        assert not found.is_permitted
    for invoked in expected.get("tool_invocations", ()):
        assert found.is_permitted
        assert found.args == invoked["args"]
    assert found.consulted == sum("resolved_by" in one["assert"] for one in _records(expected))
    assert len(found.failed) == sum("fault" in x and x["fault"] != "mutate" for x in _items(stated))
    for record in _records(expected):
        for key, wanted in record["assert"].items():
            _check(found, key, wanted)


def _records(expected: dict[str, Any]) -> list[dict[str, Any]]:
    return list(expected.get("records", ()))


def _items(stated: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for script in scripts(stated):
        yield from script


def _check(found: Composed, key: str, wanted: Any) -> None:
    if key.startswith(OF_ITS_HOST) or wanted == REJECTED:
        return
    if key.startswith("verdicts["):
        place, _, part = key.removeprefix("verdicts[").partition("].")
        decision, reason = found.verdicts[int(place)]
        if wanted == "transform" and found.decision == "deny":
            return  # what is denied is not offered for a rewrite, so nobody is asked for one
        assert {"decision": decision, "reason": reason}[part] == wanted, key
        return
    assert key in CHECKED, f"nothing checks {key}"
    texts = [reason.text for reason in found.reasons]
    if key == "verdict.reason" and wanted in WORDS:
        assert WORDS[wanted] in texts[0]
        assert found.reasons[0].guard == "agguard"
        return
    said = {
        "verdict.decision": found.decision,
        "verdict.reason": texts[0] if texts else "",
        "decided_by": found.decided_by,
        "verdict.warnings[0].reason": wanted if wanted in texts else texts,
    }
    assert said[key] == wanted
