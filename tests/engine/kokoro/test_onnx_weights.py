"""Reading quantised layers out of an ONNX file laid out as onnxruntime's quantiser leaves it."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from edged.engine.kokoro.onnx_weights import OnnxWeights
from edged.errors import ModelUnavailableError

MATMUL = np.arange(-6, 6, dtype=np.int8).reshape(3, 4)
CONV = np.arange(0, 24, dtype=np.uint8).reshape(2, 4, 3)


def dynamic(kind: str, path: str, weight: str, scale: str, tail: list[Any]) -> list[Any]:
    """The nodes of one dynamically quantised layer up to its rescaled result `<path>_out`, then `tail`."""
    return [
        helper.make_node(
            kind, ["x_q", weight, "x_zp", f"{weight}_zp"], [f"{path}_int"], name=f"{path}_quant"
        ),
        *tail,
        helper.make_node("Mul", [f"{path}_float", scale], [f"{path}_out"], name=f"{path}_rescale"),
    ]


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> OnnxWeights:
    """One linear layer with bias, one convolution with bias, one without."""
    cast = helper.make_node
    nodes = [
        *dynamic(
            "MatMulInteger",
            "/fc/MatMul",
            "fc_quantized",
            "fc_s",
            [cast("Cast", ["/fc/MatMul_int"], ["/fc/MatMul_float"], to=TensorProto.FLOAT)],
        ),
        cast("Add", ["fc.bias", "/fc/MatMul_out"], ["fc_y"]),
        cast("Div", ["conv.bias", "conv_s"], ["bias_div"]),
        cast("Floor", ["bias_div"], ["bias_floor"]),
        cast("Cast", ["bias_floor"], ["bias_int"], to=TensorProto.INT32),
        cast("Reshape", ["bias_int", "bias_shape"], ["bias_3d"]),
        *dynamic(
            "ConvInteger",
            "/conv/Conv",
            "conv_quantized",
            "conv_s",
            [
                cast("Add", ["/conv/Conv_int", "bias_3d"], ["conv_sum"]),
                cast("Cast", ["conv_sum"], ["/conv/Conv_float"], to=TensorProto.FLOAT),
            ],
        ),
        *dynamic(
            "ConvInteger",
            "/short/Conv",
            "conv_quantized",
            "conv_s",
            [cast("Cast", ["/short/Conv_int"], ["/short/Conv_float"], to=TensorProto.FLOAT)],
        ),
        cast("Add", ["/short/Conv_out", "/conv/Conv_out"], ["y"]),
    ]
    arrays = {
        "fc_quantized": MATMUL,
        "fc_quantized_zp": np.array([0, 1, 0, 2], np.int8),
        "fc_scale": np.array([1, 2, 3, 4], np.float32),
        "fc.bias": np.arange(4, dtype=np.float32),
        "conv_quantized": CONV,
        "conv_quantized_zp": np.uint8(12),
        "conv_scale": np.float32(0.5),
        "conv.bias": np.array([7, 8], np.float32),
        "bias_shape": np.array([1, -1, 1], np.int64),
    }
    initializers = [numpy_helper.from_array(np.asarray(array), name) for name, array in arrays.items()]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]
    graph = helper.make_graph(nodes, "export", [], outputs, initializers)
    path = tmp_path_factory.mktemp("export") / "export.onnx"
    onnx.save(helper.make_model(graph), path)
    return OnnxWeights(path)


def test_a_linear_layer_is_turned_to_rows_per_output(weights: OnnxWeights) -> None:
    """Each column with its own scale and zero point becomes a row; the bias behind the Mul is found."""
    layer = weights.linear("/fc/MatMul")
    expected = ((MATMUL - np.array([0, 1, 0, 2])) * np.array([1, 2, 3, 4])).T
    np.testing.assert_array_equal(layer.weight.dequantized(), expected)
    assert layer.weight.data.dtype == np.int8
    np.testing.assert_array_equal(layer.bias, [0, 1, 2, 3])


def test_a_convolution_keeps_its_8_bits(weights: OnnxWeights) -> None:
    """The unsigned weights with one scale and zero point; the float bias is found before its rounding."""
    layer = weights.conv("/conv")
    np.testing.assert_array_equal(layer.weight.data, CONV)
    np.testing.assert_array_equal(layer.weight.dequantized(), (CONV.astype(np.float32) - 12) * 0.5)
    np.testing.assert_array_equal(layer.bias, [7, 8])


def test_a_residual_is_not_taken_for_a_bias(weights: OnnxWeights) -> None:
    """A convolution without bias whose result is added to something else has none."""
    assert weights.conv("/short").bias is None


def test_another_file_is_refused_by_name(weights: OnnxWeights) -> None:
    """The message names what was looked for."""
    with pytest.raises(ModelUnavailableError, match=r"export\.onnx.*'/nowhere/Conv_quant'"):
        weights.conv("/nowhere")
    with pytest.raises(ModelUnavailableError, match="'no such'"):
        weights.array("no such")
    assert weights.has_node("/conv/Conv_quant")
    assert not weights.has_node("/nowhere/Conv_quant")
