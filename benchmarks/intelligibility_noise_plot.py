"""Draws the JSON of intelligibility_noise.py (standard input) as the PNG given. Runs in .venv-peers."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import matplotlib  # type: ignore[import-not-found]

matplotlib.use("agg")

from matplotlib import pyplot

_FLAT, _PRESET = "#bbbbbb", "#4477aa"


def main() -> None:
    """One panel a site: the measure over the ratio of speech to noise, flat and with the preset."""
    result: dict[str, Any] = json.load(sys.stdin)
    sites = result["sites"]
    figure, panels = pyplot.subplots(1, len(sites), figsize=(11, 3.4), sharey=True, layout="constrained")
    for axes, (name, site) in zip(panels, sites.items(), strict=True):
        ratios = [row["snr_lu"] for row in site["by_snr"]]
        axes.plot(ratios, [row["flat"] for row in site["by_snr"]], "o--", color=_FLAT, label="flat")
        axes.plot(ratios, [row["preset"] for row in site["by_snr"]], "o-", color=_PRESET, label="preset")
        axes.set_title(f"{name}: {site['gain']:+.1f}, worth {site['worth_lu']:+.1f} LU", fontsize=10)
        axes.set_xticks(ratios)
        axes.grid(alpha=0.3)
        axes.set_xlabel("speech over noise, LU")
    panels[0].set_ylabel("intelligibility (STOI), %")
    panels[0].legend()
    voices = ", ".join(result["voices"])
    figure.suptitle(
        f"Site presets at equal loudness: {result['recordings']} recordings of {voices}", fontsize=11
    )
    figure.savefig(Path(sys.argv[1]), dpi=120)


if __name__ == "__main__":
    main()
