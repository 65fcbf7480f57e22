"""What the machine could do at best: reading memory, and multiplying in float32."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass

import click
import numpy as np

from edged.engine.runtime import CpuSettings, compile_model, op, ov

_REPEATS = 12  # the best one counts: what else the machine does can only take away
_PEAK_SIZE = 1024  # a product of this size stays in the caches and takes milliseconds
_INT8_TALKER_MB, _INT8_PREDICTOR_MB = 440, 80  # one pass over the weights of the 0.6B model's parts


@dataclass(frozen=True, slots=True)
class Machine:
    """Read bandwidth for the working sets of talker and predictor, and the best rate of float32 products."""

    threads: int
    talker_gb_per_s: float
    predictor_gb_per_s: float
    fp32_gflop_per_s: float


def measure(threads: int, *, talker_mb: float, predictor_mb: float) -> Machine:
    """Measure with so many threads; the working sets are those of one pass over each network's weights."""
    return Machine(
        threads,
        read_bandwidth(talker_mb, threads),
        read_bandwidth(predictor_mb, threads),
        fp32_peak(threads),
    )


def read_bandwidth(megabytes: float, threads: int) -> float:
    """GB/s at which `threads` read a working set of this size again and again."""
    numbers = np.ones(int(megabytes * 1e6) // 4, np.float32)
    parts = np.array_split(numbers, threads)
    with ThreadPoolExecutor(threads) as pool:
        return numbers.nbytes / _best_seconds(lambda: list(pool.map(np.max, parts))) / 1e9


def fp32_peak(threads: int) -> float:
    """GFLOP/s of a large float32 product, a multiplication and an addition counted as two."""
    shape = [_PEAK_SIZE, _PEAK_SIZE]
    inputs = [op.parameter(shape, ov.Type.f32) for _ in range(2)]
    product = ov.Model([op.matmul(*inputs, False, False)], inputs, "product")
    request = compile_model(product, CpuSettings(threads)).create_infer_request()
    for index in range(2):
        request.set_input_tensor(index, ov.Tensor(np.ones(shape, np.float32)))
    return 2 * _PEAK_SIZE**3 / _best_seconds(request.infer) / 1e9


def _best_seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(_REPEATS):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


@click.command()
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True)
def command(threads: int) -> None:
    """Print read bandwidth and float32 peak of this machine as JSON.

    \b
    Example:
      python benchmarks/machine.py --threads 4
    """
    click.echo(
        json.dumps(asdict(measure(threads, talker_mb=_INT8_TALKER_MB, predictor_mb=_INT8_PREDICTOR_MB)))
    )


if __name__ == "__main__":
    command()
