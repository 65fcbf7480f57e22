"""`edged model convert`."""

from __future__ import annotations

from pathlib import Path

import click

from edged.cli.model.common import EXISTING_FOLDER, FOLDER, progress_bar
from edged.cli.model.precision import WeightsChoice, weights_options
from edged.engine.qwen3.precision import PRECISIONS, Weights
from edged.install.catalogue import find_recipe
from edged.install.install import convert_to
from edged.install.qwen3 import convert_checkpoint
from edged.io.model_folder import ModelFolder


@click.command("convert")
@click.argument("name", required=False)
@click.option("--from", "sources_dir", type=EXISTING_FOLDER, help="Folder with the artefacts of NAME.")
@click.option("--checkpoint", type=EXISTING_FOLDER, help="Folder with a Qwen3-TTS checkpoint as published.")
@click.option("--out", type=FOLDER, required=True, help="New folder for the model.")
@weights_options
def convert_(
    name: str | None,
    sources_dir: Path | None,
    checkpoint: Path | None,
    out: Path,
    choice: WeightsChoice,
) -> None:
    """Convert what is already fetched, outside the store: the artefacts of model NAME, or a checkpoint.

    A checkpoint's conversion that was interrupted goes on where it was when the same command is run again;
    until then its finished parts are in `.<name of OUT>.converting` beside OUT, which may be deleted.

    \b
    Examples:
      edged model convert kokoro --from usb/ --out kokoro-int8/
      edged model convert --checkpoint Qwen3-TTS-12Hz-0.6B-CustomVoice/ --out qwen3/ --weights mixed
      edged say "hello" --model kokoro-int8/
    """
    if checkpoint is not None and name is None and sources_dir is None:
        precisions = choice.precisions(PRECISIONS[Weights.INT8])
        with progress_bar() as progress:
            folder = convert_checkpoint(checkpoint.absolute(), out.absolute(), precisions, progress)
    elif checkpoint is None and name is not None and sources_dir is not None:
        recipe = find_recipe(name)
        recipe = recipe.with_weights(choice.of_whole_model() or recipe.weights)
        with progress_bar() as progress:
            folder = convert_to(recipe, sources_dir.absolute(), out.absolute(), progress)
    else:
        raise click.UsageError("either NAME and --from DIR, or --checkpoint DIR")
    _say(out, folder)


def _say(out: Path, folder: ModelFolder) -> None:
    manifest, size_mb = folder.manifest, folder.size_bytes / 1e6
    click.echo(f"{out}: {manifest.name} {manifest.version} ({size_mb:.0f} MB, {manifest.precision})")
