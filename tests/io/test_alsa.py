"""The ALSA sink on a PCM that says and does what libasound has been seen to say and do."""

from __future__ import annotations

import errno
import os
from typing import Any

import alsaaudio
import numpy as np
import pytest

from edged.config.schema import AudioConfig
from edged.errors import AudioHungError, AudioLostError, AudioUnavailableError
from edged.io.alsa import HUNG_S, open_sink

BLOCK = np.array([0.25, 0.5, 0.75, -0.5], np.float32)


class FakePcm:
    """alsaaudio.PCM: `grants` overrides what was asked; `writes` scripts the results of write().

    A result is a number of frames, -errno, or an error message to raise; without one all is taken.
    """

    def __init__(self, grants: dict[str, Any], writes: list[int | str], asked: dict[str, Any]) -> None:
        self._info = {
            "rate": asked["rate"],
            "channels": asked["channels"],
            "format_name": "S32_LE" if asked["format"] == alsaaudio.PCM_FORMAT_S32_LE else "S16_LE",
            "period_size": asked["periodsize"],
            "buffer_size": asked["periodsize"] * asked["periods"],
            **grants,
        }
        self._writes = writes
        self.data = b""
        self.dropped = self.closed = False

    def info(self) -> dict[str, Any]:
        assert not self.closed, "info() on a closed PCM aborts the process"
        return self._info

    def write(self, data: memoryview) -> int:
        frame = self._info["channels"] * 2
        result = self._writes.pop(0) if self._writes else len(data) // frame
        if isinstance(result, str):
            raise alsaaudio.ALSAAudioError(f"{result} [fake]")
        self.data += bytes(data[: max(0, result) * frame])
        return result

    def avail(self) -> int:
        return int(self._info["buffer_size"])

    def drop(self) -> None:
        self.dropped = True

    def close(self) -> None:
        assert self.dropped or not self.data, "close() without drop() plays the buffer out"
        self.closed = True


class Alsa:
    """Opens fakes and keeps them."""

    def __init__(self, writes: list[int | str] | None = None, **grants: Any) -> None:
        self._writes = writes or []
        self._grants = grants
        self.opened: list[FakePcm] = []

    def __call__(self, **asked: Any) -> FakePcm:
        self.opened.append(FakePcm(self._grants, self._writes, asked))
        return self.opened[-1]


def test_what_was_asked_is_granted() -> None:
    """The default: 48 kHz, two channels, 16 bits, twelve periods of 20 ms."""
    granted = open_sink(AudioConfig(), Alsa()).granted
    assert (granted.rate_hz, granted.channels, granted.format) == (48000, 2, "S16_LE")
    assert (granted.period_frames, granted.buffer_frames) == (960, 11520)


def test_what_was_granted_counts() -> None:
    """ALSA changes parameters without a word; the sink reports what it really has."""
    granted = open_sink(AudioConfig(rate_hz=22050, channels=1), Alsa(rate=44100, channels=6)).granted
    assert (granted.rate_hz, granted.channels) == (44100, 6)


def test_a_device_of_32_bits_gets_32_bits() -> None:
    """The other format we can write is asked for when the first is not granted."""
    alsa = Alsa(format_name="S32_LE")
    assert open_sink(AudioConfig(), alsa).granted.format == "S32_LE"


def test_a_format_we_cannot_write_is_refused() -> None:
    """Noise at full scale would be the alternative; the hint names a PCM that converts."""
    alsa = Alsa(format_name="U8")
    with pytest.raises(AudioUnavailableError, match='PCM "default" takes only U8') as caught:
        open_sink(AudioConfig(), alsa)
    assert "plughw" in caught.value.hint
    assert all(pcm.closed for pcm in alsa.opened)


def test_long_periods_are_not_asked_for() -> None:
    """Three periods are queued, and a stop must be heard within 100 ms; the buffer is as long as wanted."""
    granted = open_sink(AudioConfig(period_ms=100, buffer_ms=520), Alsa()).granted
    assert granted.period_frames == 26 * 48
    assert granted.buffer_frames == 20 * 26 * 48


def test_a_failed_open_is_explained() -> None:
    """Name, reason and the cards there are; libasound's repetition of the name is dropped."""

    def busy(**_: Any) -> FakePcm:
        raise alsaaudio.ALSAAudioError("Device or resource busy [hw:0]")

    with pytest.raises(AudioUnavailableError) as caught:
        open_sink(AudioConfig(device="hw:0"), busy)
    assert caught.value.what.startswith('PCM "hw:0": Device or resource busy; ')
    assert "card" in caught.value.what


@pytest.mark.parametrize(
    ("who", "words", "hint"),
    [
        ((), "Device or resource busy; ", "edged doctor"),
        (("aplay (process 12)",), "busy, held by aplay (process 12); ", "edged doctor"),
        (("mpd (process 1)", "pulseaudio (process 2)"), "mpd (process 1), pulseaudio", "the sound server"),
    ],
    ids=["unknown", "a program", "a sound server"],
)
def test_who_holds_a_busy_card_is_named(
    monkeypatch: pytest.MonkeyPatch, who: tuple[str, ...], words: str, hint: str
) -> None:
    """The program, and what to do when it is one that shares the card."""
    monkeypatch.setattr("edged.io.alsa.holders", lambda: who)

    def busy(**_: Any) -> FakePcm:
        raise alsaaudio.ALSAAudioError("Device or resource busy [hw:CARD=PCH]")

    with pytest.raises(AudioUnavailableError) as caught:
        open_sink(AudioConfig(device="hw:CARD=PCH"), busy)
    assert words in caught.value.what
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("writes", "xruns"),
    [([], 0), ([-errno.EPIPE], 1), ([1, 2], 0), ([2, -errno.EPIPE, -errno.EPIPE, 1, 1], 2), ([0, 4], 0)],
    ids=["all at once", "xrun", "short", "short and xruns", "not yet"],
)
def test_every_frame_is_written_once(writes: list[int | str], xruns: int) -> None:
    """What an xrun rejected or a short write left over is written again, nothing twice."""
    alsa = Alsa([len(BLOCK), *writes])
    sink = open_sink(AudioConfig(channels=1), alsa)
    sink.write(BLOCK)
    sink.write(-BLOCK)
    assert np.array_equal(np.frombuffer(alsa.opened[0].data, "<i2"), np.concatenate((BLOCK, -BLOCK)) * 2**15)
    assert sink.xruns == xruns


def test_a_device_that_takes_nothing_is_lost() -> None:
    """It is not asked for ever."""
    sink = open_sink(AudioConfig(), Alsa([0] * 1000))
    with pytest.raises(AudioLostError, match="takes no samples"):
        sink.write(BLOCK)


def test_a_device_that_goes_away_is_lost() -> None:
    """The reason is libasound's, the name is ours."""
    sink = open_sink(AudioConfig(), Alsa(["No such device"]))
    with pytest.raises(AudioLostError, match='PCM "default": No such device; '):
        sink.write(BLOCK)


def test_a_device_without_pace_is_found_out_by_the_first_write() -> None:
    """A buffer that is empty right after a write belongs to a file."""
    sink = open_sink(AudioConfig(), Alsa())
    assert sink.paced
    sink.write(BLOCK)
    assert not sink.paced


class PacedPcm(FakePcm):
    """Has the last frame of what it was given still to play; what `drain` meets is scripted."""

    drain_fails_with = ""

    def avail(self) -> int:
        return super().avail() - 1

    def drain(self) -> None:
        if self.drain_fails_with:
            raise alsaaudio.ALSAAudioError(f"{self.drain_fails_with} [fake]")


class Paced(Alsa):
    def __call__(self, **asked: Any) -> PacedPcm:
        pcm = PacedPcm(self._grants, self._writes, asked)
        self.opened.append(pcm)
        return pcm


@pytest.mark.parametrize("before_xrun", [0, 3], ids=["no xrun", "started again by an xrun"])
def test_the_last_period_is_completed_with_silence(before_xrun: int) -> None:
    """Hardware plays whole periods: what stood in the rest of the last one long ago would be heard."""
    alsa = Paced([before_xrun, -errno.EPIPE] if before_xrun else [])
    sink = open_sink(AudioConfig(channels=1), alsa)
    sink.write(BLOCK)
    sink.drain()
    frames = np.frombuffer(alsa.opened[0].data, "<i2")
    period = sink.granted.period_frames
    assert len(frames) == before_xrun + period
    assert not frames[len(BLOCK) :].any()


def test_every_announcement_ends_with_a_whole_period() -> None:
    """A drained device starts again at the beginning of a period."""
    alsa = Paced()
    sink = open_sink(AudioConfig(channels=1), alsa)
    for _ in range(3):
        sink.write(BLOCK)
        sink.drain()
    assert len(alsa.opened[0].data) == 3 * 2 * sink.granted.period_frames


def test_a_device_that_ran_dry_is_drained() -> None:
    """It has played everything; that it waits for more is no fault."""
    alsa = Paced()
    sink = open_sink(AudioConfig(), alsa)
    alsa.opened[0].drain_fails_with = "Broken pipe"  # type: ignore[attr-defined]
    sink.write(BLOCK)
    sink.drain()
    assert sink.queued() == 0


def test_a_device_that_ran_dry_after_the_last_sample_had_no_xrun() -> None:
    """Neither then nor when the next announcement starts it: nothing was missing from either."""
    alsa = Paced([len(BLOCK), -errno.EPIPE])
    sink = open_sink(AudioConfig(channels=1), alsa)
    sink.write(BLOCK)
    alsa.opened[0].avail = lambda: -errno.EPIPE  # type: ignore[method-assign]
    sink.drain()
    sink.write(-BLOCK)
    assert np.array_equal(np.frombuffer(alsa.opened[0].data, "<i2"), np.concatenate((BLOCK, -BLOCK)) * 2**15)
    assert sink.xruns == 0


@pytest.mark.parametrize("reason", ["Streams pipe error", "No such device", "File descriptor in bad state"])
def test_a_device_that_goes_away_in_the_drain_is_lost(reason: str) -> None:
    """Suspended or unplugged: what is queued has not been heard."""
    alsa = Paced()
    sink = open_sink(AudioConfig(), alsa)
    alsa.opened[0].drain_fails_with = reason  # type: ignore[attr-defined]
    sink.write(BLOCK)
    with pytest.raises(AudioLostError, match=reason):
        sink.drain()


@pytest.mark.parametrize("code", [errno.ENODEV, errno.EBADFD, errno.ESTRPIPE])
def test_a_device_that_goes_away_unwritten_is_lost(code: int) -> None:
    """Looking at it finds out as well as writing; it has no errno but as a number."""
    sink = open_sink(AudioConfig(), Paced())
    sink.write(BLOCK)
    sink._pcm.avail = lambda: -code
    with pytest.raises(AudioLostError, match=os.strerror(code)):
        sink.queued()


def test_closing_drops_first() -> None:
    """close() alone would play out the buffer."""
    alsa = Alsa()
    sink = open_sink(AudioConfig(), alsa)
    sink.write(BLOCK)
    sink.close()
    assert alsa.opened[0].closed


class StillPcm(FakePcm):
    """Holds what it was given and plays none of it."""

    def avail(self) -> int:
        return super().avail() - len(self.data) // 4


def test_a_device_that_does_not_move_hangs_from_its_first_sample_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first sentence may take longer to be made than a device may stand still: that is no hang."""
    now_s = 100.0
    monkeypatch.setattr("edged.io.alsa.time.monotonic", lambda: now_s)
    sink = open_sink(AudioConfig(), lambda **asked: StillPcm({}, [], asked))
    now_s += 60
    assert sink.queued() == 0
    sink.write(BLOCK)
    assert sink.queued() == len(BLOCK)
    now_s += HUNG_S + 0.1
    with pytest.raises(AudioHungError, match="stands still"):
        sink.queued()
