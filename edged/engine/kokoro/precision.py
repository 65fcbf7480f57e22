"""The precisions Kokoro can be built in; imports nothing, because the installer asks before it converts."""

from __future__ import annotations

from enum import StrEnum

# raised when convert.py's results change: boards then build again
CONVERTER_VERSION = "2"


class Weights(StrEnum):
    """What has 8 bits: INT8 the weights alone, W8A8 the generator's residual convolutions' inputs as well."""

    INT8 = "int8"
    W8A8 = "w8a8"


PRECISIONS: dict[str, str] = {
    Weights.INT8: "int8 weights, float32 arithmetic",
    Weights.W8A8: "int8 weights, int8 arithmetic in the generator's residual blocks, float32 elsewhere",
}
