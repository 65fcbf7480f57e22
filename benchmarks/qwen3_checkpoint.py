"""Full-size Qwen3-TTS checkpoints with random weights in the published file layout.

Speed and memory do not depend on the values of weights, so these stand in for the published ones wherever
those cannot be had. The speech is noise.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.progress import Progress as Bar

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.fakes.qwen3_checkpoint import (
    Config,
    Progress,
    model_config,
    published_merges,
    tokenizer_config,
    write_checkpoint,
    write_tiny_checkpoint,
)

_HEADS = {"num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128}
_PREDICTOR: Config = {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 5, **_HEADS}
_TALKER = {"num_hidden_layers": 28, "text_hidden_size": 2048, **_HEADS}
_TALKERS: dict[str, Config] = {
    "0.6b": {"hidden_size": 1024, "intermediate_size": 3072, **_TALKER},
    "1.7b": {"hidden_size": 2048, "intermediate_size": 6144, **_TALKER},
}
SIZES = ("0.6b", "1.7b", "tiny")
MODEL_TYPES = ("custom_voice", "base", "voice_design")


def checkpoint(folder: Path, size: str, model_type: str = "custom_voice") -> Path:
    """The checkpoint of this size below `folder`; written at the first call, 3.5 GB for 1.7b."""
    target = folder / f"{size}-{model_type}"
    if target.is_dir():
        return target
    unfinished = folder / f"{target.name}.unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    with Bar(console=Console(stderr=True)) as bar:
        task = bar.add_task(f"checkpoint {target.name}", total=1.0)

        def show(what: str, fraction: float) -> None:
            bar.update(task, description=f"{target.name}/{what}", completed=fraction)

        _write(unfinished, size, model_type, show)
    unfinished.rename(target)
    return target


def published_config(size: str, model_type: str = "custom_voice") -> Config:
    """`config.json` with the shapes of 0.6b or 1.7b."""
    # sizes are written 0b6 and 1b7 there
    return model_config(model_type, f"{size[0]}b{size[2]}", _TALKERS[size], _PREDICTOR)


def _write(folder: Path, size: str, model_type: str, show: Progress) -> None:
    if size == "tiny":
        write_tiny_checkpoint(folder, model_type)
    else:
        config = published_config(size, model_type)
        write_checkpoint(folder, config, tokenizer_config(), published_merges(), progress=show)


@click.command()
@click.option("--size", type=click.Choice(SIZES), default="0.6b", show_default=True)
@click.option(
    "--type", "model_type", type=click.Choice(MODEL_TYPES), default="custom_voice", show_default=True
)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def command(size: str, model_type: str, folder: Path) -> None:
    """Write a checkpoint below FOLDER, unless it is there, and print its path.

    \b
    Example:
      python benchmarks/qwen3_checkpoint.py --size 1.7b /var/tmp/checkpoints
    """
    click.echo(checkpoint(folder, size, model_type))


if __name__ == "__main__":
    command()
