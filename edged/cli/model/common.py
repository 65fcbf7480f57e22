"""What several `edged model` verbs share."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from edged.cli.options import config_option
from edged.config.loader import load_config
from edged.config.schema import EngineName
from edged.errors import BadInputError, ModelUnavailableError
from edged.install.catalogue import installable, unknown_model
from edged.io.model_folder import ModelFolder, read_manifest
from edged.io.store import Store

FOLDER = click.Path(path_type=Path, file_okay=False)
EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)


def store_options(verb: Callable[..., None]) -> Callable[..., None]:
    """--config and --models-dir, for every verb that looks at installed models."""
    models_dir = click.option(
        "--models-dir", type=FOLDER, help="Where models are installed [default: paths.models_dir]."
    )
    return models_dir(config_option(verb))


def open_store(models_dir: Path | None, config_path: Path | None) -> Store:
    return Store(models_dir or load_config(config_path).paths.models_dir)


def known_model(store: Store, name: str) -> str:
    known = sorted({*installable(), *store.names()})
    if name not in known:
        raise unknown_model(name, known)
    return name


def engine_of(name: str) -> str:
    """The engine that speaks with a model: the first word of its name. Raises BadInputError."""
    engine = name.partition("-")[0]
    if engine not in get_args(EngineName):
        raise BadInputError(f"{name}: no engine speaks with this model", "edged model list")
    return engine


def describe_build(store: Store, name: str, build: str) -> dict[str, Any]:
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


@contextlib.contextmanager
def progress_bar() -> Iterator[Callable[[str, float], None]]:
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


def print_json(data: object) -> None:
    click.echo(json.dumps(data, indent=2, ensure_ascii=False))
