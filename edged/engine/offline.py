"""Keeps the model libraries from calling home."""

from __future__ import annotations

import sys


def block_telemetry() -> None:
    """Make `import openvino_telemetry` fail in this process; call it before openvino or nncf is imported.

    That package looks up an analytics host as soon as openvino is imported. Both openvino and nncf do
    without it when it is not there, and None in sys.modules is how Python is told that a module is not
    there.
    """
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
