"""Templates and spelled segments, from the message on the broker to what is heard."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.running_daemon import RunningDaemon
from tests.integration.sound import is_same, sounds_in, spoken

SITE = """\
welcome:
  slots:
    guest: {type: text}
    room: {type: place, optional: true, zh: "，请到{}号房间", en: ", go to room {}"}
  zh: "欢迎{guest}{room}"
broken: {zh: "{guest}"}
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A file with a good template and a broken one, there before the daemon starts in this folder."""
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "templates.yaml").write_text("paths: {templates_dir: templates}\n")
    (tmp_path / "templates").mkdir()
    file = tmp_path / "templates" / "site.yaml"
    file.write_text(SITE, encoding="utf-8")
    return file


def test_a_bad_template_leaves_the_others_and_is_reported(site: Path, recorded: RunningDaemon) -> None:
    """State and log name file, line, key and reason; what is good of the same file is announced."""
    problem = f"{site}:6 broken.zh: {{guest}} is not among the slots"
    assert problem in recorded.wait_state("degraded")["reason"]
    recorded.wait_log(problem)
    recorded.request(id="site", template="welcome", vars={"guest": "李女士", "room": 12, "hall": 1})
    assert (recorded.result("site")["status"], recorded.result("site")["warnings"]) == (
        "finished",
        ["unknown_field: vars.hall"],
    )
    (heard,) = sounds_in(recorded.folder)
    assert is_same(heard, spoken("欢迎李女士，请到十二号房间"))


def test_wrong_vars_are_rejected_before_anything_is_heard(recorded: RunningDaemon) -> None:
    """The result names template and var, and says what was expected."""
    recorded.request(id="missing", template="ticket_call", vars={"ticket": "A015"})
    recorded.request(id="odd", template="ticket_call", vars={"ticket": "A015", "counter": -3})
    recorded.request(id="unknown", template="ticket_cal", vars={})
    results = [recorded.result(name) for name in ("missing", "odd", "unknown")]
    assert [(r["status"], r["code"]) for r in results] == [("rejected", "bad_field")] * 3
    assert results[0]["reason"] == "template ticket_call: vars.counter: missing"
    assert results[1]["reason"].startswith("template ticket_call: vars.counter: expected a number")
    assert results[2]["reason"] == "template: 'ticket_cal' is not known; known: ticket_call"
    assert [r["audio_ms"] for r in results] == [None] * 3
