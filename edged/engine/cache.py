"""The phrase cache: what was said once is not synthesised again. An Engine around an Engine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, replace

import numpy as np

from edged import __version__
from edged.engine.base import Engine, EngineInfo, PcmChunk, SynthJob
from edged.engine.phrase_store import PhraseStore

_BLOCK_S = 1  # of a phrase that is there at once: no longer than what a stop may have to wait for


class CachedEngine:
    """Keeps each sentence that the engine has spoken to its end, and says it from there the next time.

    A generative engine says a sentence without a seed differently each time: such a take is kept only when
    it is to be pinned. `model_sha256` tells the engine's model builds apart.
    """

    def __init__(self, engine: Engine, store: PhraseStore, model_sha256: str | None) -> None:
        self._engine = engine
        self._store = store
        self._model_sha256 = model_sha256

    @property
    def info(self) -> EngineInfo:
        return self._engine.info

    def warm_up(self) -> None:
        self._engine.warm_up()

    def set_threads(self, threads: int) -> None:
        self._engine.set_threads(threads)

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        if job.cache == "bypass":
            yield from self._engine.synthesize(job)
            return
        for index, sentence in enumerate(job.sentences):
            for chunk in self._sentence(replace(job, sentences=(sentence,))):
                yield replace(chunk, sentence_index=index)

    def close(self) -> None:
        self._engine.close()

    def _is_kept(self, job: SynthJob) -> bool:
        return job.cache == "pin" or job.options.seed is not None or "seed" not in self.info.options

    def _sentence(self, job: SynthJob) -> Iterator[PcmChunk]:
        key = phrase_key(self.info, self._model_sha256, job)
        phrase = self._store.get(key)
        if phrase is None:
            yield from self._synthesized(job, key)
            return
        if job.cache == "pin":
            self._store.pin(key)
        rate_hz = self.info.sample_rate_hz
        for start in range(0, len(phrase), rate_hz * _BLOCK_S):
            yield PcmChunk(phrase[start : start + rate_hz * _BLOCK_S], rate_hz, 0, "hit")

    def _synthesized(self, job: SynthJob, key: str) -> Iterator[PcmChunk]:
        said = []
        for chunk in self._engine.synthesize(job):
            said.append(chunk.samples)
            yield replace(chunk, cache="miss")
        # nobody comes here who was cancelled or failed on the way
        if said and self._is_kept(job):
            self._store.put(key, np.concatenate(said), is_pinned=job.cache == "pin")


def phrase_key(info: EngineInfo, model_sha256: str | None, job: SynthJob) -> str:
    """64 hex digits made of everything that changes how the one sentence of `job` sounds."""
    (sentence,) = job.sentences
    voice = job.voices[sentence.lang]
    of_voice = next((known.sha256 for known in info.voices if known.name == voice), "")
    told = {
        "edged": __version__,
        "engine": info.name,
        "model": model_sha256,
        "rate_hz": info.sample_rate_hz,
        "voice": [voice, of_voice],
        "sentence": asdict(sentence),
        "speed": job.speed,
        "options": asdict(job.options),
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()
