"""A tiny Qwen3-TTS model folder, converted from a tiny checkpoint with random weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from edged.engine.qwen3.checkpoint import open_checkpoint
from edged.engine.qwen3.convert import convert
from edged.engine.qwen3.model_files import VOICES_FOLDER
from edged.engine.qwen3.precision import PRECISIONS, Weights
from tests.fakes.qwen3_checkpoint import write_tiny_checkpoint


def write_tiny_model(folder: Path, model_type: str = "custom_voice", weights: Weights = Weights.FP32) -> Path:
    """The model `folder/model`; a Base model gets the voice `ada`."""
    checkpoint = open_checkpoint(write_tiny_checkpoint(folder / "checkpoint", model_type))
    model = folder / "model"
    model.mkdir()
    convert(checkpoint, model, PRECISIONS[weights], "tiny", lambda what, fraction: None)
    if model_type == "base":
        (model / VOICES_FOLDER).mkdir()
        x_vector = np.random.default_rng(0).standard_normal(checkpoint.config.x_vector_size, np.float32)
        np.save(model / VOICES_FOLDER / "ada.npy", x_vector)
    return model
