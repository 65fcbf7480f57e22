"""How loud samples are."""

from __future__ import annotations

import numpy as np
import pytest

from edged.audio.level import peak_dbfs, rms_dbfs


@pytest.mark.parametrize(
    ("samples", "rms", "peak"),
    [
        ([1.0, -1.0, 1.0], 0.0, 0.0),
        ([0.1, -0.1], -20.0, -20.0),
        ([0.5, 0.0, 0.0, 0.0], -12.0, -6.0),
        ([0.0, 0.0], -120.0, -120.0),
        ([], -120.0, -120.0),
    ],
    ids=["full scale", "a tenth", "one pulse", "silence", "nothing"],
)
def test_levels_are_in_db_of_full_scale(samples: list[float], rms: float, peak: float) -> None:
    """A square wave at full scale is 0 dB; silence has a figure too."""
    array = np.array(samples, np.float32)
    assert rms_dbfs(array) == pytest.approx(rms, abs=0.05)
    assert peak_dbfs(array) == pytest.approx(peak, abs=0.05)
