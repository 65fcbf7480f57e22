"""Minutes of announcements on a recorded device that keeps time: what is lost, repeated, and what clicks.

Real broker, real daemon, ALSA on a null sink that runs on the clock. Texts, chimes, volumes, stops and
five-second stalls of the synthesis come at random, the same ones for the same seed. What should be heard is
what the same announcements give on ALSA's file plugin, where nothing is ever late; the recording is aligned
with it sample by sample. A sound card's own converter is not in it.
"""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import psutil
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

# run as a script: the harness lies beside this folder
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.alignment import Judgement, Samples, judge
from benchmarks.clocked_sink import ClockedSink, Recording, trim
from edged.audio import wav
from edged.cli.options import config_option, json_option
from edged.config.loader import load_config
from edged.errors import EdgedError
from tests.integration.broker import Broker
from tests.integration.running_daemon import RunningDaemon, running_daemon

_RATE_HZ = 48000
_STALL_S = 5.0
_STOPPED, _STALLED = 0.25, 0.2  # of the announcements
_PAUSE_S = 0.5  # between two, so that the recording shows where one ends
_ANNOUNCEMENTS = 12
_CHIMES = ("none", "none", "ding", "key", "under:ding-dong")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_AHEAD = "max_ahead_s: 2"  # little: a stall of the synthesis is to be heard
_PROMPTS = Path(__file__).parent / "prompts" / "en.jsonl"

_HEADER_BYTES = 44  # of the WAV files that ALSA writes

_Fields = dict[str, Any]


@dataclass(slots=True)
class _Heard:
    """An announcement as it went: the part of the recording it must be in, and what may be missing of it.

    In frames, not in seconds: a sink whose machine stood still for a moment is late from then on.
    """

    number: int
    from_frame: int
    to_frame: int
    is_stopped: bool
    stalled_s: float
    xruns: int


@dataclass(slots=True)
class _Soak:
    """What was recorded, and when what was said."""

    samples: Samples
    heard: list[_Heard]

    def part(self, one: _Heard) -> Samples:
        """The recording of one announcement."""
        return self.samples[one.from_frame : one.to_frame]


@click.command()
@click.option(
    "--minutes", type=click.FloatRange(0.05, 600), default=10.0, show_default=True, help="How long."
)
@click.option("--engine", type=click.Choice(["tone", "kokoro"]), default="tone", help="Whose speech.")
@click.option("--load", is_flag=True, help="A burner at nice 0 on each CPU meanwhile.")
@click.option("--seed", type=int, default=1, help="Of everything that is random.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the recording, what was expected and what is wrong in this folder.",
)
@config_option
@json_option
def main(
    minutes: float,
    engine: str,
    load: bool,
    seed: int,
    keep: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Let announcements be heard for some minutes, and look at every sample of the recording.

    \b
    Examples:
      .venv/bin/python benchmarks/audio_soak.py --minutes 10 --load --json
      .venv/bin/python benchmarks/audio_soak.py --minutes 2 --engine kokoro --keep soak/
    """
    try:
        models_dir = load_config(config_path).paths.models_dir
        with tempfile.TemporaryDirectory() as folder, Broker(Path(folder)) as broker:
            bench = _Bench(Path(folder), broker, engine, models_dir, random.Random(seed))
            expected = bench.expect()
            with _burners(load):
                soak = bench.soak(minutes * 60)
    except (EdgedError, TimeoutError, AssertionError, OSError) as error:
        raise click.ClickException(f"could not measure: {error}") from error
    judgements = [judge(soak.part(one), expected[one.number], stopped=one.is_stopped) for one in soak.heard]
    if keep is not None:
        _keep(keep, soak, expected, judgements)
    summary = _summary(soak, judgements)
    click.echo(json.dumps(summary) if as_json else "  ".join(f"{k} {v}" for k, v in summary.items()))


class _Bench:
    """A broker, and daemons with the same voice: one that plays into files, one on the clock."""

    def __init__(
        self, folder: Path, broker: Broker, engine: str, models_dir: Path, chance: random.Random
    ) -> None:
        self._folder = folder
        self._broker = broker
        self._chance = chance
        self._settings = f"speech: {{engine: {engine}, {_AHEAD}}}\n"
        self._requests = [_request(number, engine, chance) for number in range(_ANNOUNCEMENTS)]
        if models_dir.is_dir():
            (folder / "models").symlink_to(models_dir)

    def expect(self) -> list[Samples]:
        """What each announcement sounds like when nothing is late."""
        # ALSA_CONFIG_PATH takes a space for the end of a name
        with tempfile.TemporaryDirectory(dir="/tmp") as plain:
            asound, sounds = Path(plain) / "asound.conf", Path(plain) / "heard.wav"
            asound.write_text(
                "pcm.silence { type null }\n"
                f'pcm.!default {{ type file slave.pcm silence file "{sounds}" format wav truncate false }}\n'
            )
            env = {"ALSA_CONFIG_PATH": str(asound)}
            with running_daemon(self._folder, self._broker, env, self._settings) as daemon:
                for number, fields in enumerate(self._requests):
                    daemon.request(id=f"expected-{number}", **fields)
                    _finished(daemon.result(f"expected-{number}"))
            return _sounds(Path(plain))

    def soak(self, seconds: float) -> _Soak:
        """Announcements for so long."""
        with ExitStack() as stack:
            sink = stack.enter_context(ClockedSink(_RATE_HZ))
            daemon = stack.enter_context(running_daemon(self._folder, self._broker, sink.env, self._settings))
            recording = stack.enter_context(sink.record())
            bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
            task = bar.add_task("soaking", total=seconds)
            heard: list[_Heard] = []
            end_s = time.monotonic() + seconds
            while (left_s := end_s - time.monotonic()) > 0:
                bar.update(task, completed=seconds - left_s)
                heard.append(self._one(daemon, recording, len(heard)))
            return _Soak(recording.samples()[:, 0].astype(np.int32), heard)

    def _one(self, daemon: RunningDaemon, recording: Recording, index: int) -> _Heard:
        """One announcement, to its result and the pause behind it."""
        number = index % _ANNOUNCEMENTS
        from_frame = recording.frames
        request_id = f"soak-{index}"
        daemon.request(id=request_id, **self._requests[number])
        fate = self._chance.random()
        if fate < _STOPPED:
            time.sleep(self._chance.uniform(0.1, 4.0))
            daemon.command("stop")
        elif fate < _STOPPED + _STALLED:
            time.sleep(self._chance.uniform(0.1, 1.0))
            _stall(daemon)
        result = daemon.result(request_id)
        is_stopped = result["status"] == "cancelled"
        if not is_stopped:
            _finished(result)
        time.sleep(_PAUSE_S)
        stalled_s = _STALL_S if _STOPPED <= fate < _STOPPED + _STALLED else 0.0
        return _Heard(number, from_frame, recording.frames, is_stopped, stalled_s, result["xruns"])


def _request(number: int, engine: str, chance: random.Random) -> _Fields:
    """Long enough that the synthesis is not far ahead of its end when it is stalled."""
    return {
        "text": _tones(chance) if engine == "tone" else _prompts(number),
        "lang": "en",
        "chime": chance.choice(_CHIMES),
        "chime_end": chance.choice(("none", "key")),
        "volume": chance.choice((40, 70, 100)),
    }


def _tones(chance: random.Random) -> str:
    """Sentences of tones in which nothing comes twice, for about eight seconds."""
    words = ["".join(chance.choices(_LETTERS, k=5)) for _ in range(18)]
    return " ".join(word + ("." if at % 3 == 2 else "") for at, word in enumerate(words))


def _prompts(number: int) -> str:
    """Three real sentences."""
    prompts = [json.loads(line)["text"] for line in _PROMPTS.read_text().splitlines()]
    return " ".join(prompts[(number + at * _ANNOUNCEMENTS) % len(prompts)] for at in range(3))


def _finished(result: dict[str, Any]) -> None:
    assert result["status"] == "finished", f"{result['status']}: {result['reason']}"
    assert not result["warnings"], f"{result['warnings']}"


def _stall(daemon: RunningDaemon) -> None:
    """The synthesis stands still, as on a board that swaps or has been throttled."""
    synth = daemon.child("synth")
    synth.suspend()
    try:
        time.sleep(_STALL_S)
    finally:
        synth.resume()


@contextmanager
def _burners(wanted: bool) -> Iterator[None]:
    """Processes at nice 0 that never rest, one a CPU."""
    command = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(command) for _ in range(psutil.cpu_count() or 1)] if wanted else []
    try:
        yield
    finally:
        for process in running:
            process.send_signal(signal.SIGKILL)
            process.wait()


def _sounds(folder: Path) -> list[Samples]:
    """The files of a daemon that has played each announcement into one of its own, in their order."""
    files = sorted(folder.glob("heard.wav*"), key=lambda path: path.stat().st_mtime_ns)
    # a device that was opened and closed again without a sound leaves a header
    played = [path for path in files if path.stat().st_size > _HEADER_BYTES]
    heard = [wav.decode(path.read_bytes()).samples for path in played]
    return [trim(_steps(samples))[:, 0].astype(np.int32) for samples in heard if samples.any()]


def _steps(samples: NDArray[np.float32]) -> NDArray[np.int16]:
    return np.rint(samples * 2**15).astype(np.int16)


def _summary(soak: _Soak, judgements: list[Judgement]) -> dict[str, int]:
    total = sum(judgements, Judgement())
    return {
        **asdict(total),
        "xruns": sum(one.xruns for one in soak.heard),
        "announcements": len(soak.heard),
        "stopped": sum(one.is_stopped for one in soak.heard),
        "stalled": sum(one.stalled_s > 0 for one in soak.heard),
    }


def _keep(folder: Path, soak: _Soak, expected: list[Samples], judgements: list[Judgement]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    sounds = {"recording": soak.samples} | {f"expected-{n}": sound for n, sound in enumerate(expected)}
    for name, samples in sounds.items():
        (folder / f"{name}.wav").write_bytes(
            wav.encode(samples.astype(np.float32) / np.float32(2**15), _RATE_HZ)
        )
    lines = [{**asdict(one), **asdict(found)} for one, found in zip(soak.heard, judgements, strict=True)]
    (folder / "announcements.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    main()
