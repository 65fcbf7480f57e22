"""What one frame (80 ms of speech) costs: weight bytes that are read, float32 operations of the vocoder.

Pure arithmetic on the published shapes; what a machine makes of it is measured by `qwen3.py` and predicted
by `boards.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from edged.engine.qwen3.config import ModelConfig, TalkerConfig, TransformerConfig, VocoderConfig
from edged.engine.qwen3.generate import FRAMES_PER_SECOND
from edged.engine.qwen3.layout import transformer_layout, vocoder_layout
from edged.engine.qwen3.vocoder_cost import vocoder_flop_per_frame

# bits a weight takes when it is read; 4-bit weights share a float16 scale per 128
WEIGHT_BITS: Mapping[str, float] = {"fp32": 32, "fp16": 16, "int8": 8, "w8a8": 8, "int4": 4 + 16 / 128}


@dataclass(frozen=True, slots=True)
class FrameCost:
    """Bytes of weights read per frame, those of one predictor pass, and operations of the vocoder.

    `resident_mb` stays in memory: the weights, the predictor's embeddings, and a float32 vocoder.
    One pass of the predictor is 1/15 of its bytes and read again and again, so a cache may keep some of it.
    """

    talker_weights: int
    talker_mb: float
    predictor_mb: float
    predictor_pass_mb: float
    vocoder_gflop: float
    resident_mb: float


@dataclass(frozen=True, slots=True)
class Limit:
    """Milliseconds per frame below which no program gets on a machine, stage by stage."""

    talker_ms: float
    predictor_ms: float
    vocoder_ms: float

    @property
    def autoregressive_ms(self) -> float:
        """Talker and predictor, one after the other."""
        return self.talker_ms + self.predictor_ms

    @property
    def sum_ms(self) -> float:
        """Nothing overlaps."""
        return self.autoregressive_ms + self.vocoder_ms

    @property
    def rtf(self) -> float:
        """Real-time factor of the sum."""
        return self.sum_ms * FRAMES_PER_SECOND / 1000


def frame_cost(config: ModelConfig, vocoder: VocoderConfig, talker: str, predictor: str) -> FrameCost:
    """Cost of a model with these shapes and precisions."""
    shapes, inner = config.talker_config, config.talker_config.code_predictor_config
    talker_weights = _layer_weights(shapes) + shapes.vocab_size * shapes.hidden_size
    layers = _layer_weights(inner) + _projection_weights(shapes)
    passes = inner.num_code_groups - 1  # the first takes two positions at once
    heads = passes * inner.vocab_size * inner.hidden_size
    embeddings = passes * inner.vocab_size * shapes.hidden_size
    predictor_bytes = WEIGHT_BITS[predictor] / 8
    talker_mb = talker_weights * WEIGHT_BITS[talker] / 8 / 1e6
    predictor_mb = (passes * layers + heads) * predictor_bytes / 1e6
    vocoder_weights = sum(prod(shape) for shape in vocoder_layout(vocoder).values())
    return FrameCost(
        talker_weights=talker_weights,
        talker_mb=talker_mb,
        predictor_mb=predictor_mb,
        predictor_pass_mb=predictor_mb / passes,
        vocoder_gflop=vocoder_flop_per_frame(vocoder) / 1e9,
        resident_mb=talker_mb + ((layers + heads + embeddings) * predictor_bytes + vocoder_weights * 4) / 1e6,
    )


def limit(cost: FrameCost, *, talker_gb_per_s: float, predictor_gb_per_s: float, gflop_per_s: float) -> Limit:
    """What the cost takes at these rates."""
    return Limit(
        cost.talker_mb / talker_gb_per_s,
        cost.predictor_mb / predictor_gb_per_s,
        1000 * cost.vocoder_gflop / gflop_per_s,
    )


def _layer_weights(config: TransformerConfig) -> int:
    return sum(prod(shape) for name, shape in transformer_layout("", config) if len(shape) > 1)


def _projection_weights(config: TalkerConfig) -> int:
    inner = config.code_predictor_config.hidden_size
    return 0 if inner == config.hidden_size else inner * config.hidden_size
