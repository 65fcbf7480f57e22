"""`edged doctor` as another process: what it looks at (drivers, OpenVINO, the network) may hang."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from edged.errors import EdgedError

TIMEOUT_S = 180.0  # compiling the voice for the first time takes a minute on the slowest board
_NICEST = 19  # speech goes first


async def examine(config_path: Path | None, timeout_s: float = TIMEOUT_S) -> dict[str, Any]:
    """What `edged doctor --json` finds. Raises EdgedError when it finds nothing in time."""
    options = [] if config_path is None else ["--config", str(config_path)]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from edged.cli.main import main; main()", "doctor", "--json", *options),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    with contextlib.suppress(ProcessLookupError):
        os.setpriority(os.PRIO_PROCESS, process.pid, _NICEST)
    try:
        output, _ = await asyncio.wait_for(process.communicate(), timeout_s)
        report: dict[str, Any] = json.loads(output)
    except TimeoutError as error:
        raise EdgedError(f"edged doctor did not end within {timeout_s:.0f} s", "run it by hand") from error
    except ValueError as error:
        raise EdgedError(
            f"edged doctor ended with status {process.returncode} and no report", "run it by hand"
        ) from error
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)  # with what it has started itself
            await process.wait()
    return report
