"""Features -> samples: the generator network between excitation and waveform."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from edged.engine.kokoro.model_files import GENERATOR_FILE, ModelFiles
from edged.engine.kokoro.source import SPECTRUM_BINS, excitation, waveform
from edged.engine.runtime import CpuSettings, compile_model, read_model

FloatArray = NDArray[np.float32]

_FEATURES = 512
_COLUMNS_PER_FRAME = 60  # of the spectrum; and one more at the end


class Generator:
    """The network compiled for one length, `longest` 12.5 ms frames; shorter speech is padded.

    A second, shorter length would cost 260 MB of unpacked weights and tensors to spare 0.3 s on short calls.
    """

    def __init__(self, files: ModelFiles, settings: CpuSettings) -> None:
        self.longest = files.spec.generator_frames
        self._harmonics = files.harmonics()
        network = fixed_length(read_model(files.path(GENERATOR_FILE)), self.longest)
        self._request = compile_model(network, settings).create_infer_request()

    def __call__(
        self, features: FloatArray, pitch_hz: FloatArray, style: FloatArray, weights: FloatArray
    ) -> FloatArray:
        """features [512, n], pitch [n], style [256], weights [n] (see silence.Span) -> samples [300n]."""
        source = excitation(pitch_hz, self._harmonics)
        inputs = padded_inputs(features, source, style, weights, self.longest)
        spectrum: Any = self._request.infer(inputs)["spectrum"]
        return waveform(spectrum[0, :, : source.shape[1]])


def fixed_length(network: Any, frames: int) -> Any:
    """A copy of the network for inputs of exactly this length."""
    fixed = network.clone()
    fixed.reshape(
        {
            "features": [1, _FEATURES, frames],
            "excitation": [1, 2 * SPECTRUM_BINS, _COLUMNS_PER_FRAME * frames + 1],
            "weight": [1, 1, frames],
        }
    )
    return fixed


def padded_inputs(
    features: FloatArray, excitation: FloatArray, style: FloatArray, weights: FloatArray, frames: int
) -> dict[str, FloatArray]:
    """The inputs of a network of fixed length, zeros after the speech."""
    missing = frames - len(weights)

    def pad(array: FloatArray, columns: int) -> FloatArray:
        return np.pad(array, [(0, 0), (0, columns)])[None]

    return {
        "features": pad(features, missing),
        "excitation": pad(excitation, _COLUMNS_PER_FRAME * missing),
        "weight": pad(weights[None], missing),
        "style": style[None],
    }
