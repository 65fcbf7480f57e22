"""The synth process: text in, PCM out. Owns every OpenVINO object and the text front end.

The thread that reads the channel only files what it reads; the main thread does the work, so that a
cancel is seen while a sentence is being synthesised. `python -m edged.workers.synth --fd N`.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from edged.config.schema import Config
from edged.engine.base import Engine, PcmChunk, SynthJob
from edged.errors import EdgedError, EmptyTextError
from edged.text.front_end import to_spoken
from edged.text.sentence import Lang, SpokenText
from edged.workers.child import Beat, run_child, set_cpus
from edged.workers.engines import LoadedEngine, open_engine
from edged.workers.frames import Frame, FrameSocket, encode_samples
from edged.workers.messages import (
    Audio,
    CancelSpeak,
    Planned,
    Played,
    SetThreads,
    Speak,
    SynthCancelled,
    SynthEnd,
    SynthFailed,
    SynthReady,
    SynthUnavailable,
    VoiceDescription,
)
from edged.workers.voicing import default_voices, missing_voices, resolve

log = logging.getLogger(__name__)

_OOM_SCORE_ADJ = 500  # half of all memory: ahead of every ordinary service
_BEAT_S = 1.0  # supervisor allows several of these


@dataclass(slots=True)
class _Inbox:
    """What main has asked for, filed by the reader thread and looked at by the worker."""

    work: queue.Queue[Speak | SetThreads | None] = field(default_factory=queue.Queue)
    changed: threading.Condition = field(default_factory=threading.Condition)
    cancelled: set[str] = field(default_factory=set)
    played_ms: dict[str, float] = field(default_factory=dict)

    def file(self, frame: Frame) -> None:
        match frame.message:
            case Speak() | SetThreads():
                self.work.put(frame.message)
            case CancelSpeak(job_id=job_id):
                with self.changed:
                    self.cancelled.add(job_id)
                    self.changed.notify()
            case Played(job_id=job_id, played_ms=played_ms):
                with self.changed:
                    self.played_ms[job_id] = played_ms
                    self.changed.notify()

    def forget(self, job_id: str) -> None:
        with self.changed:
            self.cancelled.discard(job_id)
            self.played_ms.pop(job_id, None)


def _read(frames: Iterator[Frame], inbox: _Inbox) -> None:
    try:
        with contextlib.suppress(ConnectionResetError):  # main left with our news unread: the end as well
            for frame in frames:
                inbox.file(frame)
    finally:
        inbox.work.put(None)


class _Worker:
    """Runs one job after the other on one engine."""

    def __init__(self, channel: FrameSocket, config: Config, inbox: _Inbox, beat: Beat) -> None:
        self._channel = channel
        self._config = config
        self._inbox = inbox
        self._beat = beat
        self._engine: Engine | None = None
        self._unavailable: EdgedError | None = None

    def load(self) -> None:
        """Open and warm the engine; without one, every job is answered with the reason."""
        started_s = time.monotonic()
        self._beat("loading")
        try:
            loaded = open_engine(self._config)
            loaded.engine.warm_up()
        except EdgedError as error:
            self._unavailable = error
            self._channel.send(SynthUnavailable(code=error.code, what=error.what, hint=error.hint))
            return
        self._engine = loaded.engine
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
                item = self._inbox.work.get(timeout=_BEAT_S)
            except queue.Empty:
                continue
            if item is None:
                return
            if isinstance(item, Speak):
                self._speak(item)
            elif self._engine is not None:
                self._engine.set_threads(item.threads)

    def _speak(self, speak: Speak) -> None:
        try:
            if self._engine is None:
                raise self._unavailable or EdgedError("no engine")
            self._stream(self._engine, speak)
        except EdgedError as error:
            self._channel.send(SynthFailed(job_id=speak.job_id, code=error.code, what=error.what))
        finally:
            self._inbox.forget(speak.job_id)

    def _stream(self, engine: Engine, speak: Speak) -> None:
        started_s = time.monotonic()
        spoken = to_spoken(speak.text, speak.lang)
        if not spoken.sentences:
            raise EmptyTextError("; ".join(("nothing in the text can be spoken", *spoken.warnings)))
        voicing = resolve(engine.info, self._config.speech, speak)
        job = SynthJob(speak.job_id, spoken.sentences, voicing.voices, voicing.speed, voicing.options)
        self._channel.send(
            Planned(
                job_id=speak.job_id,
                voice=_voice_names(spoken, voicing.voices),
                sentences=len(spoken.sentences),
                warnings=(*spoken.warnings, *voicing.warnings),
            )
        )
        audio_ms = first_chunk_ms = waited_s = 0.0
        for chunk in engine.synthesize(job):
            self._beat(f"speaking {speak.job_id}")
            if not audio_ms:
                first_chunk_ms = (time.monotonic() - started_s) * 1000
            audio_ms += len(chunk.samples) / chunk.sample_rate_hz * 1000
            self._send_audio(speak.job_id, chunk)
            waited_s += self._hold_back(speak.job_id, audio_ms)
            if speak.job_id in self._inbox.cancelled:
                self._channel.send(SynthCancelled(job_id=speak.job_id))
                return
        self._channel.send(
            SynthEnd(
                job_id=speak.job_id,
                audio_ms=audio_ms,
                synth_ms=(time.monotonic() - started_s - waited_s) * 1000,
                first_chunk_ms=first_chunk_ms,
                rss_mb=round(psutil.Process().memory_info().rss / 1e6, 1),
            )
        )

    def _send_audio(self, job_id: str, chunk: PcmChunk) -> None:
        audio = Audio(job_id=job_id, sample_rate_hz=chunk.sample_rate_hz, sentence_index=chunk.sentence_index)
        self._channel.send(audio, encode_samples(chunk.samples))

    def _hold_back(self, job_id: str, sent_ms: float) -> float:
        """Wait while synthesis is further ahead of playback than configured. Returns the seconds waited."""
        started_s = time.monotonic()
        ahead_ms = self._config.speech.max_ahead_s * 1000
        inbox = self._inbox
        with inbox.changed:
            while sent_ms - inbox.played_ms.get(job_id, 0.0) > ahead_ms and job_id not in inbox.cancelled:
                inbox.changed.wait(_BEAT_S)
                self._beat(f"ahead of {job_id}")
        return time.monotonic() - started_s


def _voice_names(spoken: SpokenText, voices: dict[Lang, str]) -> str:
    return "+".join(dict.fromkeys(voices[sentence.lang] for sentence in spoken.sentences))


def _offer_to_oom_killer() -> None:
    """When memory runs out, this process goes first: main restarts it and keeps the queue."""
    Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE_ADJ), encoding="ascii")


def main(channel: FrameSocket, frames: Iterator[Frame], config: Config) -> None:
    """Entry point of the child: load, then work until the channel closes."""
    set_cpus(config.threads.synth_cpus)
    _offer_to_oom_killer()
    inbox = _Inbox()
    threading.Thread(target=_read, args=(frames, inbox), name="reader", daemon=True).start()
    worker = _Worker(channel, config, inbox, Beat(channel))
    worker.load()
    worker.run()


if __name__ == "__main__":
    run_child(main)
