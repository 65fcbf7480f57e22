"""Reading the published int8 ONNX export of Kokoro: its 8-bit tensors as they are, not rounded again.

The export is dynamically quantised: `DynamicQuantizeLinear -> MatMulInteger | ConvInteger -> Cast -> Mul` and
`DynamicQuantizeLSTM`. Its weights are taken over bit for bit; the quantised activations are not, because
they cost accuracy (pitch) and, on a CPU, time.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from edged.errors import ModelUnavailableError

FloatArray = NDArray[np.float32]

# what onnxruntime's quantiser puts between a float bias and the integer sum it is added to
_BIAS_CHAIN = frozenset({"Reshape", "Cast", "Floor", "Div"})


@dataclass(frozen=True, slots=True)
class QuantizedTensor:
    """An 8-bit tensor: value = (data - zero_point) * scale; both broadcast against `data`."""

    data: NDArray[Any]
    scale: FloatArray
    zero_point: FloatArray

    def dequantized(self) -> FloatArray:
        """The float32 values, shape of `data`."""
        return ((self.data.astype(np.float32) - self.zero_point) * self.scale).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Layer:
    """A linear layer ([out, in]) or convolution ([out, in, taps]) with an optional bias [out]."""

    weight: QuantizedTensor
    bias: FloatArray | None


@dataclass(frozen=True, slots=True)
class LstmWeights:
    """A bidirectional LSTM in ONNX gate order (i, o, f, c): w [2, 4H, in], r [2, 4H, H], bias [2, 8H]."""

    w: QuantizedTensor
    r: QuantizedTensor
    bias: FloatArray


class OnnxWeights:
    """The weights of the export, found by the names of its nodes and initialisers."""

    def __init__(self, path: Path) -> None:
        graph = onnx.load(str(path)).graph
        self._path = path
        self._initializers = {tensor.name: tensor for tensor in graph.initializer}
        self._nodes = {node.name: node for node in graph.node}
        self._producers = {output: node for node in graph.node for output in node.output}
        self._consumers: dict[str, list[Any]] = {}
        for node in graph.node:
            for name in node.input:
                self._consumers.setdefault(name, []).append(node)

    def array(self, name: str) -> NDArray[Any]:
        """The initialiser `name`."""
        if name not in self._initializers:
            raise self._unknown(name)
        return numpy_helper.to_array(self._initializers[name])

    def float_array(self, name: str) -> FloatArray:
        """The float initialiser `name`."""
        return self.array(name).astype(np.float32)

    def embedding(self, name: str) -> QuantizedTensor:
        """The quantised embedding table `name` [rows, width]."""
        data = self.array(f"{name}.weight_quantized")
        return QuantizedTensor(data, self.float_array(f"{name}.weight_scale"), np.float32(0))  # type: ignore[arg-type]

    def linear(self, path: str) -> Layer:
        """The linear layer whose MatMulInteger node is `<path>_quant`; the export holds it as [in, out]."""
        node = self._node(f"{path}_quant")
        data = self.array(node.input[1]).T
        scale = self._scale_of(node).reshape(-1, 1)
        zero_point = self.float_array(node.input[3]).reshape(-1, 1)
        return Layer(QuantizedTensor(data, scale, zero_point), self._bias_after(node))

    def conv(self, path: str) -> Layer:
        """The convolution whose ConvInteger node is `<path>/Conv_quant`."""
        node = self._node(f"{path}/Conv_quant")
        zero_point = self.float_array(node.input[3])
        weight = QuantizedTensor(self.array(node.input[1]), self._scale_of(node), zero_point)
        return Layer(weight, self._bias_after(node))

    def lstm(self, path: str) -> LstmWeights:
        """The bidirectional LSTM whose node is `<path>/LSTM_quant`."""
        node = self._node(f"{path}/LSTM_quant")
        w, r = (
            QuantizedTensor(
                self.array(node.input[data]).transpose(0, 2, 1),
                self.float_array(node.input[scale]).reshape(-1, 1, 1),
                self.float_array(node.input[zero_point]).reshape(-1, 1, 1),
            )
            for data, scale, zero_point in ((1, 8, 9), (2, 10, 11))
        )
        return LstmWeights(w, r, self.float_array(node.input[3]))

    def transposed_conv(self, path: str) -> tuple[FloatArray, FloatArray]:
        """Weight [in, out / groups, taps] and bias [out] of the node `path`; the export left these float."""
        node = self._node(path)
        return self.float_array(node.input[1]), self.float_array(node.input[2])

    def has_node(self, name: str) -> bool:
        """Whether the export has a node of this name."""
        return name in self._nodes

    def _scale_of(self, node: Any) -> FloatArray:
        return self.float_array(node.input[1].removesuffix("_quantized") + "_scale")

    def _bias_after(self, node: Any) -> FloatArray | None:
        """The bias added to the node's integer or rescaled result, if there is one."""
        while True:
            consumers = self._consumers[node.output[0]]
            if len(consumers) != 1 or consumers[0].op_type not in {"Cast", "Mul", "Add", "FastGelu"}:
                return None
            previous, node = node, consumers[0]
            if node.op_type in {"Add", "FastGelu"}:
                others = [name for name in node.input if name != previous.output[0]]
                return self._float_behind(others[0])

    def _float_behind(self, name: str) -> FloatArray | None:
        while name not in self._initializers:
            node = self._producers.get(name)
            if node is None or node.op_type not in _BIAS_CHAIN:
                return None
            name = node.input[0]
        return self.float_array(name)

    def _node(self, name: str) -> Any:
        if name not in self._nodes:
            raise self._unknown(name)
        return self._nodes[name]

    def _unknown(self, name: str) -> ModelUnavailableError:
        return ModelUnavailableError(
            f"{self._path}: no {name!r} in it, so this is not the Kokoro export edged knows",
            "edged model install kokoro",
        )
