"""Priority and memory of a process of its own, which may keep what it takes."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import pytest

_ASK = """
import dataclasses, json, os, resource, sys
from edged.io.realtime import be_prompt, promptness_of
hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)[1]
resource.setrlimit(resource.RLIMIT_MEMLOCK, (eval(sys.argv[1]), hard))
told = be_prompt()
blocks = [bytearray(1 << 20) for _ in range(64)]
print(json.dumps([dataclasses.asdict(told), dataclasses.asdict(promptness_of(os.getpid())), len(blocks)]))
"""


def promptness(limit: str) -> tuple[dict[str, bool], dict[str, bool], int]:
    """What `be_prompt` told and what the kernel says, in a process with this limit of locked memory."""
    done = subprocess.run([sys.executable, "-c", _ASK, limit], capture_output=True, text=True, check=True)
    told, is_so, blocks = json.loads(done.stdout)
    return told, is_so, blocks


def test_below_a_limit_nothing_is_locked() -> None:
    """Or an allocation beyond it would fail, in mid-speech: 64 MB are had with a limit of 4."""
    told, is_so, blocks = promptness("4 << 20")
    assert told == is_so
    assert not told["is_locked"]
    assert blocks == 64


def test_without_a_limit_memory_is_locked() -> None:
    """Every page that is used stays."""
    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[1] != resource.RLIM_INFINITY:
        pytest.skip("this machine limits locked memory")
    told, is_so, _ = promptness("resource.RLIM_INFINITY")
    assert told == is_so
    assert told["is_locked"]
