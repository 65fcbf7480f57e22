"""A network's weights in fewer bits. Runs at conversion only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edged.engine.qwen3.precision import Precision
from edged.engine.runtime import op, ov

import nncf  # isort: skip - after the runtime, which blocks its telemetry

# inputs that share a scale of their 4-bit weights: 3 % more bytes, and what the CPU's kernels are made for
_GROUP = 128
# the widest gain or bias is 24 kB; matrices are told apart by their nodes, not by comparing megabytes
_SMALL_BYTES = 64 << 10
_PRODUCTS = {"MatMul": 1}
_ALL = {**_PRODUCTS, "Gather": 0, "Convolution": 1, "GroupConvolution": 1}


def compress(network: Any, precision: Precision) -> Any:
    """The network with its matrices in `precision` (not W8A8); the given one may be changed.

    Everything smaller than a matrix (gains, angles, biases) stays as exact as it is.
    """
    match precision:
        case Precision.INT8:
            return nncf.compress_weights(network, mode=nncf.CompressWeightsMode.INT8_SYM)
        case Precision.INT4:
            group = math.gcd(_GROUP, *(m.get_output_shape(0)[1] for m, _ in matrices(network, _PRODUCTS)))
            # symmetric: a fifth faster on one row at a time than with zero points
            return nncf.compress_weights(
                network, mode=nncf.CompressWeightsMode.INT4_SYM, ratio=1.0, group_size=group
            )
        case Precision.FP16:
            found = matrices(network, _ALL)
            while found:
                stored, inputs = found.pop()  # the last reference: one matrix at a time is there twice
                half = op.convert(op.constant(float32_of(stored).astype(np.float16)), "f32")
                for entry in inputs:
                    entry.replace_source_output(half.output(0))
    return network


def share_constants(network: Any) -> None:
    """Let equal small constants (gains, angles, shapes) be one.

    The fifteen steps of the code predictor repeat three thousand of them; each costs a network that is
    loaded some 4 kB and its description a line.
    """
    kept: dict[tuple[str, tuple[int, ...], bytes], Any] = {}
    for node in network.get_ordered_ops():
        if node.get_type_name() != "Constant" or node.data.nbytes > _SMALL_BYTES:
            continue
        key = str(node.get_element_type()), tuple(node.get_output_shape(0)), node.data.tobytes()
        first = kept.setdefault(key, node)
        if first is not node:
            for entry in node.output(0).get_target_inputs():
                entry.replace_source_output(first.output(0))


def matrices(network: Any, ports: Mapping[str, int]) -> list[tuple[Any, list[Any]]]:
    """Float constants of two or more axes that enter nodes of these kinds at these ports, widened or not.

    In the network's order, each with all the inputs of nodes that it enters.
    """
    found: dict[str, tuple[Any, list[Any]]] = {}
    for node in network.get_ordered_ops():
        if node.get_type_name() not in ports:
            continue
        entry = node.input(ports[node.get_type_name()])
        source = entry.get_source_output().get_node()
        stored = source.input_value(0).get_node() if source.get_type_name() == "Convert" else source
        is_float = stored.get_element_type() in (ov.Type.f32, ov.Type.bf16)
        if stored.get_type_name() == "Constant" and is_float and len(stored.get_output_shape(0)) > 1:
            found.setdefault(stored.get_friendly_name(), (stored, []))[1].append(entry)
    return list(found.values())


def float32_of(constant: Any) -> NDArray[np.float32]:
    """The values of a float32 or bfloat16 constant as float32."""
    values: NDArray[Any] = constant.data
    if constant.get_element_type() == ov.Type.bf16:
        # numpy is told float16 where it is bfloat16: the upper half of a float32
        values = (values.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32)
    return values.astype(np.float32, copy=False)
