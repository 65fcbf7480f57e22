"""The Qwen3-TTS checkpoints edged installs from a hub, and how one becomes the active model."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ValidationError

from edged.engine.qwen3.precision import CONVERTER_VERSION, Precisions
from edged.errors import BadInputError
from edged.install.hub import Wanted, fetch_checkpoint, take_checkpoint
from edged.install.install import Installed, replace_active, whole_active
from edged.install.pins import Checkpoint, HubName, Pins
from edged.install.qwen3 import SIZES, build_model, model_name, require_converter
from edged.io.fetch import Progress
from edged.io.model_folder import Manifest, SourceEntry
from edged.io.store import Slot, Store

_REQUIRED = (
    "config.json",
    "generation_config.json",
    "model.safetensors",
    "vocab.json",
    "merges.txt",
    "speech_tokenizer/config.json",
    "speech_tokenizer/model.safetensors",
)


class BuildModel(Protocol):
    """Converts a checkpoint below `work`; returns the model's folder and its manifest, not yet written."""

    def __call__(
        self,
        checkpoint: Path,
        work: Path,
        precisions: Precisions,
        progress: Progress,
        *,
        name: str,
        version: str,
        sources: tuple[SourceEntry, ...],
        repository: str,
        revision: str,
    ) -> tuple[Path, Manifest]: ...


class _Identity(BaseModel):
    """What config.json says of the model it belongs to."""

    tts_model_size: str
    tts_model_type: str


@dataclass(frozen=True, slots=True)
class CheckpointRecipe:
    """A checkpoint published under the same name on both hubs; `size` and `kind` in config.json's words."""

    name: str
    repo: str
    size: str
    kind: str
    build: BuildModel = build_model

    def wanted(self, hub: HubName | None, revision: str | None) -> Wanted:
        """What to look for on a hub, in a folder and among the trusted ones."""
        return Wanted(self.name, self.repo, hub, revision, _REQUIRED, self.check)

    def check(self, config: Path) -> None:
        """Raise BadInputError when this config.json is of another model; sizes nobody publishes pass."""
        found = _identity(config)
        size, kind = found.tts_model_size, found.tts_model_type
        if kind == self.kind and (size == self.size or size not in SIZES):
            return
        fitting = model_name(size, kind)
        raise BadInputError(
            f"{config.parent}: config.json is of {size} {kind}, {self.name} is {self.size} {self.kind}",
            f"edged model install {fitting}" if fitting in CHECKPOINTS else f"take the files of {self.repo}",
        )


def _identity(config: Path) -> _Identity:
    if not config.is_file():
        raise BadInputError(f"{config}: missing", "copy the whole folder again")
    try:
        return _Identity.model_validate_json(config.read_bytes())
    except ValidationError as error:
        (problem, *_) = error.errors(include_url=False)
        where = ".".join(str(part) for part in problem["loc"]) or "file"
        raise BadInputError(
            f"{config}: {where}: {problem['msg']}",
            "is this a Qwen3-TTS 12 Hz checkpoint, complete and unchanged?",
        ) from error


def _recipe(size: str, kind: str, published_kind: str) -> CheckpointRecipe:
    repo = f"Qwen/Qwen3-TTS-12Hz-{SIZES[size].upper()}-{published_kind}"
    return CheckpointRecipe(model_name(size, kind), repo, size, kind)


CHECKPOINTS = {
    recipe.name: recipe
    for recipe in (
        _recipe("0b6", "custom_voice", "CustomVoice"),
        _recipe("0b6", "base", "Base"),
        _recipe("1b7", "custom_voice", "CustomVoice"),
        _recipe("1b7", "base", "Base"),
        _recipe("1b7", "voice_design", "VoiceDesign"),
    )
}


def install_checkpoint(
    recipe: CheckpointRecipe,
    store: Store,
    precisions: Precisions,
    progress: Progress,
    notice: Callable[[str], None],
    *,
    hub: HubName | None = None,
    revision: str | None = None,
    offline_dir: Path | None = None,
    keep_downloads: Path | None = None,
    force: bool = False,
) -> Installed:
    """Make the recipe's model the active one; a whole one of the same files and precision stays.

    The files are taken from `offline_dir`, else downloaded to `keep_downloads`, else downloaded to the slot
    and deleted after success; `keep_downloads` is filled even if the model stays. `notice` is told when files
    are trusted for the first time. Raises FetchError, StorageError, ConversionError, BadInputError or
    BusyError; only what has arrived and been converted so far is left then, for the next try.
    """
    pins = Pins(store.models_dir)
    wanted = recipe.wanted(hub, revision)
    trusted = [pin.sources for pin in wanted.trusted(pins)]

    def is_current(manifest: Manifest) -> bool:
        made_so = (manifest.precision, manifest.converter_version) == (str(precisions), CONVERTER_VERSION)
        return made_so and manifest.sources in trusted

    if not force and (whole := whole_active(store, recipe.name, is_current)):
        if keep_downloads is not None:
            with store.locked(recipe.name):
                kept = fetch_checkpoint(wanted, keep_downloads, pins, progress, work=None, own=False)
            _trust(kept, pins, notice)
        return Installed(whole, built=False)
    require_converter()

    def build(slot: Slot, work: Path) -> tuple[Path, Manifest]:
        if offline_dir is not None:
            folder = offline_dir
            checkpoint = take_checkpoint(wanted, folder, pins, progress)
        else:
            folder, own = keep_downloads or slot.downloads / "checkpoint", keep_downloads is None
            checkpoint = fetch_checkpoint(wanted, folder, pins, progress, work=work, own=own)
        _trust(checkpoint, pins, notice)
        return recipe.build(
            folder,
            slot.downloads / "converting",
            precisions,
            progress,
            name=recipe.name,
            version=re.sub(r"[^A-Za-z0-9._-]", "-", checkpoint.commit)[:12],
            sources=checkpoint.sources,
            repository=checkpoint.repo,
            revision=checkpoint.commit,
        )

    return Installed(replace_active(store, recipe.name, build), built=True)


def _trust(checkpoint: Checkpoint, pins: Pins, notice: Callable[[str], None]) -> None:
    """Pin files that were never seen before, and say so."""
    if checkpoint in pins.matching(checkpoint.repo, None, None):
        return
    pins.record(checkpoint)
    origin = "that folder" if checkpoint.hub == "folder" else checkpoint.hub
    digests = "\n".join(f"  {file.sha256}  {path}" for path, file in sorted(checkpoint.files.items()))
    notice(
        f"WARNING: edged knows no SHA-256 of {checkpoint.repo} at {checkpoint.commit}, so it trusts what "
        f"{origin} holds now:\n{digests}\nThey are in {pins.path}; from now on it takes these files only."
    )
