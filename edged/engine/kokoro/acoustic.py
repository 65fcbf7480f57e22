"""Phonemes -> features: the networks at token rate and at frame rate, and the stretching between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edged.engine.kokoro.model_files import FRAMES_FILE, TEXT_FILE, ModelFiles
from edged.engine.runtime import CpuSettings, compile_model, read_model

FloatArray = NDArray[np.float32]

# Coarse enough for a handful of shapes, fine enough to waste little of work that is small anyway.
_TOKEN_STEP = 24
_FRAME_STEP = 50  # of 25 ms


@dataclass(frozen=True, slots=True)
class Acoustics:
    """What the generator speaks from, per 12.5 ms frame: pitch_hz [n], energy [n], features [512, n]."""

    pitch_hz: FloatArray
    energy: FloatArray
    features: FloatArray


class AcousticModel:
    """Text and frames networks, padded to a few lengths.

    OpenVINO keeps something for every new shape (2 MB and more), so free lengths would let memory grow
    without end.
    """

    def __init__(self, files: ModelFiles, settings: CpuSettings) -> None:
        self._text, self._frames = (
            compile_model(
                read_model(files.path(name)), settings, exact_activations=True
            ).create_infer_request()
            for name in (TEXT_FILE, FRAMES_FILE)
        )

    def __call__(self, tokens: list[int], style: FloatArray, speed: float) -> Acoustics:
        """Token ids, style [256] and speed (2.0: twice as fast) -> acoustics."""
        count = len(tokens)
        text: Any = self._text.infer(
            {
                "tokens": _padded(np.asarray([tokens], np.int64), _TOKEN_STEP),
                "valid": _padded(np.ones((1, count, 1), np.float32), _TOKEN_STEP),
                "style": style[None],
            }
        )
        repeats = np.maximum(np.rint(text["durations"][0, :count] / speed), 1).astype(np.int64)
        length = int(repeats.sum())
        frames: Any = self._frames.infer(
            {
                "prosody": _padded(np.repeat(text["prosody"][:, :count], repeats, axis=1), _FRAME_STEP),
                "articulation": _padded(
                    np.repeat(text["articulation"][:, :count], repeats, axis=1), _FRAME_STEP
                ),
                "valid": _padded(np.ones((1, length, 1), np.float32), _FRAME_STEP),
                "style": style[None],
            }
        )
        # copies: the request's own tensors are overwritten by the next sentence
        end = 2 * length
        return Acoustics(
            frames["pitch_hz"][0, :end].copy(),
            frames["energy"][0, :end].copy(),
            frames["features"][0, :, :end].copy(),
        )


def _padded(array: NDArray[Any], step: int) -> NDArray[Any]:
    """[1, n, ...] with zeros appended up to a multiple of `step`."""
    missing = -array.shape[1] % step
    return np.pad(array, [(0, 0), (0, missing)] + [(0, 0)] * (array.ndim - 2))
