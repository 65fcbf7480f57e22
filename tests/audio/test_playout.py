"""What of a stream goes to the device next."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edged.audio.playout import Playout
from edged.audio.presets import PRESETS
from edged.audio.shaping import Shaping

START, FADE = 100, 20


def playout(source_hz: int = 48000, preset: str = "flat") -> Playout:
    return Playout(source_hz, 48000, Shaping(PRESETS[preset], 48000, -16.0), START, FADE)


def ramp(frames: int) -> np.ndarray:
    """Samples that all differ."""
    return (np.arange(frames) + 1).astype(np.float32) / 1e5


def test_nothing_before_the_start_threshold() -> None:
    """One sample too few, and none is handed out."""
    stream = playout()
    stream.feed(ramp(START - 1))
    assert len(stream.take(START)) == 0
    stream.feed(ramp(1))
    assert len(stream.take(START)) == START - FADE


def test_the_last_samples_are_held_back_until_the_end_is_known() -> None:
    """A fade's worth stays behind; the end releases it."""
    stream = playout()
    stream.feed(ramp(200))
    assert np.array_equal(stream.take(1000), ramp(200)[:-FADE])
    assert not stream.finished
    stream.end()
    assert np.array_equal(stream.take(1000), ramp(200)[-FADE:])
    assert stream.finished


@given(
    cuts=st.lists(st.integers(1, 300), min_size=1, max_size=10),
    takes=st.lists(st.integers(0, 200), min_size=1, max_size=10),
)
def test_all_samples_in_order_however_cut(cuts: list[int], takes: list[int]) -> None:
    """Whatever the chunks and the device's appetite, every sample is handed out once and in order."""
    stream, whole, out = playout(), ramp(sum(cuts)), []
    for at, size in zip(np.cumsum([0, *cuts]), cuts, strict=False):
        stream.feed(whole[at : at + size])
        out.append(stream.take(takes[size % len(takes)]))
    stream.end()
    while not stream.finished:
        out.append(stream.take(64))
    assert np.array_equal(np.concatenate(out), whole)
    assert stream.taken_frames == len(whole)


def test_a_stall_fades_out_and_back_in() -> None:
    """The held-back samples fade into silence; what comes after it fades in; one stall is counted."""
    stream = playout()
    stream.feed(np.ones(200, np.float32))
    stream.take(1000)
    gap = np.concatenate((stream.starve(50), stream.starve(50)))
    assert gap[0] > 0.9
    assert (np.diff(gap[: FADE + 1]) < 0).all()
    assert np.array_equal(gap[FADE:], np.zeros(100 - FADE))
    stream.feed(np.ones(200, np.float32))
    back = np.concatenate((stream.take(5), stream.take(5), stream.take(100)))
    assert back[0] < 0.1
    assert (np.diff(back[:FADE]) > 0).all()
    assert np.array_equal(back[FADE:], np.ones(110 - FADE))
    assert stream.stalls == 1


def test_two_stalls_are_counted() -> None:
    """A stall ends with the first sample after it."""
    stream = playout()
    for _ in range(2):
        stream.feed(np.ones(200, np.float32))
        stream.take(1000)
        stream.starve(50)
    assert stream.stalls == 2


def test_a_stop_fades_what_is_left() -> None:
    """Of all that was to come, only a fade's worth is handed out, falling to silence."""
    stream = playout()
    stream.feed(np.ones(5000, np.float32))
    taken = len(stream.take(1000))
    stream.stop()
    stream.stop()
    assert not stream.finished
    rest = stream.take(1000)
    assert len(rest) == FADE
    assert stream.taken_frames == taken + FADE
    assert rest[0] > 0.9
    assert rest[-1] < 0.01
    assert stream.finished


def test_samples_after_a_stop_are_forgotten() -> None:
    """What was on its way when the stop came does not revive the stream."""
    stream = playout()
    stream.feed(ramp(500))
    stream.take(100)
    stream.stop()
    stream.take(100)
    stream.feed(ramp(500))
    stream.end()
    assert len(stream.take(100)) == 0


def test_a_stop_in_a_stall_has_nothing_left_to_fade() -> None:
    """The device is playing silence already."""
    stream = playout()
    stream.feed(ramp(200))
    stream.take(1000)
    stream.starve(50)
    stream.stop()
    assert stream.finished


def test_an_empty_stream_is_finished_with_its_end() -> None:
    """No samples, no threshold to wait for."""
    stream = playout()
    stream.end()
    assert len(stream.take(100)) == 0
    assert stream.finished


def test_speech_is_resampled_once_and_whole() -> None:
    """24 kHz become twice as many frames, the filter's tail included."""
    stream = playout(24000)
    stream.feed(ramp(12345))
    stream.end()
    taken = 0
    while not stream.finished:
        taken += len(stream.take(480))
    assert taken == 2 * 12345


def test_a_pause_fades_out_what_fades_in_at_the_resume() -> None:
    """The two ramps add up to the samples themselves; the count does not know of the pause."""
    stream = playout()
    stream.feed(ramp(500))
    stream.take(100)
    stream.pause()
    out = stream.take(1000)
    assert len(out) == FADE
    assert len(stream.take(1000)) == 0
    assert stream.taken_frames == 100
    stream.resume()
    back = stream.take(1000)
    assert np.allclose(out + back[:FADE], ramp(500)[100 : 100 + FADE], atol=1e-7)
    assert np.array_equal(back[FADE:], ramp(500)[100 + FADE : -FADE])


def test_a_paused_stream_can_be_stopped() -> None:
    """It has faded out: there is nothing more to hand out."""
    stream = playout()
    stream.feed(ramp(500))
    stream.take(100)
    stream.pause()
    stream.take(1000)
    stream.stop()
    assert stream.finished
    assert stream.taken_frames == 100


def test_a_pause_within_a_fade_goes_on_from_there() -> None:
    """Resumed and paused again in mid-fade: what is handed out never jumps."""
    stream = playout()
    stream.feed(np.ones(500, np.float32))
    out = [stream.take(100)]
    stream.pause()
    out.append(stream.take(FADE // 2))
    stream.resume()
    stream.pause()
    out.append(stream.take(1000))
    stream.resume()
    out.append(stream.take(FADE // 4))
    stream.pause()
    out.append(stream.take(1000))
    heard = np.concatenate(out)
    assert np.abs(np.diff(heard)).max() < 2 / FADE
    assert heard[-1] < 0.01


def test_silence_needs_no_fade() -> None:
    """Paused before the first sample or in a stall: what has come meanwhile is not touched."""
    stream = playout()
    stream.feed(ramp(START - 1))
    stream.take(START)
    stream.pause()
    assert len(stream.take(START)) == 0
    stream.resume()
    stream.feed(ramp(START))
    stream.take(1000)
    stream.starve(50)
    stream.feed(ramp(START))
    stream.take(0)
    stream.pause()
    assert len(stream.take(START)) == 0


@given(
    cuts=st.lists(st.integers(1, 300), min_size=1, max_size=10),
    takes=st.lists(st.integers(1, 200), min_size=1, max_size=10),
    unheard=st.integers(0, 250),
)
def test_what_was_not_heard_comes_again(cuts: list[int], takes: list[int], unheard: int) -> None:
    """However much went out before: nothing is missing, nothing else is heard twice, the rest fades in."""
    stream, whole = playout(), ramp(sum(cuts))
    stream.feed(whole)
    stream.end()
    out = np.concatenate([stream.take(frames) for frames in takes])
    unheard = min(unheard, len(out))
    heard = len(out) - unheard
    stream.rewind(unheard)
    assert stream.taken_frames == heard
    again = stream.take(len(whole))
    assert len(again) == len(whole) - heard
    faded = FADE if heard else 0
    assert np.array_equal(again[faded:], whole[heard + faded :])
    assert np.all(again[:faded] <= whole[heard : heard + faded])
    assert stream.finished


def test_rewinding_into_a_stall() -> None:
    """Its silence was no part of the stream; what faded out before it and was not heard comes again whole."""
    stream, whole = playout(), ramp(400)
    stream.feed(whole[:200])
    heard = stream.take(1000)
    stream.starve(50)
    assert stream.taken_frames == 200
    stream.rewind(50)
    assert stream.taken_frames == len(heard) == 180
    stream.feed(whole[200:])
    stream.end()
    assert np.array_equal(stream.take(1000)[FADE:], whole[180 + FADE :])


def test_rewinding_forgets_the_fade_of_a_pause() -> None:
    """The device went away with it: it is silent, and the resume begins where the sound ended."""
    stream, whole = playout(), ramp(400)
    stream.feed(whole)
    stream.end()
    stream.take(200)
    stream.pause()
    assert len(stream.take(5)) == 5
    stream.rewind(15)
    assert len(stream.take(100)) == 0
    stream.resume()
    assert np.array_equal(stream.take(1000)[FADE:], whole[190 + FADE :])


def test_what_is_handed_out_is_shaped_for_its_place() -> None:
    """All of it, and the same however it is fed; no fade is compressed away, since fades come after it."""
    speech = 0.3 * np.sin(np.arange(20_000) / 8).astype(np.float32)
    expected = Shaping(PRESETS["noisy"], 48000, -16.0).feed(speech)
    stream = playout(preset="noisy")
    for at in range(0, len(speech), 700):
        stream.feed(speech[at : at + 700])
    stream.end()
    np.testing.assert_allclose(stream.take(30_000), expected, atol=1e-6)
