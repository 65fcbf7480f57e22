"""One announcement, from its Speak to its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
import psutil

from edged.audio.fit import fit
from edged.audio.mix import arrange
from edged.config.schema import Config
from edged.engine.base import Engine, PcmChunk, Samples
from edged.errors import OverBudgetError
from edged.text.content import Clip, Words
from edged.text.sentence import Sentence
from edged.workers.child import Beat
from edged.workers.clips import Clips
from edged.workers.frames import FrameSocket, encode_samples
from edged.workers.inbox import CancelledError, Inbox, Job
from edged.workers.messages import Audio, Planned, SynthEnd
from edged.workers.performance import Performance
from edged.workers.repeats import cues
from edged.workers.script import Item, Script
from edged.workers.tones import set_tones
from edged.workers.voicing import resolve

_LONGEST_FITTED_S = 600  # 58 MB at 24 kHz; what must end within a time is short
_BLOCK_S = 1  # no longer than what a stop may have to wait for


@dataclass(slots=True)
class _Meter:
    """What is measured on the way."""

    started_s: float
    first_chunk_ms: float = 0.0
    audio_ms: float = 0.0
    waited_s: float = 0.0  # for playback or for text: no work


class Delivery:
    """Sends Planned, Audio and SynthEnd of one job.

    Raises EdgedError, and CancelledError when main does not want the rest.
    """

    def __init__(
        self,
        job: Job,
        engine: Engine,
        config: Config,
        script: Script,
        clips: Clips,
        channel: FrameSocket,
        inbox: Inbox,
        beat: Beat,
    ) -> None:
        self._job = job
        self._engine = engine
        self._channel = channel
        self._inbox = inbox
        self._beat = beat
        self._ahead_ms = config.speech.max_ahead_s * 1000
        self._clips = clips
        self._script = script
        self._voicing = resolve(engine.info, config.speech, job.speak)
        self._meter = _Meter(time.monotonic())
        self._around, self._tone_warnings = set_tones(
            job.speak, config.speech.chime, self._clips, engine.info.sample_rate_hz
        )
        self._sentence_index = 0  # of the speech that was made last

    def run(self) -> None:
        """Everything that is to be heard; returns after its end was sent."""
        if self._job.is_cancelled:  # while it waited
            raise CancelledError
        speak, meter = self._job.speak, self._meter
        items, planned = self._plan()
        self._channel.send(planned)
        performance = Performance(self._job.id, self._engine, self._voicing, self._clips, speak.cache)
        order = cues(items, speak.repeat, speak.repeat_gap_ms, speak.repeat_mode)
        with closing(performance.chunks(order)) as chunks:
            speech = self._speech(chunks)
            if speak.max_duration_ms is not None:
                speech = self._fitted(speech, speak.max_duration_ms)
            for samples in arrange(speech, self._around):
                self._send(samples)
        warnings = dict.fromkeys((*self._script.warnings, *performance.warnings))
        self._channel.send(
            SynthEnd(
                job_id=self._job.id,
                audio_ms=meter.audio_ms,
                synth_ms=(time.monotonic() - meter.started_s - meter.waited_s) * 1000,
                first_chunk_ms=meter.first_chunk_ms,
                rss_mb=round(psutil.Process().memory_info().rss / 1e6, 1),
                cache=performance.cache,
                warnings=tuple(warning for warning in warnings if warning not in planned.warnings),
            )
        )

    def _plan(self) -> tuple[Iterator[Item], Planned]:
        """All items; those up to the first sound have been read, and that is what is told of them."""
        readings = self._readings()
        known: list[Item] = []
        while not any(isinstance(item, Sentence | Clip) for item in known):
            reading = next(readings, None)
            if reading is None:
                raise self._script.nothing_heard()
            known += reading
        sentences = [item for item in known if isinstance(item, Sentence)]
        planned = Planned(
            job_id=self._job.id,
            voice="+".join(dict.fromkeys(self._voicing.voices[sentence.lang] for sentence in sentences)),
            sentences=len(sentences),
            warnings=tuple(
                dict.fromkeys((*self._tone_warnings, *self._script.warnings, *self._voicing.warnings))
            ),
        )
        return chain(known, chain.from_iterable(readings)), planned

    def _readings(self) -> Iterator[list[Item]]:
        """The items: all at once, or as their text comes."""
        speak = self._job.speak
        if not speak.is_open:
            yield list(self._script.read(speak.pieces))
            return
        *whole, growing = speak.pieces
        yield list(self._script.read(whole))
        assert isinstance(growing, Words)
        while not (news := self._inbox.take_text(self._job)).is_all:
            clauses, growing = self._script.cut(replace(growing, text=growing.text + news.text))
            yield list(self._script.read_clause(clauses))
            self._wait(lambda: bool(self._job.more) or not self._job.is_open, "waiting for the text of")
        yield list(self._script.read([replace(growing, text=growing.text + news.text)]))

    def _speech(self, chunks: Iterable[PcmChunk]) -> Iterator[Samples]:
        for chunk in chunks:
            self._sentence_index = chunk.sentence_index
            yield chunk.samples

    def _fitted(self, speech: Iterator[Samples], budget_ms: int) -> Iterator[Samples]:
        """The speech, fitted into the time together with its tones; all of it has been made then."""
        self._around, fitted = fit(self._around, np.concatenate(list(self._collected(speech))), budget_ms)
        step = self._around.rate_hz * _BLOCK_S
        return (fitted[at : at + step] for at in range(0, len(fitted), step))

    def _collected(self, speech: Iterator[Samples]) -> Iterator[Samples]:
        room = _LONGEST_FITTED_S * self._around.rate_hz
        for samples in speech:
            room -= len(samples)
            if room < 0:
                raise OverBudgetError(f"longer than {_LONGEST_FITTED_S} s, the most that can be made to fit")
            self._beat(f"fitting {self._job.id}")
            self._wait(lambda: True, "fitting")
            yield samples

    def _send(self, samples: Samples) -> None:
        meter, rate_hz = self._meter, self._around.rate_hz
        if not meter.audio_ms:
            meter.first_chunk_ms = (time.monotonic() - meter.started_s) * 1000
        meter.audio_ms += len(samples) / rate_hz * 1000
        audio = Audio(job_id=self._job.id, sample_rate_hz=rate_hz, sentence_index=self._sentence_index)
        self._beat(f"speaking {self._job.id}")
        self._channel.send(audio, encode_samples(samples))
        self._wait(lambda: meter.audio_ms - self._job.played_ms <= self._ahead_ms, "ahead of")

    def _wait(self, until: Callable[[], bool], why: str) -> None:
        started_s = time.monotonic()
        self._inbox.wait(self._job, until, lambda: self._beat(f"{why} {self._job.id}"))
        self._meter.waited_s += time.monotonic() - started_s
