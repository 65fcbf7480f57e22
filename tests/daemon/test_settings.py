"""What controllers have set on the device; it survives a restart."""

from __future__ import annotations

from pathlib import Path

import pytest

from edged.daemon.ledger import Ledger
from edged.daemon.settings import Settings, SettingsKeeper


def test_they_are_there_after_a_restart(tmp_path: Path) -> None:
    """Volume, mute and the voice of each language, whatever was set first."""
    ledger = Ledger(tmp_path)
    keeper = SettingsKeeper(ledger)
    assert keeper.now == Settings(volume=100, muted=False, voices={})
    keeper.set_voice("zf", ("zh",))
    keeper.set_volume(0)
    keeper.set_muted(True)
    keeper.set_voice("both", ("zh", "en"))
    keeper.set_voice("af", ("en",))
    ledger.close()
    again = Ledger(tmp_path)
    kept = Settings(volume=0, muted=True, voices={"zh": "both", "en": "af"})
    assert SettingsKeeper(again).now == keeper.now == kept
    again.close()


@pytest.mark.parametrize(
    "row", [("volume", '{"volume":300}'), ("volume", "loud"), ("colour", '{"colour":1}'), ("volume", "")]
)
def test_a_row_of_another_edged_costs_only_itself(
    row: tuple[str, str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is left out and told; the device starts."""
    ledger = Ledger(tmp_path)
    SettingsKeeper(ledger).set_muted(True)
    ledger.call(lambda journal: journal.set_setting(*row))
    assert SettingsKeeper(ledger).now == Settings(muted=True)
    ledger.close()
    assert ("is not used" in caplog.text) == (row[0] != "colour")
