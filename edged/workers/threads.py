"""How many OpenVINO threads this configuration means on this machine."""

from __future__ import annotations

import os

import psutil

from edged.config.schema import ThreadsConfig
from edged.core.cpus import parse_cpu_set, synth_threads


def configured_threads(config: ThreadsConfig) -> int:
    """The threads of the synth process when the board is cool."""
    return synth_threads(
        config.synth,
        usable=frozenset(os.sched_getaffinity(0)),
        synth_cpus=parse_cpu_set(config.synth_cpus),
        player_cpus=parse_cpu_set(config.player_cpus),
        physical=psutil.cpu_count(logical=False),
    )
