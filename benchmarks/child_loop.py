"""The loop of a benchmark's child process: requests on standard input, measurements on standard output."""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any


def serve(speak: Callable[[dict[str, Any]], int]) -> None:
    """Answer each JSON line by one with `seconds` it took, `samples` spoken and `peak_rss_mb` so far.

    `speak` gets the request and returns the number of samples. The first line out says that it is ready.
    """
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        start = time.perf_counter()
        samples = speak(request)
        seconds = time.perf_counter() - start
        peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        answer = {"seconds": seconds, "samples": samples, "peak_rss_mb": peak_kb / 1024}
        print(json.dumps(answer), flush=True)
