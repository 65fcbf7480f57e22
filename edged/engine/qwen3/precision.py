"""The precisions Qwen3-TTS can be built in; imports no library, because the CLI asks before it converts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from edged.errors import BadInputError

_Names = TypeVar("_Names", bound=StrEnum)

# raised when convert.py's results change: boards then build again
CONVERTER_VERSION = "1"


class Precision(StrEnum):
    """How one network keeps its weights. W8A8 rounds the inputs of its products to 8 bits as well."""

    INT8 = "int8"
    INT4 = "int4"
    FP16 = "fp16"
    FP32 = "fp32"
    W8A8 = "w8a8"


class Weights(StrEnum):
    """A choice for the whole model; see PRECISIONS for what each part gets."""

    INT8 = "int8"
    INT4 = "int4"
    FP16 = "fp16"
    FP32 = "fp32"
    MIXED = "mixed"
    W8A8 = "w8a8"


# 8-bit vocoder weights cost 30 dB of the sound (public measurement: SNR 47 -> 18 dB) and save 0.1 GB of disk
VOCODER_PRECISIONS = (Precision.FP16, Precision.FP32)


@dataclass(frozen=True, slots=True)
class Precisions:
    """The precision of each network of a model."""

    talker: Precision
    predictor: Precision
    vocoder: Precision

    def __post_init__(self) -> None:
        if self.vocoder not in VOCODER_PRECISIONS:
            raise BadInputError(
                f"no vocoder with {self.vocoder} weights: 8 bits are heard",
                f"one of: {', '.join(VOCODER_PRECISIONS)}",
            )

    def __str__(self) -> str:
        """As manifests say it."""
        return ", ".join(f"{part} {precision}" for part, precision in self.parts.items())

    @property
    def parts(self) -> dict[str, Precision]:
        """Precision by the network's name."""
        return {"talker": self.talker, "predictor": self.predictor, "vocoder": self.vocoder}

    @classmethod
    def parse(cls, text: str) -> Precisions:
        """The inverse of `str`."""
        return cls(*(Precision(part.split()[1]) for part in text.split(", ")))

    @property
    def instruction_set(self) -> str:
        """What a CPU must have for the weights to stay as small in memory as they are on disk."""
        weight_only = {Precision.INT8, Precision.INT4} & {self.talker, self.predictor}
        return "AVX2" if weight_only else "SSE4.2"


# half the disk would do as well, but OpenVINO unpacks float16 before it packs it its own way: 0.3 GB more RAM
_FLOAT = Precision.FP32

PRECISIONS: dict[Weights, Precisions] = {
    Weights.INT8: Precisions(Precision.INT8, Precision.INT8, _FLOAT),
    Weights.INT4: Precisions(Precision.INT4, Precision.INT4, _FLOAT),
    Weights.FP16: Precisions(Precision.FP16, Precision.FP16, Precision.FP16),
    Weights.FP32: Precisions(Precision.FP32, Precision.FP32, Precision.FP32),
    Weights.MIXED: Precisions(Precision.INT4, Precision.INT8, _FLOAT),
    Weights.W8A8: Precisions(Precision.W8A8, Precision.W8A8, _FLOAT),
}


def choose(
    weights: str, talker: str | None = None, predictor: str | None = None, vocoder: str | None = None
) -> Precisions:
    """The precisions that `weights` stands for, with some parts set otherwise. Raises BadInputError."""
    chosen = PRECISIONS[_named(Weights, weights, "weights")]
    return Precisions(
        _named(Precision, talker or chosen.talker, "talker"),
        _named(Precision, predictor or chosen.predictor, "predictor"),
        _named(Precision, vocoder or chosen.vocoder, "vocoder"),
    )


def _named(kind: type[_Names], name: str, what: str) -> _Names:
    try:
        return kind(name)
    except ValueError as error:
        raise BadInputError(f"{what}: there is no {name!r}", f"one of: {', '.join(kind)}") from error
