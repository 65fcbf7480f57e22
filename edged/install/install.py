"""A recipe becomes an active model in the store, or a finished folder elsewhere."""

from __future__ import annotations

import importlib.util
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from edged import __version__
from edged.errors import BadInputError, ConversionError, ModelUnavailableError
from edged.install.brought import brought
from edged.install.conversion import convert_in_child
from edged.install.extras import INSTALL_EXTRAS
from edged.install.recipe import Recipe
from edged.io.disk import require_space, storage_errors
from edged.io.fetch import Progress, fetch, missing_bytes, take
from edged.io.model_folder import (
    Manifest,
    ModelFolder,
    SourceEntry,
    describe_files,
    write_manifest,
)
from edged.io.store import Slot, Store


@dataclass(frozen=True, slots=True)
class Installed:
    """The active model after an install; `built` is False when it was there and whole already."""

    folder: ModelFolder
    built: bool


def install(
    recipe: Recipe,
    store: Store,
    progress: Progress,
    *,
    offline_dir: Path | None = None,
    keep_downloads: Path | None = None,
    force: bool = False,
) -> Installed:
    """Make the recipe's model the active one; a whole one of the same version and precision stays.

    The artefacts are taken from `offline_dir`, else downloaded to `keep_downloads`, else downloaded to the
    slot and deleted after success; `keep_downloads` is filled even if the model stays. Raises FetchError,
    BadInputError (`offline_dir`), StorageError, ConversionError or BusyError; nothing but finished downloads
    is left behind then.
    """
    if not force and (whole := whole_active(store, recipe.name, lambda found: _is_made_by(recipe, found))):
        if keep_downloads is not None:
            with store.locked(recipe.name):
                _fetch(recipe, keep_downloads, keep_downloads, progress, work_bytes=0)
        return Installed(whole, built=False)
    require_converter(recipe)

    def build(slot: Slot, work: Path) -> tuple[Path, Manifest]:
        if offline_dir is not None:
            require_space(work, recipe.work_bytes)
            artefacts = _take(recipe, offline_dir)
        else:
            artefacts = _fetch(recipe, keep_downloads or slot.downloads, work, progress, recipe.work_bytes)
        return _build(recipe, artefacts, work, progress)

    return Installed(replace_active(store, recipe.name, build), built=True)


def convert_to(recipe: Recipe, sources_dir: Path, out: Path, progress: Progress) -> ModelFolder:
    """Build the model from artefacts in `sources_dir` as the new folder `out`, outside any store."""
    require_converter(recipe)
    artefacts = _take(recipe, sources_dir)
    if out.exists():
        raise BadInputError(f"{out}: exists already", "name a new folder")
    with storage_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}-", dir=out.parent) as work:
            require_space(Path(work), recipe.work_bytes)
            model, manifest = _build(recipe, artefacts, Path(work), progress)
            write_manifest(model, manifest)
            model.rename(out)
    return ModelFolder(out, manifest)


def require_converter(recipe: Recipe) -> None:
    """Raise ConversionError when a module that only conversion needs is not installed."""
    missing = [module for module in recipe.needs if importlib.util.find_spec(module) is None]
    if missing:
        raise ConversionError(f"converting {recipe.name} needs {' and '.join(missing)}", INSTALL_EXTRAS)


def whole_active(store: Store, name: str, is_current: Callable[[Manifest], bool]) -> ModelFolder | None:
    """The active model if it is undamaged and the one asked for."""
    try:
        folder = store.open_active(name)
    except ModelUnavailableError:
        return None
    return folder if is_current(folder.manifest) else None


def replace_active(
    store: Store, name: str, build: Callable[[Slot, Path], tuple[Path, Manifest]]
) -> ModelFolder:
    """Publish and activate what `build(slot, work folder)` makes; downloads go once it is in use."""
    with store.locked(name) as slot:
        with slot.building() as work:
            folder = slot.publish(*build(slot, work))
        slot.activate(folder.path.name)
        slot.drop_downloads()
    return folder


def _is_made_by(recipe: Recipe, manifest: Manifest) -> bool:
    return (
        manifest.version == recipe.version
        and manifest.precision == recipe.precision
        and manifest.converter_version == recipe.converter_version
        and manifest.sources == _sources(recipe)
    )


def _take(recipe: Recipe, folder: Path) -> dict[str, Path]:
    with brought():
        return take(recipe.artefacts, folder)


def _fetch(recipe: Recipe, folder: Path, work: Path, progress: Progress, work_bytes: int) -> dict[str, Path]:
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        require_space(work, missing_bytes(recipe.artefacts, folder) + work_bytes)
        return fetch(recipe.artefacts, folder, progress)


def _build(
    recipe: Recipe, artefacts: Mapping[str, Path], work: Path, progress: Progress
) -> tuple[Path, Manifest]:
    """Unpack and convert below `work`; returns the model's folder and its manifest, not yet written."""
    sources, model = work / "sources", work / "model"
    with storage_errors(work):
        sources.mkdir()
        model.mkdir()
        progress("unpacking", 0.0)
        recipe.unpack(artefacts, sources)
        convert_in_child(recipe.converter, recipe.weights, sources, model, progress)
        if (sources / "licences").is_dir():
            shutil.copytree(sources / "licences", model / "licences")
        progress("computing checksums", 0.0)
        files = describe_files(model)
    return model, Manifest(
        name=recipe.name,
        version=recipe.version,
        created=datetime.now(UTC).replace(microsecond=0),
        licence=recipe.licence,
        precision=recipe.precision,
        sample_rate_hz=recipe.sample_rate_hz,
        converter_version=recipe.converter_version,
        built_with=", ".join(f"{package} {version(package)}" for package in ("openvino", *recipe.needs)),
        edged=__version__,
        sources=_sources(recipe),
        files=files,
    )


def _sources(recipe: Recipe) -> tuple[SourceEntry, ...]:
    return tuple(
        SourceEntry(artefact=artefact.name, version=artefact.version, sha256=artefact.sha256)
        for artefact in recipe.artefacts
    )
