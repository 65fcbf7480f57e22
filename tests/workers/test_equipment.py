"""What is put on an engine, and in which order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from edged.audio.level import rms_dbfs
from edged.config.schema import Config
from edged.engine.base import EngineInfo, PcmChunk, Samples, SynthJob
from edged.engine.tone import ToneEngine
from edged.io.loudness_file import LoudnessFile
from edged.text.sentence import Sentence
from edged.workers.engines import LoadedEngine
from edged.workers.equipment import equipped

DIGEST = "1" * 64
JOB = SynthJob("a", (Sentence("en", "Hello you", 0),), {"zh": "tone", "en": "tone"})


class Paceless(ToneEngine):
    """Has no speed of its own, and counts what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.said = 0

    @property
    def info(self) -> EngineInfo:
        return replace(super().info, options=frozenset())

    def synthesize(self, job: SynthJob) -> Iterator[PcmChunk]:
        self.said += 1
        return super().synthesize(job)


def config(folder: Path, cache_mb: int = 1) -> Config:
    paths = {"cache_dir": folder / "cache", "models_dir": folder}
    return Config.model_validate({"speech": {"engine": "tone", "cache_mb": cache_mb}, "paths": paths})


def joined(chunks: Iterator[PcmChunk]) -> Samples:
    return np.concatenate([chunk.samples for chunk in chunks])


def test_one_take_is_good_for_every_pace_and_loudness(tmp_path: Path) -> None:
    """The engine says it once; then only what is put on it works."""
    LoudnessFile(tmp_path).record(DIGEST, {"tone": -10.0})
    engine = Paceless()
    equipment = equipped(LoadedEngine(engine, "tone", DIGEST), config(tmp_path))
    own = joined(ToneEngine().synthesize(JOB))
    gain_db = -6.0
    assert np.allclose(joined(equipment.synthesize(JOB)), own * 10 ** (gain_db / 20), atol=1e-4)
    for speed in (2.0, 0.8):
        heard = joined(equipment.synthesize(replace(JOB, speed=speed)))
        assert len(heard) == round(len(own) / speed)
        assert rms_dbfs(heard) == pytest.approx(rms_dbfs(own) + gain_db, abs=0.3)
    assert engine.said == 1


def test_an_engine_without_a_model_keeps_its_loudness(tmp_path: Path) -> None:
    """And its own pace, where it has one; nothing is kept where there is no room for it."""
    equipment = equipped(LoadedEngine(ToneEngine(), "tone", None), config(tmp_path, cache_mb=0))
    fast = replace(JOB, speed=2.0)
    assert np.array_equal(joined(equipment.synthesize(fast)), joined(ToneEngine().synthesize(fast)))
    assert not (tmp_path / "cache").exists()


def test_another_build_of_the_model_is_heard_at_once(tmp_path: Path) -> None:
    """What an older one has said is not taken for it."""
    engine = Paceless()
    for digest in (DIGEST, "2" * 64, DIGEST):
        joined(equipped(LoadedEngine(engine, "tone", digest), config(tmp_path)).synthesize(JOB))
    assert engine.said == 2
