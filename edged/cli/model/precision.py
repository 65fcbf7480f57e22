"""The options that choose how a model's weights are kept, for the verbs that convert."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from edged.engine.qwen3.precision import VOCODER_PRECISIONS, Precision, Precisions, Weights, choose

_PART = click.Choice([precision.value for precision in Precision])
_VOCODER = click.Choice([precision.value for precision in VOCODER_PRECISIONS])


@dataclass(frozen=True, slots=True)
class WeightsChoice:
    """What was chosen on the command line; None where nothing was."""

    weights: str | None
    talker: str | None
    predictor: str | None
    vocoder: str | None

    def precisions(self, default: Precisions) -> Precisions:
        """A checkpoint's precisions; `default` is taken where nothing at all was chosen."""
        if self == WeightsChoice(None, None, None, None):
            return default
        return choose(self.weights or Weights.INT8, self.talker, self.predictor, self.vocoder)

    def of_whole_model(self) -> str | None:
        """The weights of a model that is not made of parts. Raises UsageError when a part was chosen."""
        if self.talker or self.predictor or self.vocoder:
            raise click.UsageError("--talker, --predictor and --vocoder are for Qwen3-TTS")
        return self.weights


def weights_options(verb: Callable[..., None]) -> Callable[..., None]:
    """--weights, --talker, --predictor and --vocoder, given to the verb as `choice`."""

    @click.option(
        "--weights",
        type=click.Choice([weights.value for weights in Weights]),
        help="kokoro: int8, w8a8. Qwen3-TTS: int8; int4: in groups of 128; mixed: talker int4, predictor "
        "int8; fp16, fp32; w8a8: 8-bit arithmetic, for CPUs without AVX2. Its vocoder is never 8-bit. "
        "[default: as the active build, else int8]",
    )
    @click.option("--talker", type=_PART, help="Another precision for the talker of Qwen3-TTS.")
    @click.option("--predictor", type=_PART, help="... for its code predictor.")
    @click.option("--vocoder", type=_VOCODER, help="... for its vocoder.")
    @functools.wraps(verb)
    def with_choice(
        *, weights: str | None, talker: str | None, predictor: str | None, vocoder: str | None, **options: Any
    ) -> None:
        verb(choice=WeightsChoice(weights, talker, predictor, vocoder), **options)

    return with_choice
