"""The one place that imports OpenVINO and sets its properties.

Other modules take `ov` and `op` from here, so that telemetry is blocked before the library is first
imported. Only the CPU device is ever named: listing devices loads every plugin and has crashed CPUs without
AVX.
"""

from __future__ import annotations

import ctypes
import logging
import os
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from edged.engine.offline import block_telemetry

block_telemetry()

import openvino as ov  # noqa: E402
import openvino.opset13 as op  # noqa: E402

__all__ = ["CpuSettings", "compile_model", "op", "ov", "read_model"]

from edged.engine.compile_cache import drop_damaged, note_new, prune  # noqa: E402
from edged.errors import EngineError, ModelUnavailableError  # noqa: E402

_log = logging.getLogger(__name__)

KvCache = Literal["f32", "f16"]

# The cache is left alone below this: a compiled network is up to 100 MB, and a file cut short by a full disk
# makes every later start fail on it.
_CACHE_FREE_BYTES = 256 << 20
_REPORTED = (
    "INFERENCE_NUM_THREADS",
    "NUM_STREAMS",
    "PERFORMANCE_HINT",
    "INFERENCE_PRECISION_HINT",
    "ENABLE_CPU_PINNING",
)


@dataclass(frozen=True, slots=True)
class CpuSettings:
    """How networks are compiled: CPU threads, whether bound to cores, where compiled networks are kept."""

    threads: int
    pin: bool = False
    cache_dir: Path | None = None

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise ValueError(f"threads must be at least 1, not {self.threads}")


def read_model(path: Path) -> Any:
    """The network of an IR file. Raises ModelUnavailableError when it is missing or damaged."""
    try:
        return _core().read_model(path)
    except RuntimeError as error:
        raise ModelUnavailableError(
            f"{path}: cannot be read as a network: {_first_line(error)}", "edged model install NAME --force"
        ) from error


def compile_model(
    model: Any,
    settings: CpuSettings,
    *,
    exact_activations: bool = False,
    activation_group: int | None = None,
    kv_cache: KvCache | None = None,
    snippets: bool = True,
) -> Any:
    """Compile a network for the CPU, tuned for the latency of one request in float32.

    Layers with INT8 weights round their activations to 8 bits on the fly, `activation_group` neighbours with
    one scale (None: OpenVINO's choice, 32); `exact_activations` keeps them in float32. `kv_cache` is how
    attention stores keys and values (None: OpenVINO's choice, 8 bits). `snippets`: let it generate code for
    chains of small operations, which costs about 100 kB for each. A compile cache that cannot be used costs
    compile time, not the start. Raises EngineError when compiling fails.
    """
    properties: dict[str, Any] = {
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": 1,
        "INFERENCE_NUM_THREADS": settings.threads,
        "INFERENCE_PRECISION_HINT": "f32",
        "ENABLE_CPU_PINNING": settings.pin,
    }
    if exact_activations:
        properties["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = 0
    elif activation_group is not None:
        properties["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = activation_group
    if kv_cache is not None:
        properties["KV_CACHE_PRECISION"] = kv_cache
    if not snippets:
        properties["SNIPPETS_MODE"] = "DISABLE"
    if settings.cache_dir is not None and _usable_cache(settings.cache_dir):
        try:
            return _compile_cached(model, properties, settings.cache_dir)
        except (RuntimeError, OSError) as error:
            _log.warning(
                "compile cache %s failed, going on without: %s", settings.cache_dir, _first_line(error)
            )
    try:
        return _compile(model, properties)
    except RuntimeError as error:
        raise EngineError(
            f"OpenVINO cannot compile a network: {_first_line(error)}", "edged doctor"
        ) from error


def _compile_cached(model: Any, properties: dict[str, Any], cache_dir: Path) -> Any:
    drop_damaged(cache_dir)
    compiled = _compile(model, {**properties, "CACHE_DIR": str(cache_dir)})
    note_new(cache_dir)
    prune(cache_dir)
    return compiled


def _compile(model: Any, properties: dict[str, Any]) -> Any:
    compiled = _core().compile_model(model, "CPU", properties)
    _return_freed_memory()
    in_effect = {name: str(compiled.get_property(name)) for name in _REPORTED}
    _log.info("compiled %s: %s", compiled.get_property("NETWORK_NAME"), in_effect)
    return compiled


def _return_freed_memory() -> None:
    """Give the system back what compiling used: glibc would keep up to 100 MB of it for later."""
    ctypes.CDLL(None).malloc_trim(0)


def _usable_cache(cache_dir: Path) -> bool:
    """Whether files can be written to the folder and its disk has room; warns when not."""
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache_dir):
            pass
        disk = os.statvfs(cache_dir)
    except OSError as error:
        _log.warning("no compile cache: %s", error)
        return False
    if disk.f_bavail * disk.f_frsize < _CACHE_FREE_BYTES:
        _log.warning("no compile cache: less than %d MB free on %s", _CACHE_FREE_BYTES >> 20, cache_dir)
        return False
    return True


@cache
def _core() -> Any:
    return ov.Core()


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[-1].strip() if lines else type(error).__name__
