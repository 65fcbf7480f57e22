"""How far fewer bits move Qwen3-TTS's networks: INT8 (or other weights) against FP32 on the same inputs.

Free-running, one different code forks everything after it, so that comparing says nothing. Here FP32 speaks,
and the other network is given FP32's inputs at every step.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from edged.engine.qwen3.checkpoint import Checkpoint, open_checkpoint
from edged.engine.qwen3.compress import compress
from edged.engine.qwen3.generate import Codes, Drawing, frames
from edged.engine.qwen3.precision import Precision
from edged.engine.qwen3.predictor import Predictor, build_predictor
from edged.engine.qwen3.prompt import Prompt, PromptBuilder
from edged.engine.qwen3.sampler import Code0Sampler, Code0Sampling, gumbel
from edged.engine.qwen3.talker import Talker, build_talker
from edged.engine.qwen3.tensors import TensorReader
from edged.engine.qwen3.text_table import TextTable, write_text_table
from edged.engine.qwen3.tokenizer import Tokenizer
from edged.engine.runtime import CpuSettings
from edged.errors import EdgedError

Floats = NDArray[np.float32]
Trace = dict[str, Floats]

_GATES = Path(__file__).with_name("qwen3_agreement_gates.json")
_TEXT = "各位旅客请注意，开往上海虹桥的 G1234 次列车即将检票，请到三号检票口。"
_SEED = 0
# adding it to one logit leaves no choice
_CERTAIN = np.float32(1e9)
# other frames and other CPUs: 24 frames against 16 changed ratios by up to 0.3 dB, agreement by 0.02
_SLACK_DB, _SLACK_AGREEMENT = 0.7, 0.04
_COMPARED = (Precision.INT8, Precision.INT4, Precision.FP16)


class TracedTalker(Talker):
    """Keeps the inputs and every output of each step; the prompt is the first."""

    def __init__(self, model: Any, settings: CpuSettings) -> None:
        super().__init__(model, settings)
        self.fed: list[Floats] = []
        self.steps: list[Trace] = []

    def __call__(self, embeds: Floats) -> tuple[Floats, Floats]:
        answer = super().__call__(embeds)
        self.fed.append(embeds)
        self.steps.append(_outputs(self._request))
        return answer


class TracedPredictor(Predictor):
    """Keeps the inputs, every output and the chosen codes of each frame."""

    def __init__(self, model: Any, settings: CpuSettings) -> None:
        super().__init__(model, settings)
        self.vocab_size: int = model.input("noise").get_shape()[1]
        self.fed: list[tuple[Floats, Floats]] = []
        self.codes: list[Codes] = []
        self.steps: list[Trace] = []

    def __call__(
        self, hidden: Floats, code0_embedding: Floats, noise: Floats
    ) -> tuple[NDArray[np.int32], Floats]:
        codes, total = super().__call__(hidden, code0_embedding, noise)
        self.fed.append((hidden, code0_embedding))
        self.codes.append(codes)
        self.steps.append(_outputs(self._request))
        return codes, total


def _outputs(request: Any) -> Trace:
    """The last position of every output."""
    outputs = request.get_compiled_model().outputs
    return {
        output.get_any_name(): np.array(request.get_tensor(output).data).reshape(-1)[-_width(output) :]
        for output in outputs
    }


def _width(output: Any) -> int:
    return int(output.get_partial_shape()[-1].get_length())


@dataclass(frozen=True, slots=True)
class Networks:
    """Both networks of a model, with what they were given and what they answered."""

    talker: TracedTalker
    predictor: TracedPredictor


@click.command()
@click.argument("checkpoint", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--weights",
    type=click.Choice([str(precision) for precision in _COMPARED]),
    default=str(Precision.INT8),
    show_default=True,
    help="Of both networks.",
)
@click.option(
    "--frames", type=click.IntRange(1), default=48, show_default=True, help="Frames that FP32 speaks."
)
@click.option("--threads", type=click.IntRange(1), default=2, show_default=True, help="CPU threads.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(checkpoint: Path, weights: str, frames: int, threads: int, as_json: bool) -> None:
    """Teacher-forced agreement per codebook and signal-to-noise ratio per layer, against FP32.

    CHECKPOINT is a folder as published, or one of qwen3_checkpoint.py's. A 0.6B model takes two minutes and
    5 GB. Exit status 1: could not measure; 2: below the accepted figures in qwen3_agreement_gates.json.

    \b
    Examples:
      python benchmarks/qwen3_agreement.py /var/tmp/0.6b-custom_voice
      python benchmarks/qwen3_agreement.py /var/tmp/0.6b-custom_voice --weights int4 --json
    """
    console = Console(stderr=True)
    logging.getLogger("nncf").setLevel(logging.WARNING)
    try:
        opened = open_checkpoint(checkpoint)
        with contextlib.redirect_stdout(sys.stderr):  # nncf draws its progress
            report = measure(opened, Precision(weights), frames, CpuSettings(threads), console.log)
    except EdgedError as error:
        click.echo(f"qwen3_agreement: {error}", err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(report))
    else:
        Console().print(table(report))
    if failures := below(report, accepted_figures(opened.config.tts_model_size, weights)):
        click.echo(f"qwen3_agreement: below what was accepted: {', '.join(failures)}", err=True)
        sys.exit(2)


def measure(
    checkpoint: Checkpoint,
    precision: Precision,
    count: int,
    settings: CpuSettings,
    say: Callable[[str], None],
) -> dict[str, Any]:
    """The report: agreement of the best code, 0 to 1, and ratios in dB."""
    say("FP32 speaks")
    teacher = _networks(checkpoint, Precision.FP32, settings)
    with tempfile.TemporaryDirectory() as folder:
        for _ in islice(_spoken(checkpoint, teacher, Path(folder)), count):
            pass
    taught = _traces(teacher)
    fed = teacher.talker.fed, teacher.predictor.fed, teacher.predictor.codes
    del teacher
    gc.collect()  # FP32 and the other one need not fit side by side
    say(f"{precision} follows")
    pupil = _networks(checkpoint, precision, settings)
    _follow(pupil, *fed)
    return _compared(taught, _traces(pupil), str(precision), count)


def _networks(checkpoint: Checkpoint, precision: Precision, settings: CpuSettings) -> Networks:
    """Both networks as the converter makes them, with every output that is compared."""
    config, weights = checkpoint.config.talker_config, TensorReader(checkpoint.weights)
    talker = compress(build_talker(config, weights, trace=True), precision)
    predictor = compress(build_predictor(config, weights, top_k=0, trace=True), precision)
    return Networks(TracedTalker(talker, settings), TracedPredictor(predictor, settings))


def _spoken(checkpoint: Checkpoint, networks: Networks, folder: Path) -> Iterator[Codes]:
    """An utterance, drawn with the checkpoint's own settings, that does not end by itself."""
    config, sampling = checkpoint.config.talker_config, checkpoint.sampling
    embedding = TensorReader(checkpoint.weights)("talker.model.codec_embedding.weight")
    shape = (config.num_code_groups - 1, config.code_predictor_config.vocab_size)
    scale = np.float32(sampling.subtalker_temperature)
    code0 = Code0Sampling(
        True, sampling.temperature, sampling.top_k, sampling.top_p, sampling.repetition_penalty
    )
    drawing = Drawing(
        Code0Sampler(code0, vocab_size=config.vocab_size, eos=config.codec_eos_token_id),
        lambda rng: scale * gumbel(rng, shape),
        eos=-1,
    )
    prompt = _prompt(checkpoint, embedding, folder)
    return frames(
        networks.talker, networks.predictor, embedding, prompt, drawing, np.random.default_rng(_SEED)
    )


def _prompt(checkpoint: Checkpoint, codec_embedding: Floats, folder: Path) -> Prompt:
    config = checkpoint.config
    file = folder / "text_table.npy"
    tokens = config.talker_config.text_vocab_size
    write_text_table(TensorReader(checkpoint.weights), tokens, file, np.float16, lambda _: None)
    tokenizer = Tokenizer(checkpoint.folder, config)
    speaker = next(iter(config.talker_config.spk_id), None)
    return PromptBuilder(config, tokenizer, TextTable(file), codec_embedding).build(_TEXT, speaker=speaker)


def _follow(
    pupil: Networks, embeds: list[Floats], frame_inputs: list[tuple[Floats, Floats]], codes: list[Codes]
) -> None:
    """Give the networks what FP32 was given, and FP32's codes at every step within a frame."""
    vocab_size = pupil.predictor.vocab_size
    pupil.talker.reset()
    for step in embeds:
        pupil.talker(step)
    for (hidden, code0_embedding), chosen in zip(frame_inputs, codes, strict=True):
        pupil.predictor(hidden, code0_embedding, _forcing(chosen, vocab_size))


def _forcing(codes: Codes, vocab_size: int) -> Floats:
    """Noise [N-1, vocab] under which exactly these codes [N-1] are drawn."""
    noise = np.zeros((len(codes), vocab_size), np.float32)
    noise[np.arange(len(codes)), codes] = _CERTAIN
    return noise


def _traces(networks: Networks) -> dict[str, Trace]:
    """Every output of both networks, [steps, width]."""
    return {
        part: {name: np.array([step[name] for step in steps]) for name in steps[0]}
        for part, steps in (("talker", networks.talker.steps), ("predictor", networks.predictor.steps))
    }


def _compared(taught: dict[str, Trace], learnt: dict[str, Trace], weights: str, count: int) -> dict[str, Any]:
    talker, predictor = taught["talker"], taught["predictor"]
    layers = [name for name in talker if name.startswith("layer_")]
    heads = [name for name in predictor if name.startswith("logits_")]
    return {
        "weights": weights,
        "frames": count,
        "hidden_snr_db": snr_db(talker["hidden"], learnt["talker"]["hidden"]),
        "layer_snr_db": [snr_db(talker[name], learnt["talker"][name]) for name in layers],
        "agreement": [
            agreement(talker["logits"], learnt["talker"]["logits"]),
            *(agreement(predictor[name], learnt["predictor"][name]) for name in heads),
        ],
        "logits_snr_db": [
            snr_db(talker["logits"], learnt["talker"]["logits"]),
            *(snr_db(predictor[name], learnt["predictor"][name]) for name in heads),
        ],
    }


def snr_db(exact: Floats, other: Floats) -> float:
    """Power of `exact` over that of the difference."""
    noise = np.square(exact - other, dtype=np.float64).sum()
    return round(10 * float(np.log10(np.square(exact, dtype=np.float64).sum() / noise)), 2)


def agreement(exact: Floats, other: Floats) -> float:
    """Part of the rows [steps, codes] whose largest element is at the same place."""
    return round(float((exact.argmax(axis=1) == other.argmax(axis=1)).mean()), 4)


def accepted_figures(size: str, weights: str) -> dict[str, Any]:
    """The figures first accepted for a model of this size and these weights; none for others."""
    gates: dict[str, dict[str, Any]] = json.loads(_GATES.read_text(encoding="utf-8"))
    entry = gates.get(f"{size} {weights}", {"accepted": {}})
    figures: dict[str, Any] = entry["accepted"]
    return figures


def below(report: dict[str, Any], accepted: dict[str, Any]) -> list[str]:
    """Names of the figures that fall behind the accepted ones: any ratio, and the mean agreement.

    One codebook's agreement over some dozen frames is too few draws to hold a difference against.
    """
    slack = {name: _SLACK_AGREEMENT if name == "agreement" else _SLACK_DB for name in accepted}
    figures = {name: np.mean(report[name]) if name == "agreement" else report[name] for name in accepted}
    return [name for name in accepted if np.min(np.asarray(figures[name]) - accepted[name]) < -slack[name]]


def table(report: dict[str, Any]) -> Table:
    """The same for people: codebooks, then layers."""
    result = Table(
        "", "agreement", "SNR dB", title=f"{report['weights']} against fp32, {report['frames']} frames"
    )
    for code, (same, snr) in enumerate(zip(report["agreement"], report["logits_snr_db"], strict=True)):
        result.add_row(f"code {code}", f"{same:.3f}", f"{snr:.1f}")
    for layer, snr in enumerate(report["layer_snr_db"]):
        result.add_row(f"talker, layer {layer}", "", f"{snr:.1f}")
    result.add_row("talker, hidden", "", f"{report['hidden_snr_db']:.1f}")
    return result


if __name__ == "__main__":
    command()
