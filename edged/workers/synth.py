"""The synth process: text in, PCM out. Owns every OpenVINO object and the text front end.

The thread that reads the channel only files what it reads; the main thread does the work, so that a
cancel is seen while a sentence is being synthesised. `python -m edged.workers.synth --fd N`.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from edged.config.schema import Config
from edged.engine.base import Engine
from edged.errors import EdgedError
from edged.workers.child import Beat, run_child, set_cpus
from edged.workers.clips import Clips
from edged.workers.delivery import Delivery
from edged.workers.engines import LoadedEngine, open_engine
from edged.workers.equipment import equipped
from edged.workers.frames import Frame, FrameSocket
from edged.workers.house_style import HouseStyle
from edged.workers.inbox import BEAT_S, CancelledError, Inbox, Job
from edged.workers.messages import (
    Preload,
    SetThreads,
    SynthCancelled,
    SynthFailed,
    SynthReady,
    SynthUnavailable,
    VoiceDescription,
)
from edged.workers.preload import Preloader
from edged.workers.script import Script
from edged.workers.voicing import default_voices, missing_voices

log = logging.getLogger(__name__)

_OOM_SCORE_ADJ = 500  # half of all memory: ahead of every ordinary service


class _Worker:
    """Runs one job after the other on one engine."""

    def __init__(self, channel: FrameSocket, config: Config, inbox: Inbox, beat: Beat) -> None:
        self._channel = channel
        self._config = config
        self._inbox = inbox
        self._beat = beat
        self._clips = Clips(config.paths.clips_dir, config.audio.loudness_lufs)
        self._style = HouseStyle(config)
        self._preloader = Preloader(
            config.speech, self._style, self._clips, is_wanted=lambda: not inbox.work.empty()
        )
        self._engine: Engine | None = None
        self._unavailable: EdgedError | None = None

    def load(self) -> None:
        """Open and warm the engine; without one, every job is answered with the reason."""
        started_s = time.monotonic()
        self._beat("loading")
        try:
            loaded = open_engine(self._config)
            engine = equipped(loaded, self._config)
            engine.warm_up()
        except EdgedError as error:
            self._unavailable = error
            self._channel.send(SynthUnavailable(code=error.code, what=error.what, hint=error.hint))
            return
        self._engine = engine
        self._channel.send(self._ready(loaded, time.monotonic() - started_s))

    def _ready(self, loaded: LoadedEngine, load_s: float) -> SynthReady:
        info = loaded.engine.info
        defaults = default_voices(info, self._config.speech)
        for missing in missing_voices(info, self._config.speech):
            log.warning("%s: %s has no such voice, its own speaks (edged voices)", missing, info.name)
        return SynthReady(
            engine=info.name,
            model=loaded.model,
            model_sha256=loaded.model_sha256,
            sample_rate_hz=info.sample_rate_hz,
            voices=tuple(
                VoiceDescription(
                    name=voice.name,
                    langs=voice.langs,
                    default_for=tuple(lang for lang, name in defaults.items() if name == voice.name),
                    description=voice.description,
                )
                for voice in info.voices
            ),
            load_s=load_s,
        )

    def run(self) -> None:
        """Work until main closes the channel."""
        while True:
            self._beat("idle")
            try:
                item = self._inbox.work.get(timeout=0 if self._preloader else BEAT_S)
            except queue.Empty:
                if self._preloader and self._engine is not None:
                    self._preloader.work(self._engine, self._beat)
                continue
            match item:
                case None:
                    return
                case Job():
                    self._speak(item)
                case Preload(speak=speak) if self._engine is not None:
                    self._preloader.add(speak)
                case SetThreads(threads=threads) if self._engine is not None:
                    self._engine.set_threads(threads)

    def _speak(self, job: Job) -> None:
        try:
            if self._engine is None:
                raise self._unavailable or EdgedError("no engine")
            script = Script(self._clips.check, self._style.now())
            Delivery(
                job, self._engine, self._config, script, self._clips, self._channel, self._inbox, self._beat
            ).run()
        except CancelledError:
            self._channel.send(SynthCancelled(job_id=job.id))
        except EdgedError as error:
            self._channel.send(SynthFailed(job_id=job.id, code=error.code, what=error.what))
        finally:
            self._inbox.forget(job)


def _offer_to_oom_killer() -> None:
    """When memory runs out, this process goes first: main restarts it and keeps the queue."""
    Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE_ADJ), encoding="ascii")


def main(channel: FrameSocket, frames: Iterator[Frame], config: Config) -> None:
    """Entry point of the child: load, then work until the channel closes."""
    set_cpus(config.threads.synth_cpus)
    _offer_to_oom_killer()
    inbox = Inbox()
    threading.Thread(target=inbox.read, args=(frames,), name="reader", daemon=True).start()
    worker = _Worker(channel, config, inbox, Beat(channel))
    worker.load()
    worker.run()


if __name__ == "__main__":
    run_child(main)
