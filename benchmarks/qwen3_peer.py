"""Child of qwen3.py in .venv-reference: the reference PyTorch. Arguments: CHECKPOINT fp32|bf16.

Answers each JSON line on standard input by one on standard output, after a first one that says it is ready:

    {"do": "frames", "text": "…", "frames": 25, "threads": 2}
        speaks with the published sampling settings, exactly so many frames
        -> {"frames": 25, "prefill_ms": …, "ms_per_frame": {"talker": …, "predictor": …}, "peak_rss_mb": …}
    {"do": "vocode", "frames": 50, "repeat": 3, "threads": 2}
        codes to samples, all frames in one call, the best of so many
        -> {"frames": 50, "ms_per_frame": …, "peak_rss_mb": …}

Ends with standard input, or with a message on standard error and status 1 at the first failure.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

# installed in .venv-reference only
import torch  # type: ignore[import-not-found]
from transformers import logging  # type: ignore[import-not-found]

from tests.reference.reference import Reference, Request

_DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}
Answer = dict[str, Any]


def main() -> None:
    """Serve until standard input closes."""
    logging.set_verbosity_error()
    peer = Peer(Path(sys.argv[1]), _DTYPES[sys.argv[2]])
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        print(json.dumps(_answer(peer, json.loads(line))), flush=True)


class Peer:
    """The reference with a checkpoint, timed."""

    def __init__(self, checkpoint: Path, dtype: torch.dtype) -> None:
        self._reference = Reference(checkpoint, dtype)
        config = json.loads((checkpoint / "config.json").read_text(encoding="utf-8"))
        self._model_type = config["tts_model_type"]
        self._speaker = next(iter(config["talker_config"]["spk_id"]), None)

    def frames(self, text: str, frames: int) -> Answer:
        """Time of each part of the loop per frame, and of everything before the first frame."""
        talker = self._reference.model.talker
        starts, predicting = list[float](), _Stopwatch(talker.code_predictor.generate)
        hook = talker.register_forward_pre_hook(lambda *_: starts.append(time.perf_counter()))
        try:
            with patch.object(talker.code_predictor, "generate", predicting):
                begin = time.perf_counter()
                self._reference.generate(self._request(text), frames, sample=True, may_end=False)
                end = time.perf_counter()
        finally:
            hook.remove()
        first_frame = starts[1]  # the first call of the talker reads the prompt
        talking = end - first_frame - predicting.seconds
        return {
            "frames": frames,
            "prefill_ms": (first_frame - begin) * 1000,
            "ms_per_frame": {
                "talker": talking * 1000 / frames,
                "predictor": predicting.seconds * 1000 / frames,
            },
        }

    def vocode(self, frames: int, repeat: int) -> Answer:
        """Time of the vocoder per frame."""
        codes = np.random.default_rng(0).integers(0, 2048, (frames, 16))
        decoding = [_Stopwatch(self._reference.vocode) for _ in range(repeat)]
        for decode in decoding:
            decode(codes)
        best = min(decode.seconds for decode in decoding)
        return {"frames": frames, "ms_per_frame": best * 1000 / frames}

    def _request(self, text: str) -> Request:
        size = self._reference.hidden_size
        voice = np.zeros(size, np.float32) if self._model_type == "base" else None
        return Request(text, speaker=self._speaker, x_vector=voice)


class _Stopwatch:
    """A function and the seconds spent in it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.seconds = 0.0

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        start = time.perf_counter()
        try:
            return self._function(*arguments, **named)
        finally:
            self.seconds += time.perf_counter() - start


def _answer(peer: Peer, request: dict[str, Any]) -> Answer:
    torch.set_num_threads(request["threads"])
    match request["do"]:
        case "frames":
            answer = peer.frames(request["text"], request["frames"])
        case "vocode":
            answer = peer.vocode(request["frames"], request["repeat"])
        case other:
            raise ValueError(f"unknown request {other!r}")
    return {**answer, "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


if __name__ == "__main__":
    main()
