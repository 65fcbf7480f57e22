"""Cues -> PCM: sentences from the engine, clips from their files, pauses from nothing."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator

import numpy as np

from edged.engine.base import CacheAnswer, CacheUse, Engine, PcmChunk, Samples, SynthJob
from edged.errors import BadInputError
from edged.text.content import Clip, Silence
from edged.text.sentence import Sentence
from edged.workers.clips import Clips
from edged.workers.repeats import Cue
from edged.workers.voicing import Voicing

# What is said again is kept for that long, 6 MB at 24 kHz; the rest of it is synthesised again.
_KEPT_S = 60
_WORST_FIRST: tuple[CacheAnswer, ...] = ("miss", "hit")
_BLOCK_S = 1  # of silence: no longer than what a stop may have to wait for


class Performance:
    """The sound of one announcement. `warnings` are what went wrong with clips while it was made."""

    def __init__(
        self, job_id: str, engine: Engine, voicing: Voicing, clips: Clips, cache: CacheUse = "use"
    ) -> None:
        self._job_id = job_id
        self._engine = engine
        self._voicing = voicing
        self._clips = clips
        self._cache = cache
        self._answers: set[CacheAnswer | None] = set()
        self._rate_hz = engine.info.sample_rate_hz
        self._kept: dict[int, list[Samples]] = {}
        self._room = _KEPT_S * self._rate_hz  # samples that may still be kept
        self.warnings: list[str] = []

    @property
    def cache(self) -> CacheAnswer | None:
        """Whether all the speech so far came out of the phrase cache; None: none of it could have."""
        return next((answer for answer in _WORST_FIRST if answer in self._answers), None)

    def chunks(self, cues: Iterable[Cue]) -> Generator[PcmChunk]:
        """Mono PCM at the engine's rate; `sentence_index` counts the sentences and clips heard."""
        heard = -1
        for cue in cues:
            if not isinstance(cue.item, Silence):
                heard += 1
            for samples in self._samples(cue):
                yield PcmChunk(samples, self._rate_hz, max(heard, 0))

    def _samples(self, cue: Cue) -> Iterator[Samples]:
        match cue.item:
            case Silence(ms=ms):
                yield from self._silence(ms)
            case Clip(name=name):
                yield from self._clip(name)
            case Sentence() as sentence:
                yield from self._sentence(cue, sentence)

    def _silence(self, ms: int) -> Iterator[Samples]:
        left = self._rate_hz * ms // 1000
        while left > 0:
            block = min(left, self._rate_hz * _BLOCK_S)
            yield np.zeros(block, np.float32)
            left -= block

    def _clip(self, name: str) -> Iterator[Samples]:
        try:
            yield from self._clips.samples(name, self._rate_hz)
        except BadInputError as error:  # it was good when the script was read
            self.warnings.append(f"clip_skipped: {name}: {error.what}")

    def _sentence(self, cue: Cue, sentence: Sentence) -> Iterator[Samples]:
        kept = self._kept.get(cue.number) if cue.again else self._drop(cue.number)
        if kept is not None:
            yield from kept
            return
        said: list[Samples] = []
        for samples in self._synthesize(sentence):
            said.append(samples)
            yield samples
        length = sum(map(len, said))
        if cue.again and length <= self._room:
            self._kept[cue.number] = said
            self._room -= length

    def _drop(self, number: int) -> list[Samples] | None:
        kept = self._kept.pop(number, None)
        self._room += sum(map(len, kept or ()))
        return kept

    def _synthesize(self, sentence: Sentence) -> Iterator[Samples]:
        how = self._voicing
        job = SynthJob(self._job_id, (sentence,), how.voices, how.speed, how.options, self._cache)
        for chunk in self._engine.synthesize(job):
            self._answers.add(chunk.cache)
            yield chunk.samples
