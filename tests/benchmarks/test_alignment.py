"""What is wrong with a recording is found, counted, and told from what is only late."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.alignment import Judgement, Samples, judge
from edged.audio.fade import fade_out, rise

RATE_HZ = 48000
FADE = RATE_HZ // 100


def speech(seconds: float = 3.0) -> Samples:
    """Tones of 80 ms at random, with a pause: nothing of it comes twice."""
    chance = np.random.default_rng(7)
    tones = []
    for _ in range(round(seconds / 0.08)):
        t = np.arange(3840) / RATE_HZ
        envelope = np.clip(np.minimum(t, t[-1] - t) / 0.005, 0, 1)
        tones.append(envelope * np.sin(2 * np.pi * chance.uniform(300, 1900) * t))
    tones.insert(len(tones) // 3, np.zeros(RATE_HZ // 2))
    sound: Samples = np.rint(10000 * np.concatenate(tones)).astype(np.int32)
    edges = np.flatnonzero(sound)[[0, -1]]
    trimmed: Samples = sound[edges[0] : edges[1] + 1]
    return trimmed


def silence(frames: int) -> Samples:
    return np.zeros(frames, np.int32)


def faded(samples: Samples) -> Samples:
    return np.rint(fade_out(samples.astype(np.float32))).astype(np.int32)


def stalled(sound: Samples, at: int, gap: int) -> Samples:
    """As the player bridges a stall of `gap` frames: what it held fades out, the rest fades in."""
    cut = at + FADE
    rest = sound[cut:].astype(np.float32)
    rest[:FADE] *= rise(FADE)
    head = (sound[:at], faded(sound[at:cut]))
    return np.concatenate((*head, silence(gap), np.rint(rest).astype(np.int32)))


def test_the_same_is_the_same() -> None:
    """Silence around it, and a rounding, do not matter."""
    sound = speech()
    heard = np.concatenate((silence(1000), sound + 1, silence(5000)))
    heard[:1000] = heard[-5000:] = 0
    assert judge(heard, sound, stopped=False) == Judgement()


def test_the_softest_samples_do_not_tell_where_it_begins() -> None:
    """A voice fades in from nothing, and a step of one is rounded away."""
    sound = np.concatenate((np.full(1, 1, np.int32), silence(29), speech()))
    assert judge(sound[30:], sound, stopped=False) == Judgement()
    assert judge(sound, sound[30:], stopped=False) == Judgement()


@pytest.mark.parametrize("gap", [1, 960, 5 * RATE_HZ])
@pytest.mark.parametrize("at", [3000, 20_000, 47_900, 60_000, 140_000])
def test_a_stall_is_no_fault(at: int, gap: int) -> None:
    """In a tone, between two, in a pause, close to the end; of any length."""
    sound = speech()
    found = judge(np.concatenate((silence(99), stalled(sound, at, gap))), sound, stopped=False)
    assert (found.frames_lost, found.frames_repeated, found.clicks) == (0, 0, 0)
    assert found.stalls <= 1
    if sound[at : at + 2 * FADE].any():
        assert found.stalls == 1


def test_two_stalls_are_two() -> None:
    """Each is a join of its own."""
    sound = speech()
    first = stalled(sound, 20_000, 960)
    assert judge(stalled(first, 100_000, 2000), sound, stopped=False) == Judgement(stalls=2)


def test_a_longer_pause_is_a_stall_whatever_rounding_left_in_it() -> None:
    """A step of one in silence is no sound."""
    sound = speech()
    pause = 50_000  # within the half second without tones
    assert not sound[pause - 100 : pause + 100].any()
    longer = silence(9000)
    longer[4000] = -1
    heard = np.concatenate((sound[:pause], longer, sound[pause:]))
    assert judge(heard, sound, stopped=False) == Judgement(stalls=1)


@pytest.mark.parametrize("frames", [1, 480, 5000])
def test_lost_frames_are_counted(frames: int) -> None:
    """To the frame, wherever they were."""
    sound = speech()
    heard = np.concatenate((sound[:21_000], sound[21_000 + frames :]))
    assert judge(heard, sound, stopped=False).frames_lost == frames


@pytest.mark.parametrize("frames", [10, 480, 5000])
def test_repeated_frames_are_counted(frames: int) -> None:
    """To the frame, but for those that are silence by chance."""
    sound = speech()
    heard = np.concatenate((sound[:21_000], sound[21_000 - frames :]))
    assert judge(heard, sound, stopped=False).frames_repeated == pytest.approx(frames, abs=3)


def test_frames_lost_in_a_stall_are_seen() -> None:
    """The fade is there, and behind it a part is missing."""
    sound = speech()
    heard = stalled(np.concatenate((sound[:20_000], sound[20_480:])), 20_000 - FADE, 0)
    assert judge(heard, sound, stopped=False).frames_lost == 480


def test_a_device_that_runs_dry_twice_clicks_and_repeats_nothing() -> None:
    """A few samples between two gaps are too few to be found again; they are the right ones all the same."""
    sound = speech()
    first, second = 20_000, 22_900
    gaps = (silence(34_000), silence(7000))
    heard = np.concatenate((sound[:first], gaps[0], sound[first:second], gaps[1], sound[second:]))
    found = judge(heard, sound, stopped=False)
    assert (found.frames_lost, found.frames_repeated, found.clicks) == (0, 0, 1)


@pytest.mark.parametrize("gap", [0, 960])
def test_silence_in_place_of_a_sound_is_a_loss(gap: int) -> None:
    """However smoothly it begins and ends."""
    sound = speech()
    rise_again = np.rint(sound[24_000:24_480] * rise(FADE)).astype(np.int32)
    parts = (sound[:20_000], faded(sound[20_000:20_480]), silence(3520 + gap), rise_again, sound[24_480:])
    assert judge(np.concatenate(parts), sound, stopped=False).frames_lost >= 3520


def test_a_cut_without_a_fade_is_a_click() -> None:
    """Silence put into the middle of a tone."""
    sound = speech()
    at = 20_000 + int(np.argmax(np.abs(sound[20_000:20_200])))
    found = judge(np.concatenate((sound[:at], silence(960), sound[at:])), sound, stopped=False)
    assert found.clicks == 1
    assert found.frames_lost == 0


def test_a_stop_fades_out() -> None:
    """What comes after it is not missed, and it does not click."""
    sound = speech()
    heard = np.concatenate((sound[:30_000], faded(sound[30_000 : 30_000 + FADE]), silence(9000)))
    assert judge(heard, sound, stopped=True) == Judgement()
    assert judge(heard, sound, stopped=False).frames_lost == pytest.approx(len(sound) - 30_000, abs=100)


def test_a_sound_behind_a_stop_is_one_too_many() -> None:
    """It was to be silent."""
    sound = speech()
    fade = faded(sound[30_000 : 30_000 + FADE])
    heard = np.concatenate((sound[:30_000], fade, silence(900), np.full(2000, 300, np.int32)))
    assert judge(heard, sound, stopped=True).frames_repeated >= 2000


def test_a_stop_that_breaks_off_is_a_click() -> None:
    """A step above -30 dBFS."""
    sound = speech()
    at = 30_000 + int(np.argmax(np.abs(sound[30_000:30_200])))
    assert judge(sound[: at + 1], sound, stopped=True).clicks == 1


def test_nothing_heard() -> None:
    """Is all of it lost, unless it was stopped before its first sample."""
    sound = speech()
    assert judge(silence(9000), sound, stopped=False) == Judgement(frames_lost=len(sound))
    assert judge(silence(9000), sound, stopped=True) == Judgement()


def test_a_sound_behind_the_end_is_one_too_many() -> None:
    """Whatever it is."""
    sound = speech()
    heard = np.concatenate((sound, silence(2000), np.full(30, 500, np.int32)))
    assert judge(heard, sound, stopped=False).frames_repeated == 30
