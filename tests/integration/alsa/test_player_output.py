"""What an output does to the sound, on a sound card that keeps time and has a mixer."""

from __future__ import annotations

from collections.abc import Iterator

import alsaaudio
import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.clocked_sink import ClockedSink, trim
from edged.audio.limiter import CEILING_DBFS
from edged.audio.true_peak import true_peak_dbfs
from edged.config.schema import OutputConfig
from edged.io.mixer import read_mixer
from edged.workers.messages import PlayDone, PlayStarted, SetVolume
from tests.integration.alsa.conftest import DEADLINE_S, RATE_HZ, PlayerFactory, never_silent

pytestmark = pytest.mark.alsa

TAIL_FRAMES = RATE_HZ // 5


def as_heard(samples: NDArray[np.float32]) -> NDArray[np.int16]:
    return np.repeat(np.rint(samples * 2**15).astype(np.int16)[:, None], 2, axis=1)


@pytest.mark.parametrize("idle", ["keep_open", "close_after"])
def test_the_first_word_after_idle_is_whole(player: PlayerFactory, card: ClockedSink, idle: str) -> None:
    """With a lead-in, on a kept and on a closed device: the second announcement has all its samples."""
    speech = never_silent(0.3)
    with player(idle=idle, close_after_s=0.2, lead_in_ms=200) as child:
        child.play(speech, "a")
        child.wait_for(PlayDone)
        with card.record() as recording:
            child.play(speech, "b")
            child.wait_for(PlayDone)
            heard = recording.until_silent(TAIL_FRAMES, DEADLINE_S)
    assert np.array_equal(trim(heard), as_heard(speech))


def test_nothing_is_heard_above_the_ceiling(player: PlayerFactory, card: ClockedSink) -> None:
    """Full-scale noise through a gain of 6 dB, dithered to 16 bits: -1 dBFS true peak on the recording."""
    noise = np.random.default_rng(5).uniform(-1, 1, RATE_HZ).astype(np.float32)
    with card.record() as recording, player(gain_db=6, dither=True, preset="noisy") as child:
        child.play(noise)
        child.wait_for(PlayDone)
        heard = trim(recording.until_silent(TAIL_FRAMES, DEADLINE_S))[:, 0]
    peak_dbfs = true_peak_dbfs((heard / 2**15).astype(np.float32))
    assert CEILING_DBFS - 1.0 < peak_dbfs <= CEILING_DBFS + 0.01  # a step of dither


@pytest.mark.parametrize(("used", "silent"), [("left", [1]), ("right", [0]), ([1], [0])])
def test_only_the_chosen_channels_sound(
    player: PlayerFactory, card: ClockedSink, used: object, silent: list[int]
) -> None:
    """The others are digital silence."""
    speech = never_silent(0.3)
    with card.record() as recording, player(channels_used=used) as child:
        child.play(speech)
        child.wait_for(PlayDone)
        recording.until_heard(len(speech), DEADLINE_S)
        heard = recording.samples()
    expected = as_heard(speech)
    expected[:, silent] = 0
    assert np.array_equal(heard[heard.any(axis=1)], expected)  # a busy machine may have made a gap


def test_noise_keeps_an_amplifier_awake(player: PlayerFactory, card: ClockedSink) -> None:
    """Two seconds of it in the recording have no silence of a tenth of a second, and are as soft as asked."""
    with player(idle="keepalive", keepalive_db=-70.0), card.record() as recording:
        recording.until_heard(2 * RATE_HZ, DEADLINE_S)
        heard = recording.samples()[:, 0].astype(float)
    noise = heard[np.flatnonzero(heard)[0] :]
    assert np.diff(np.flatnonzero(noise)).max() < RATE_HZ // 10
    assert 20 * np.log10(np.sqrt(np.mean(noise**2)) / 2**15) == pytest.approx(-70.0, abs=1.0)


@pytest.fixture
def mixer(card: ClockedSink) -> Iterator[alsaaudio.Mixer]:
    """The card's element Master; the player finds it by itself."""
    asound = card.folder / "asound.conf"
    before = asound.read_text()
    asound.write_text(before + f'ctl.clocked {{ type pulse server "unix:{card.folder}/native" }}\n')
    handle = alsaaudio.Mixer("Master", device="clocked")
    yield handle
    handle.setvolume(100)
    handle.setmute(0)
    asound.write_text(before)


def test_the_volume_is_that_of_the_card(player: PlayerFactory, mixer: alsaaudio.Mixer) -> None:
    """Set when an announcement begins, also again after others have changed it; the state can be read."""
    with player(mixer="Master") as child:
        child.channel.send(SetVolume(percent=40))
        for job_id in "ab":
            child.play(never_silent(0.2), job_id)
            child.wait_for(PlayStarted)
            state = read_mixer(OutputConfig(device="clocked"))
            assert state
            assert (state.element, state.percent, state.is_muted) == ("Master", 40, False)
            child.wait_for(PlayDone)
            mixer.setvolume(90)
            mixer.setmute(1)


def test_the_card_is_not_left_at_zero(player: PlayerFactory, mixer: alsaaudio.Mixer) -> None:
    """A volume of 0 is the mute switch, and the player's end opens it: the next program is heard."""
    with player() as child:
        child.channel.send(SetVolume(percent=60))
        child.play(never_silent(0.2), "a")
        child.wait_for(PlayDone)
        child.channel.send(SetVolume(percent=0))
        child.play(never_silent(0.2), "b")
        child.wait_for(PlayStarted)
        muted = read_mixer(OutputConfig(device="clocked"))
        child.wait_for(PlayDone)
    left = read_mixer(OutputConfig(device="clocked"))
    assert muted
    assert left
    assert (muted.percent, muted.is_muted) == (60, True)
    assert (left.percent, left.is_muted) == (60, False)


def test_without_a_volume_from_main_the_card_is_left_alone(
    player: PlayerFactory, mixer: alsaaudio.Mixer
) -> None:
    """`edged play` sets none."""
    mixer.setvolume(30)
    with player() as child:
        child.play(never_silent(0.2))
        child.wait_for(PlayDone)
    assert mixer.getvolume()[0] == 30
