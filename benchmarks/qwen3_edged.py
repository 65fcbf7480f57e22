"""Child of qwen3.py: edged's engine. Arguments: MODEL_DIR THREADS."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import psutil

from edged.engine.base import SpeechOptions, SynthJob
from edged.engine.qwen3.engine import Qwen3Engine
from edged.engine.qwen3.generate import FRAMES_PER_SECOND
from edged.text.sentence import Lang, Sentence

_PROMPT_ROWS = 40  # as a sentence of twenty characters has
_VOCODER_FRAMES = 8  # the chunk most of an utterance is made in


def main() -> None:
    """Answer the requests `speak` and `stages` until standard input closes."""
    engine = Qwen3Engine(Path(sys.argv[1]), threads=int(sys.argv[2]), cache_dir=None)
    engine.warm_up()
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        answer = _REQUESTS[request.pop("do")](engine, **request)
        peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        rss_mb = psutil.Process().memory_info().rss / 1e6
        print(json.dumps({**answer, "rss_mb": rss_mb, "peak_rss_mb": peak_kb * 1024 / 1e6}), flush=True)


def speak(engine: Qwen3Engine, text: str, frames: int, seed: int) -> dict[str, Any]:
    """Text to samples, at most so many frames: seconds altogether and to the first chunk, frames spoken.

    Random weights end where they like, so the frames are counted in what was spoken.
    """
    options = SpeechOptions(seed=seed, max_seconds=frames / FRAMES_PER_SECOND)
    voices: dict[Lang, str] = {"zh": engine.info.default_voice("zh")}
    job = SynthJob("benchmark", (Sentence("zh", text, 0),), voices, options=options)
    samples, first_s = 0, 0.0
    start = time.perf_counter()
    for chunk in engine.synthesize(job):
        first_s = first_s or time.perf_counter() - start
        samples += len(chunk.samples)
    seconds = time.perf_counter() - start
    spoken = samples / engine.info.sample_rate_hz * FRAMES_PER_SECOND
    return {"seconds": seconds, "first_audio_s": first_s, "frames": spoken}


def stages(engine: Qwen3Engine, frames: int) -> dict[str, Any]:
    """Median milliseconds per frame of each network alone, none beside it."""
    networks, shapes = engine.networks(), engine.config.talker_config
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((_PROMPT_ROWS, shapes.hidden_size), np.float32)
    noise = np.zeros((shapes.num_code_groups - 1, shapes.code_predictor_config.vocab_size), np.float32)
    codes = rng.integers(0, 2048, (_VOCODER_FRAMES, shapes.num_code_groups))
    networks.talker.reset()
    networks.talker(rows)
    networks.vocoder.reset()
    rounds = frames // _VOCODER_FRAMES or 1
    return {
        "talker": _median_ms(lambda: networks.talker(rows[:1]), frames),
        "predictor": _median_ms(lambda: networks.predictor(rows[0], rows[1], noise), frames),
        "vocoder": _median_ms(lambda: networks.vocoder(codes), rounds) / _VOCODER_FRAMES,
    }


def _median_ms(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * median(times)


_REQUESTS: dict[str, Callable[..., dict[str, Any]]] = {"speak": speak, "stages": stages}

if __name__ == "__main__":
    main()
