"""`edged model list, activate, rollback, remove`: the builds of a store."""

from __future__ import annotations

from pathlib import Path

import click

from edged.cli.model.common import describe_build, known_model, open_store, print_json, store_options
from edged.cli.options import json_option
from edged.install.catalogue import installable


@click.command("list")
@store_options
@json_option
def list_(models_dir: Path | None, config_path: Path | None, as_json: bool) -> None:
    """List installed builds and what can be installed.

    \b
    Examples:
      edged model list
      edged model list --json
    """
    store = open_store(models_dir, config_path)
    installed = [describe_build(store, name, build) for name in store.names() for build in store.builds(name)]
    available = [name for name in installable() if name not in store.names()]
    if as_json:
        print_json({"models_dir": str(store.models_dir), "installed": installed, "available": available})
        return
    width = max(len(name) for name in (*store.names(), *available))
    for entry in installed:
        role = "active" if entry["active"] else "previous" if entry["previous"] else ""
        facts = entry["problem"] or f"{entry['bytes'] / 1e6:.0f} MB, {entry['precision']}, {entry['licence']}"
        click.echo(f"{entry['name']:{width}} {entry['build']:16} {role:9} {facts}")
    for name in available:
        click.echo(f"{name:{width}} not installed: edged model install {name}")


@click.command()
@click.argument("name")
@click.argument("build")
@store_options
def activate(name: str, build: str, models_dir: Path | None, config_path: Path | None) -> None:
    """Use BUILD of model NAME from the next start on (`edged model list` shows builds).

    \b
    Examples:
      edged model activate kokoro 1.0-3fa92c1b
    """
    store = open_store(models_dir, config_path)
    with store.locked(known_model(store, name)) as slot:
        slot.activate(build)
    click.echo(f"{name} {build}: active; restart edged to use it")


@click.command()
@click.argument("name")
@store_options
def rollback(name: str, models_dir: Path | None, config_path: Path | None) -> None:
    """Go back to the build of model NAME that was active before.

    \b
    Examples:
      edged model rollback kokoro
    """
    store = open_store(models_dir, config_path)
    with store.locked(known_model(store, name)) as slot:
        folder = slot.rollback()
    click.echo(f"{name} {folder.path.name}: active; restart edged to use it")


@click.command()
@click.argument("name")
@click.argument("build")
@click.option("--force", is_flag=True, help="Even if it is the active build.")
@store_options
def remove(name: str, build: str, force: bool, models_dir: Path | None, config_path: Path | None) -> None:
    """Delete BUILD of model NAME.

    \b
    Example:
      edged model remove kokoro 1.0-3fa92c1b
    """
    store = open_store(models_dir, config_path)
    with store.locked(known_model(store, name)) as slot:
        slot.remove(build, force=force)
    click.echo(f"{name} {build}: removed")
