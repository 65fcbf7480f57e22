"""What the player process costs while it speaks: CPU of one core, and resident memory.

The real process on a sound card that keeps time, with every stage it has: resampling from a voice's rate,
preset, volume, limiter, dither, two channels. Counted is the process's own time, user and system, between
two moments well inside the speech.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np
import psutil
from numpy.typing import NDArray

# run as a script: the harness lies beside this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.clocked_sink import ClockedSink
from edged.cli.options import json_option
from edged.config.schema import AudioConfig, Config
from edged.workers.child import spawned
from edged.workers.frames import FrameSocket, encode_samples
from edged.workers.messages import (
    Audio,
    PlayBegin,
    PlayDone,
    Played,
    PlayEnd,
    PlayerReady,
    PlayerUnavailable,
    PlayFailed,
    SetVolume,
)

_SETTLE_S = 1.0  # imports, opening and the first fill are paid once
_AHEAD_S = 2.0
_CHUNK_S = 0.4  # as a voice gives its sentences
_DEADLINE_S = 20.0
_RMS = 0.16  # of about -16 LUFS, the loudness all voices come in with
_CREST = 0.61  # RMS of the swell
_IDLE_S = 3.0


@click.command()
@click.option("--seconds", type=click.IntRange(3, 3600), default=20, help="How long to speak.")
@click.option("--preset", default="noisy", help="Sound for the place; noisy has every stage.")
@click.option("--source-hz", type=click.IntRange(8000, 192000), default=24000, help="Rate of the voice.")
@click.option("--dither/--no-dither", default=True, help="Rounding noise.")
@click.option("--quick", is_flag=True, help="Four seconds (smoke test).")
@json_option
def main(seconds: int, preset: str, source_hz: int, dither: bool, quick: bool, as_json: bool) -> None:
    """Measure the player at 48 kHz stereo.

    \b
    Examples:
      .venv/bin/python benchmarks/player_cost.py
      .venv/bin/python benchmarks/player_cost.py --seconds 60 --preset flat --no-dither --json
    """
    audio = {"device": "clocked", "preset": preset, "dither": dither, "idle": "keepalive"}
    try:
        summary = _measure(4 if quick else seconds, AudioConfig.model_validate(audio), source_hz)
    except (TimeoutError, RuntimeError, OSError) as error:
        raise click.ClickException(f"could not measure: {error}") from error
    click.echo(json.dumps(summary) if as_json else "  ".join(f"{k} {v}" for k, v in summary.items()))


def _measure(seconds: int, audio: AudioConfig, source_hz: int) -> dict[str, float]:
    with ClockedSink(audio.rate_hz, audio.channels) as sink:
        os.environ.update(sink.env)
        with spawned("edged.workers.player", Config(audio=audio), _DEADLINE_S) as channel:
            (child,) = (
                each for each in psutil.Process().children() if "edged.workers.player" in each.cmdline()
            )
            speaking, heard = _speak(channel, child, seconds, source_hz)
            idle = _cpu_percent(child, _IDLE_S)
            memory_mb = child.memory_info().rss / 1e6
    return {
        "cpu_percent": round(speaking, 2),
        "idle_keepalive_cpu_percent": round(idle, 2),
        "rss_mb": round(memory_mb, 1),
        "xruns": heard.xruns,
        "stalls": heard.stalls,
    }


def _speak(
    channel: FrameSocket, child: psutil.Process, seconds: int, source_hz: int
) -> tuple[float, PlayDone]:
    """CPU in percent of a core between settling and the end, and how the speech went."""
    channel.send(SetVolume(percent=90))
    channel.send(PlayBegin(job_id="a", sample_rate_hz=source_hz))
    sending, sent_s, began = _sending(channel, seconds, source_hz), 0.0, (0.0, 0.0)
    used = 0.0
    for message in (frame.message for frame in channel.frames()):
        played_s = message.played_ms / 1000 if isinstance(message, Played) else 0.0
        if isinstance(message, PlayFailed | PlayerUnavailable):
            raise RuntimeError(message.what)
        if isinstance(message, PlayDone):
            return used, message
        if isinstance(message, Played) and played_s >= _SETTLE_S:
            began = began if began[0] else (time.monotonic(), _cpu_s(child))
            if (passed_s := time.monotonic() - began[0]) > 0:
                used = 100 * (_cpu_s(child) - began[1]) / passed_s
        if isinstance(message, Played | PlayerReady):
            while sent_s - played_s < _AHEAD_S and (more_s := next(sending, None)) is not None:
                sent_s += more_s
    raise RuntimeError("the player ended")


def _sending(channel: FrameSocket, seconds: int, source_hz: int) -> Iterator[float]:
    """Send a chunk at every step, the end at the last; yields the seconds sent."""
    for chunk in _chunks(seconds, source_hz):
        channel.send(Audio(job_id="a", sample_rate_hz=source_hz, sentence_index=0), encode_samples(chunk))
        yield len(chunk) / source_hz
    channel.send(PlayEnd(job_id="a"))


def _chunks(seconds: int, rate_hz: int) -> Iterator[NDArray[np.float32]]:
    """Noise with the swell of syllables, as loud as speech."""
    random = np.random.default_rng(1)
    frames = round(_CHUNK_S * rate_hz)
    swell = 0.5 - 0.5 * np.cos(2 * np.pi * 4 * np.arange(frames) / rate_hz)
    for _ in range(round(seconds / _CHUNK_S)):
        yield np.clip(_RMS / _CREST * swell * random.standard_normal(frames), -1, 1).astype(np.float32)


def _cpu_percent(child: psutil.Process, seconds: float) -> float:
    before_s, began_s = _cpu_s(child), time.monotonic()
    time.sleep(seconds)
    return 100 * (_cpu_s(child) - before_s) / (time.monotonic() - began_s)


def _cpu_s(child: psutil.Process) -> float:
    """User and system time of all its threads, also of those that have ended, in hundredths."""
    times = child.cpu_times()
    return float(times.user + times.system)


if __name__ == "__main__":
    main()
