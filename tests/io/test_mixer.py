"""The mixer: which element is used, what it is set to, and what is left to the samples."""

from __future__ import annotations

from dataclasses import dataclass, field

import alsaaudio
import pytest

from edged.audio.gain import amplitude
from edged.config.schema import OutputConfig
from edged.io.mixer import Mixer, MixerState, control_name, open_mixer

DB = alsaaudio.VOLUME_UNITS_DB


@dataclass
class FakeHandle:
    """An element as pyalsaaudio gives it: steps in hundredths of decibels, or none at all."""

    lowest_db: float = -60.0
    highest_db: float = 0.0
    step_db: float = 0.5
    knows_db: bool = True
    has_switch: bool = True
    is_gone: bool = False
    db: float = 0.0
    percent: int = 100
    is_muted: bool = False
    is_closed: bool = False
    sets: list[float] = field(default_factory=list)

    def getrange(self, units: int) -> list[int]:
        assert units == DB
        return (
            [round(self.lowest_db * 100), round(self.highest_db * 100)] if self.knows_db else [0, 303711408]
        )

    def setvolume(self, volume: int, units: int = alsaaudio.VOLUME_UNITS_PERCENTAGE) -> None:
        if self.is_gone:
            raise alsaaudio.ALSAAudioError("No such device [fake]")
        self.sets.append(volume)
        if units == DB:
            self.db = round(volume / 100 / self.step_db) * self.step_db
        else:
            self.percent = volume

    def getvolume(self, units: int = alsaaudio.VOLUME_UNITS_PERCENTAGE) -> list[int]:
        return [round(self.db * 100)] if units == DB else [self.percent]

    def switchcap(self) -> list[str]:
        return ["Playback Mute"] if self.has_switch else []

    def volumecap(self) -> list[str]:
        return ["Playback Volume"]

    def setmute(self, value: int) -> None:
        self.is_muted = bool(value)

    def getmute(self) -> list[int]:
        return [int(self.is_muted)]

    def handleevents(self) -> int:
        return 0

    def close(self) -> None:
        self.is_closed = True


class Card:
    """Opens its elements by their names."""

    def __init__(self, **elements: FakeHandle) -> None:
        self.elements = elements
        self.asked: list[tuple[str, str]] = []

    def __call__(self, control: str, device: str) -> FakeHandle:
        self.asked.append((control, device))
        if control not in self.elements:
            raise alsaaudio.ALSAAudioError(f"Unable to find mixer control {control},0 [{device}]")
        return self.elements[control]

    def names(self, device: str) -> list[str]:
        """What alsaaudio.mixers tells."""
        assert device == "default"
        return list(self.elements)


def opened(handle: FakeHandle) -> Mixer:
    mixer = open_mixer(OutputConfig(), Card(PCM=handle))
    assert mixer
    return mixer


@pytest.mark.parametrize(
    ("elements", "found"),
    [
        (("Headphone", "Master"), "Master"),
        (("Headphone", "PCM"), "PCM"),
        (("Speaker",), "Speaker"),
        ((), None),
    ],
)
def test_the_element_is_found(elements: tuple[str, ...], found: str | None) -> None:
    """The one that all sound of the card goes through, before single ones; a card may have none."""
    card = Card(**{name: FakeHandle() for name in elements})
    mixer = open_mixer(OutputConfig(), card, card.names)
    assert (mixer.element if mixer else None) == found


def test_an_element_without_volume_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """A switch alone cannot turn anything down."""
    switch = FakeHandle()
    monkeypatch.setattr(switch, "volumecap", list)
    mixer = open_mixer(OutputConfig(), Card(Master=switch, PCM=FakeHandle()))
    assert mixer
    assert mixer.element == "PCM"
    assert switch.is_closed


def test_an_element_of_another_name_is_found_by_its_volume() -> None:
    """Cards call it what they like; where only one has a volume, it is the one."""
    switch = FakeHandle()
    switch.volumecap = list  # type: ignore[method-assign]
    card = Card(**{"Auto-Mute": switch, "Audio Output Volume Control": FakeHandle()})
    mixer = open_mixer(OutputConfig(), card, card.names)
    assert mixer
    assert mixer.element == "Audio Output Volume Control"


def test_of_several_unknown_elements_none_is_touched() -> None:
    """One of them may be what the microphone lets through to the loudspeaker."""
    card = Card(Sidetone=FakeHandle(is_muted=True), Monitor=FakeHandle())
    assert open_mixer(OutputConfig(), card, card.names) is None
    assert all(handle.is_closed and not handle.sets for handle in card.elements.values())
    assert card.elements["Sidetone"].is_muted


def test_none_asks_nothing() -> None:
    """The card is left alone."""
    card = Card(Master=FakeHandle())
    assert open_mixer(OutputConfig(mixer="none"), card) is None
    assert card.asked == []


def test_a_named_element_that_is_missing_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """The samples are turned down instead: it is heard all the same."""
    assert (
        open_mixer(OutputConfig(mixer="Lautsprecher", device="hw:CARD=A"), Card(Master=FakeHandle())) is None
    )
    assert 'the mixer of "hw:CARD=A" has no volume Lautsprecher' in caplog.text


@pytest.mark.parametrize(
    ("pcm", "control"),
    [
        ("plughw:CARD=PCH,DEV=0", "hw:PCH"),
        ("hw:1,0", "hw:1"),
        ("sysdefault:CARD=Device", "hw:Device"),
        ("default", "default"),
        ("pulse", "pulse"),
    ],
)
def test_the_mixer_of_a_pcm(pcm: str, control: str) -> None:
    """That of its card; a PCM without one may have a control of its own name."""
    assert control_name(pcm) == control


@pytest.mark.parametrize("percent", [1, 10, 33, 50, 80, 100])
@pytest.mark.parametrize("step_db", [0.25, 1.5, 3.0])
@pytest.mark.parametrize("highest_db", [0.0, 6.0, -3.0])
def test_card_and_samples_together_are_the_volume(percent: int, step_db: float, highest_db: float) -> None:
    """The perceptual curve, whatever the steps of the card; never above its full scale."""
    handle = FakeHandle(highest_db=highest_db, step_db=step_db)
    left = opened(handle).set_volume(percent)
    full = 10 ** (min(highest_db, 0.0) / 20)
    heard = 10 ** (handle.db / 20) * left
    assert left <= 1.0
    assert full * amplitude(percent) * 10 ** (-step_db / 40) <= heard * 1.001
    assert heard <= full * amplitude(percent) * 1.001


def test_the_mixer_is_never_left_at_zero() -> None:
    """However quiet, the element stays in the range in which the next program is heard; 0 is the switch."""
    handle = FakeHandle(lowest_db=-90.0)
    mixer = opened(handle)
    mixer.set_volume(1)
    assert handle.db == -40.0
    mixer.set_volume(60)
    before = handle.db
    assert mixer.set_volume(0) == 0.0
    assert (handle.db, handle.is_muted) == (before, True)
    mixer.close()
    assert not handle.is_muted
    assert handle.is_closed


def test_a_mute_by_others_ends_with_the_next_volume() -> None:
    """A card that somebody has muted would be silent for ever, and nobody at the board could tell why."""
    handle = FakeHandle(is_muted=True)
    mixer = opened(handle)
    mixer.set_volume(50)
    assert not handle.is_muted


def test_an_element_without_decibels_has_its_own_steps() -> None:
    """They are taken as they are: nobody knows what they mean, and most are perceptual already."""
    handle = FakeHandle(knows_db=False, has_switch=False)
    mixer = opened(handle)
    assert mixer.set_volume(40) == 1.0
    assert mixer.state() == MixerState("PCM", None, 40, is_muted=False)
    assert mixer.set_volume(0) == 0.0
    assert handle.percent == 40


def test_a_card_that_is_gone_leaves_all_to_the_samples(caplog: pytest.LogCaptureFixture) -> None:
    """Its PCM will tell; until then the volume is right."""
    mixer = opened(FakeHandle(is_gone=True))
    assert mixer.set_volume(50) == amplitude(50)
    assert "No such device" in caplog.text


def test_the_state_is_what_is_set() -> None:
    """In decibels where there are some, by whomever."""
    handle = FakeHandle(db=-12.5, percent=70, is_muted=True)
    mixer = opened(handle)
    assert mixer.state() == MixerState("PCM", -12.5, 70, is_muted=True)
    assert handle.sets == []
