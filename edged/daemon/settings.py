"""What controllers have set on the device itself; it survives a restart."""

from __future__ import annotations

import logging

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from edged.daemon.ledger import Ledger
from edged.text.sentence import Lang

log = logging.getLogger(__name__)


class Settings(BaseModel):
    """`volume` 0 to 100, perceptual; `voices`: the voice of a language when a request names none."""

    model_config = ConfigDict(frozen=True, strict=True)

    volume: int = Field(100, ge=0, le=100)
    muted: bool = False
    voices: dict[Lang, str] = {}


class SettingsKeeper:
    """`now` are the settings in force. Each one is a row of the journal, written when it changes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.now = _read(ledger.call(lambda journal: journal.settings()))

    def set_volume(self, percent: int) -> None:
        """0 to 100."""
        self._keep(self.now.model_copy(update={"volume": percent}), "volume")

    def set_muted(self, is_muted: bool) -> None:
        """Whether only emergencies are spoken."""
        self._keep(self.now.model_copy(update={"muted": is_muted}), "muted")

    def set_voice(self, voice: str, langs: tuple[Lang, ...]) -> None:
        """`voice` speaks these languages from now on."""
        voices = {**self.now.voices, **dict.fromkeys(langs, voice)}
        self._keep(self.now.model_copy(update={"voices": voices}), "voices")

    def _keep(self, settings: Settings, name: str) -> None:
        self.now = settings
        value = settings.model_dump_json(include={name})
        self._ledger.call(lambda journal: journal.set_setting(name, value))


def _read(rows: dict[str, str]) -> Settings:
    """The settings kept under their names; one that another edged wrote and this one refuses is left out."""
    settings = Settings()
    for name, value in rows.items():
        try:
            kept = Settings.model_validate_json(value)
        except ValidationError as error:
            log.warning("setting %s = %s is not used: %s", name, value, error.errors()[0]["msg"])
            continue
        settings = settings.model_copy(update=kept.model_dump(exclude_unset=True))
    return settings
