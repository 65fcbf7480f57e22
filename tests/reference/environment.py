"""Where the reference implementation runs, for the tests that ask it."""

from __future__ import annotations

from pathlib import Path

import pytest

_PYTHON = Path(__file__).resolve().parents[2] / ".venv-reference/bin/python"


def reference_python() -> str:
    """The interpreter of `.venv-reference`; skips the test where nobody has made it."""
    if not _PYTHON.exists():
        pytest.skip("needs the reference implementation: tests/reference/setup.sh")
    return str(_PYTHON)
