"""Compiling networks: what is set, and what happens when the cache or a file is no good."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edged.engine.runtime import CpuSettings, compile_model, op, ov, read_model
from edged.errors import ModelUnavailableError


def doubling() -> Any:
    """y = 2x."""
    x = op.parameter([1, 4], ov.Type.f32, name="x")
    return ov.Model([op.result(op.multiply(x, op.constant(np.float32(2))))], [x], "doubling")


def doubled(compiled: Any) -> list[float]:
    return [float(value) for value in compiled(np.arange(4, dtype=np.float32)[None])[0][0]]


def modules_after(code: str) -> str:
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sorted(sys.modules))"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_openvino_is_imported_without_its_telemetry() -> None:
    """No part of the telemetry package is loaded, and the library works without."""
    code = "from edged.engine.runtime import op, ov; import openvino.tools.ovc; assert ov.Core()"
    loaded = modules_after(code).split()
    assert "openvino" in loaded
    assert not [name for name in loaded if name.startswith("openvino_telemetry.")]


def test_threads_and_precision_are_what_was_asked(caplog: pytest.LogCaptureFixture) -> None:
    """The compiled network has the asked number of threads, one stream and float32, and the log says so."""
    caplog.set_level(logging.INFO)
    compiled = compile_model(doubling(), CpuSettings(threads=1))
    assert doubled(compiled) == [0, 2, 4, 6]
    assert compiled.get_property("INFERENCE_NUM_THREADS") == 1
    assert compiled.get_property("NUM_STREAMS") == 1
    assert compiled.get_property("INFERENCE_PRECISION_HINT") == ov.Type.f32
    assert compiled.get_property("ENABLE_CPU_PINNING") is False
    assert "compiled doubling" in caplog.text


def test_rounding_of_activations_and_of_the_cache_is_what_was_asked() -> None:
    """Groups that share a scale, and how attention keeps keys and values."""
    compiled = compile_model(doubling(), CpuSettings(1), activation_group=64, kv_cache="f16")
    assert compiled.get_property("DYNAMIC_QUANTIZATION_GROUP_SIZE") == 64
    assert compiled.get_property("KV_CACHE_PRECISION") == ov.Type.f16
    exact = compile_model(doubling(), CpuSettings(1), exact_activations=True, kv_cache="f32")
    assert exact.get_property("DYNAMIC_QUANTIZATION_GROUP_SIZE") == 0
    assert exact.get_property("KV_CACHE_PRECISION") == ov.Type.f32


@pytest.mark.parametrize(("snippets", "generated"), [(True, True), (False, False)])
def test_code_for_chains_of_small_operations_is_generated_when_asked(snippets: bool, generated: bool) -> None:
    """Without it each of them is a step of its own."""
    x = op.parameter([1, 64], ov.Type.f32)
    chain = ov.Model([op.exp(op.abs(op.add(x, op.sigmoid(x))))], [x], "chain")
    steps = compile_model(chain, CpuSettings(1), snippets=snippets).get_runtime_model().get_ops()
    kinds = {str(step.get_rt_info()["layerType"].value) for step in steps}
    assert ("Subgraph" in kinds) is generated


def test_no_threads_are_refused() -> None:
    """OpenVINO would read 0 as "all", which the player's core is not part of."""
    with pytest.raises(ValueError, match="at least 1"):
        CpuSettings(threads=0)


def test_compiled_networks_are_kept_in_the_cache(tmp_path: Path) -> None:
    """A cache folder that does not exist yet is made and used."""
    cache = tmp_path / "made" / "cache"
    compile_model(doubling(), CpuSettings(1, cache_dir=cache))
    assert list(cache.glob("*.blob"))


def test_a_file_in_place_of_the_cache_costs_a_warning_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Compiling goes on without the cache."""
    (tmp_path / "cache").write_text("not a folder")
    compiled = compile_model(doubling(), CpuSettings(1, cache_dir=tmp_path / "cache"))
    assert doubled(compiled) == [0, 2, 4, 6]
    assert "no compile cache" in caplog.text


@pytest.mark.skipif(not Path("/dev/full").exists() or os.geteuid() != 0, reason="mounts a tmpfs")
def test_a_full_cache_costs_a_warning_only(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """On a disk with less room than a network needs, nothing is written."""
    cache = tmp_path / "cache"
    cache.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=10m", "tmpfs", cache], check=False)
    if mounted.returncode:
        pytest.skip("may not mount here")
    try:
        assert doubled(compile_model(doubling(), CpuSettings(1, cache_dir=cache))) == [0, 2, 4, 6]
        assert not list(cache.iterdir())
    finally:
        subprocess.run(["umount", cache], check=True)
    assert "less than 256 MB free" in caplog.text


@pytest.mark.parametrize("content", [None, b"", b"<net this is no network"])
def test_a_file_that_is_no_network_is_named(tmp_path: Path, content: bytes | None) -> None:
    """The message has the path and what to do."""
    path = tmp_path / "text.xml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelUnavailableError, match=r"text\.xml") as caught:
        read_model(path)
    assert "edged model install" in caught.value.hint
