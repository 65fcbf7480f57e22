"""Speed and memory of edged's Qwen3-TTS, the limit of the machine, and the reference in PyTorch beside it."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress, track
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import machine, qwen3_torch
from benchmarks.child_process import ChildProcess
from benchmarks.qwen3_checkpoint import SIZES, checkpoint
from benchmarks.qwen3_cost import FrameCost, frame_cost, limit
from benchmarks.qwen3_torch import TorchPeer
from edged.engine.qwen3.generate import FRAMES_PER_SECOND
from edged.engine.qwen3.model_files import ModelFiles
from edged.engine.qwen3.precision import PRECISIONS, Weights
from edged.errors import EdgedError, EngineError
from edged.install.qwen3 import convert_checkpoint

_HERE = Path(__file__).resolve().parent
_PLOTTER = _HERE.parent / ".venv-peers/bin/python"

# 41 characters: 9 s of speech at an ordinary pace; the frames that are measured fit well into it
_TEXT = "各位旅客请注意，由北京开往上海的高铁列车已经进站，请前往二号站台检票上车，谢谢合作。"
_FIRST_AUDIO_TEXT = "请零一五号到三号窗口办理业务请带好身份证"  # 20 characters
_STAGES = ("talker", "predictor", "vocoder")


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    rounds: int
    frames: int
    peer_frames: int


_FULL = Plan(rounds=3, frames=50, peer_frames=8)
_QUICK = Plan(rounds=1, frames=16, peer_frames=4)


@click.command()
@click.option("--size", type=click.Choice(SIZES), default="0.6b", show_default=True)
@click.option(
    "--weights", type=click.Choice([choice.value for choice in Weights]), default="int8", show_default=True
)
@click.option(
    "--threads", type=click.IntRange(1), default=2, show_default=True, help="CPU threads of each engine."
)
@click.option("--peer", type=click.Choice(["torch"]), help="Measure the reference as well, in turn.")
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("/var/tmp/edged-qwen3"),
    show_default=True,
    help="Where checkpoints and models are kept: 3 GB for 0.6b, 7 GB for 1.7b.",
)
@click.option(
    "--model", type=click.Path(path_type=Path, exists=True, file_okay=False), help="Measure this one."
)
@click.option("--quick", is_flag=True, help="One short round: to see that it works.")
@click.option("--plot", type=click.Path(path_type=Path, dir_okay=False), help="Draw the figures as PNG.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(
    size: str,
    weights: str,
    threads: int,
    peer: str | None,
    work: Path,
    model: Path | None,
    quick: bool,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Real-time factor (vocoder included, 12.5 frames a second), first audio, stages, memory, limit.

    Weights are random, in the published layout and size: speed and memory do not depend on their values.
    Exit status 1: could not measure.

    \b
    Examples:
      .venv/bin/python benchmarks/qwen3.py --size 0.6b --weights int8 --peer torch --json
      .venv/bin/python benchmarks/qwen3.py --size 1.7b --weights mixed --plot 1.7b.png
    """
    plan = _QUICK if quick else _FULL
    try:
        source = checkpoint(work, size)
        model = model or converted(source, work / f"{size}-{weights}", Weights(weights))
        result = {"size": size, "weights": weights, **measure(model, source, threads, peer, plan)}
        if plot:
            draw(result, plot)
    except EdgedError as error:
        click.echo(f"qwen3: {error}", err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(result))
    else:
        Console().print(table(result))


def converted(source: Path, out: Path, weights: Weights) -> Path:
    """The model made of a checkpoint; made at the first call."""
    if not out.is_dir():
        with Progress(console=Console(stderr=True)) as bar:
            task = bar.add_task(out.name, total=1.0)

            def show(what: str, fraction: float) -> None:
                bar.update(task, description=f"{out.name}: {what}", completed=fraction)

            convert_checkpoint(source, out, PRECISIONS[weights], show)
    return out


def measure(model: Path, source: Path, threads: int, peer: str | None, plan: Plan) -> dict[str, Any]:
    """Every figure, all measured in turn: what else the machine does meets them all alike."""
    files = ModelFiles(model)
    parts = files.spec.parts
    cost = frame_cost(files.config, files.vocoder, parts["talker"], parts["predictor"])
    with ExitStack() as stack:
        edged = _start(stack, "edged", "qwen3_edged.py", model, threads)
        straight = _start(stack, "straight vocoder", "qwen3_straight_vocoder.py", source, threads)
        torch = TorchPeer(stack, source, _TEXT, threads=threads, frames=plan.peer_frames) if peer else None
        rounds = [
            {
                "speak": edged.ask(do="speak", text=_TEXT, frames=plan.frames, seed=index),
                "first": edged.ask(do="speak", text=_FIRST_AUDIO_TEXT, frames=1, seed=index),
                "stages": edged.ask(do="stages", frames=plan.frames),
                "straight": straight.ask(do="vocode", frames=8, repeat=plan.frames // 8),
                "machine": asdict(
                    machine.measure(threads, talker_mb=cost.talker_mb, predictor_mb=cost.predictor_pass_mb)
                ),
                "torch": torch and torch.measure(),
            }
            for index in track(range(plan.rounds), "measuring", console=Console(stderr=True))
        ]
    return summary(rounds, cost)


def summary(rounds: list[dict[str, Any]], cost: FrameCost) -> dict[str, Any]:
    """The figures of the rounds' medians; ratios above 1 say how much longer the other takes."""
    stages = {stage: median(r["stages"][stage] for r in rounds) for stage in _STAGES}
    rates = {key: median(r["machine"][key] for r in rounds) for key in rounds[0]["machine"]}
    bound = limit(
        cost,
        talker_gb_per_s=rates["talker_gb_per_s"],
        predictor_gb_per_s=rates["predictor_gb_per_s"],
        gflop_per_s=rates["fp32_gflop_per_s"],
    )
    frame_ms = median(1000 * r["speak"]["seconds"] / r["speak"]["frames"] for r in rounds)
    result: dict[str, Any] = {
        "rtf": frame_ms * FRAMES_PER_SECOND / 1000,
        "ms_per_frame": stages,
        "whole_ms_per_frame": frame_ms,
        "first_audio_s": median(r["first"]["first_audio_s"] for r in rounds),
        "rss_mb": max(r["stages"]["rss_mb"] for r in rounds),
        "peak_rss_mb": max(r["stages"]["peak_rss_mb"] for r in rounds),
        "ar_over_limit": (stages["talker"] + stages["predictor"]) / bound.autoregressive_ms,
        "vocoder_vs_straight": median(r["straight"]["ms_per_frame"] for r in rounds) / stages["vocoder"],
        "machine": rates,
        "limit": {**asdict(bound), "sum_ms": bound.sum_ms, "rtf": bound.rtf},
    }
    if rounds[0]["torch"]:
        kinds = [_torch([r["torch"][index] for r in rounds], rounds) for index in range(2)]
        best = min(kinds, key=lambda kind: kind["rtf"])
        result["speedup_vs_torch"] = best["rtf"] / result["rtf"]
        result["torch"] = {**best, "rtf_by_dtype": {kind["dtype"]: kind["rtf"] for kind in kinds}}
    rounded: dict[str, Any] = _rounded(result)
    return rounded


def _torch(measured: list[dict[str, Any]], rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """One number type of the reference over all rounds, its utterances as long as ours."""
    frames = [r["speak"]["frames"] for r in rounds]
    whole_ms = median(qwen3_torch.frame_ms(m, count) for m, count in zip(measured, frames, strict=True))
    stages = {stage: median(m["ms_per_frame"][stage] for m in measured) for stage in _STAGES}
    return {**measured[0], "ms_per_frame": stages, "rtf": whole_ms * FRAMES_PER_SECOND / 1000}


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(inner) for key, inner in value.items()}
    return round(value, 3) if isinstance(value, float) else value


def _start(stack: ExitStack, name: str, script: str, *arguments: object) -> ChildProcess:
    child = ChildProcess(name, [sys.executable, str(_HERE / script), *(str(part) for part in arguments)])
    stack.callback(child.close)
    return child


def draw(result: dict[str, Any], plot: Path) -> None:
    """Draw the figures with the peers' matplotlib."""
    if not _PLOTTER.exists():
        raise EngineError(
            f"{_PLOTTER}: the environment with matplotlib is missing", "benchmarks/setup-peers.sh"
        )
    command_line = [_PLOTTER, _HERE / "qwen3_plot.py", plot]
    if subprocess.run(command_line, input=json.dumps(result), text=True, check=False).returncode:
        raise EngineError(f"{plot}: could not be drawn", "see the message above")


def table(result: dict[str, Any]) -> Table:
    """The same for people."""
    rows = Table("ms per 80 ms frame", "edged", "limit of this machine", "torch")
    torch = result.get("torch")
    for stage in _STAGES:
        reference = f"{torch['ms_per_frame'][stage]:.0f}" if torch else "-"
        rows.add_row(
            stage, f"{result['ms_per_frame'][stage]:.1f}", f"{result['limit'][f'{stage}_ms']:.1f}", reference
        )
    rows.add_row("together", f"{result['whole_ms_per_frame']:.1f}", f"{result['limit']['sum_ms']:.1f}", "")
    rows.add_row(
        "real-time factor",
        f"{result['rtf']:.2f}",
        f"{result['limit']['rtf']:.2f}",
        f"{torch['rtf']:.2f}" if torch else "-",
    )
    rows.caption = (
        f"first audio {1000 * result['first_audio_s']:.0f} ms, RSS {result['rss_mb']:.0f} MB "
        f"(peak {result['peak_rss_mb']:.0f}), "
        f"vocoder {result['vocoder_vs_straight']:.1f} times as fast as a straight port"
        + (f", {result['speedup_vs_torch']:.1f} times as fast as torch ({torch['dtype']})" if torch else "")
    )
    return rows


if __name__ == "__main__":
    command()
