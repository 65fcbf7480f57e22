"""Codes -> samples, chunk by chunk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edged.engine.qwen3.vocoder_net import LONGEST_CHUNK
from edged.engine.runtime import CpuSettings, compile_model, ov

FEATURES_FILE = "vocoder_features.xml"
WAVEFORM_FILE = "vocoder_waveform.xml"


class Vocoder:
    """Decodes a stream of frames. However it is cut into chunks, the samples are the same.

    Every chunk comes back whole: nothing is held back or looked ahead at. Not for two threads at once.
    """

    def __init__(self, features: ov.Model, waveform: ov.Model, settings: CpuSettings) -> None:
        self.samples_per_frame: int = waveform.output("samples").shape[0]
        self._features = compile_model(features, settings).create_infer_request()
        self._waveform = compile_model(waveform, settings).create_infer_request()

    def reset(self) -> None:
        """Forget what was decoded: the next chunk begins a stream."""
        self._features.reset_state()
        self._waveform.reset_state()

    def __call__(self, codes: NDArray[np.integer]) -> NDArray[np.float32]:
        """codes [n, quantizers], n >= 1, that follow those of the call before -> samples [n * 1920]."""
        samples = np.empty((len(codes), self.samples_per_frame), np.float32)
        for start in range(0, len(codes), LONGEST_CHUNK):
            chunk = np.ascontiguousarray(codes[start : start + LONGEST_CHUNK], np.int32)
            features = self._features.infer({"codes": chunk}, share_inputs=True, share_outputs=True)[
                "features"
            ]
            for frame, part in enumerate(np.split(features, len(chunk), axis=1), start):
                samples[frame] = self._waveform.infer({"features": part}, share_inputs=True)["samples"]
        return samples.reshape(-1)
