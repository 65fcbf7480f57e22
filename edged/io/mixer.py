"""The mixer of a card: volume where the card has one, so that quiet announcements keep all their bits."""

from __future__ import annotations

import contextlib
import functools
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass

import alsaaudio

from edged.audio.gain import amplitude
from edged.audio.level import dbfs
from edged.config.schema import OutputConfig
from edged.io.libasound import silence_libasound

# What is found first is used: what all outputs of a card go through, before single ones.
ELEMENTS = ("Master", "PCM", "Digital", "Speaker", "Headphone")
# Below this the samples are turned down: the lowest steps of many cards are far apart or silent, and a
# mixer left there would seem broken to the next program.
_RANGE_DB = 40.0
_LIKELY_DB = range(-150, 60)  # of an element without decibels ALSA tells whatever lay in memory
_HUNDREDTHS = 100  # ALSA's decibels

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class MixerState:
    """What is set: in decibels where the element knows them, else in percent of its steps."""

    element: str
    db: float | None
    percent: int
    is_muted: bool


class Mixer:
    """One element of a card's mixer."""

    def __init__(self, element: str, handle: alsaaudio.Mixer) -> None:
        self.element = element
        self._handle = handle
        self._range_db = _range_db(handle)

    def set_volume(self, percent: int) -> float:
        """Make it this loud (0 to 100, perceptual); gives the gain, 0 to 1, that is left to the samples.

        0 is the mute switch and silent samples: the element stays where it was.
        """
        try:
            return self._set(percent)
        except alsaaudio.ALSAAudioError as error:  # a card that is gone; its PCM will tell
            log.warning("mixer element %s: %s; the samples are turned down instead", self.element, error)
            return amplitude(percent)

    def state(self) -> MixerState:
        """What is set now, by us or by others."""
        db = self._read_db() if self._range_db else None
        return MixerState(self.element, db, self._handle.getvolume()[0], self._is_muted())

    def close(self) -> None:
        """Let go of it, not muted: others may want to be heard."""
        with contextlib.suppress(alsaaudio.ALSAAudioError):  # of a card that is gone
            self._mute(False)
        self.let_go()

    def let_go(self) -> None:
        """Leave it as it is."""
        self._handle.close()

    def _set(self, percent: int) -> float:
        self._handle.handleevents()  # ALSA believes to know what is set, and would not set the same again
        self._mute(not percent)
        if not percent:
            return 0.0
        if self._range_db is None:
            self._handle.setvolume(percent)
            return 1.0
        lowest_db, top_db = self._range_db
        wanted_db = top_db + dbfs(amplitude(percent))
        set_db = max(wanted_db, lowest_db)
        self._handle.setvolume(round(set_db * _HUNDREDTHS), units=alsaaudio.VOLUME_UNITS_DB)
        return min(1.0, float(10 ** ((wanted_db - self._read_db()) / 20)))

    def _read_db(self) -> float:
        return float(self._handle.getvolume(units=alsaaudio.VOLUME_UNITS_DB)[0] / _HUNDREDTHS)

    def _mute(self, is_muted: bool) -> None:
        if "Playback Mute" in self._handle.switchcap():
            self._handle.setmute(int(is_muted))

    def _is_muted(self) -> bool:
        return "Playback Mute" in self._handle.switchcap() and all(self._handle.getmute())


def open_mixer(
    config: OutputConfig,
    open_handle: Callable[..., alsaaudio.Mixer] = alsaaudio.Mixer,
    list_elements: Callable[..., list[str]] = alsaaudio.mixers,
) -> Mixer | None:
    """The element that `config` names or that is found; None when the samples must be turned down instead.

    Found is one of the usual names, or the only one with a volume: of several that nobody knows, one may be
    what a microphone lets through.
    """
    if config.mixer == "none":
        return None
    silence_libasound()
    device = control_name(config.device)
    if config.mixer != "auto":
        named = _with_volume(config.mixer, device, open_handle)
        if named is None:
            _tell_missing(config.device, config.mixer)
        return named
    for element in ELEMENTS:
        if mixer := _with_volume(element, device, open_handle):
            return mixer
    others = [_with_volume(name, device, open_handle) for name in _elements(device, list_elements)]
    found = [mixer for mixer in others if mixer]
    if len(found) == 1:
        return found[0]
    for mixer in found:
        mixer.let_go()
    return None


def _elements(device: str, list_elements: Callable[..., list[str]]) -> list[str]:
    with contextlib.suppress(alsaaudio.ALSAAudioError):  # this card has no mixer
        return list(dict.fromkeys(list_elements(device=device)))
    return []


def _with_volume(element: str, device: str, open_handle: Callable[..., alsaaudio.Mixer]) -> Mixer | None:
    with contextlib.suppress(alsaaudio.ALSAAudioError):  # this card has no such element
        handle = open_handle(control=element, device=device)
        if "Playback Volume" in handle.volumecap():
            return Mixer(element, handle)
        handle.close()
    return None


@functools.cache  # once: it is asked at every opening
def _tell_missing(device: str, element: str) -> None:
    log.warning('the mixer of "%s" has no volume %s; the samples are turned down instead', device, element)


def read_mixer(config: OutputConfig) -> MixerState | None:
    """What the mixer of an output is set to; None where none is used. Nothing is changed."""
    mixer = open_mixer(config)
    return mixer.state() if mixer else None


def control_name(device: str) -> str:
    """The mixer's name for a PCM's: that of the card if the PCM names one, else the PCM's own."""
    card = re.match(r"[a-z]\w*:(?:CARD=)?([^,]+)", device)
    return f"hw:{card[1]}" if card else device


def _range_db(handle: alsaaudio.Mixer) -> tuple[float, float] | None:
    """From the lowest used to full scale; above it the card would clip."""
    lowest, highest = (db / _HUNDREDTHS for db in handle.getrange(units=alsaaudio.VOLUME_UNITS_DB))
    if int(highest) not in _LIKELY_DB or lowest >= highest:
        return None
    top_db = min(highest, 0.0)
    return max(lowest, top_db - _RANGE_DB), top_db
