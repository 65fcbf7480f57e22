"""`edged model verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from edged.cli.model.common import FOLDER, known_model, open_store, print_json, store_options
from edged.cli.options import json_option
from edged.errors import ModelUnavailableError
from edged.install.catalogue import installable
from edged.io.model_folder import Damage, ModelFolder, find_damage, read_manifest
from edged.io.store import Store


@click.command("verify")
@click.argument("name", required=False)
@click.option("--speak", "is_spoken", is_flag=True, help="Have NAME's active build speak 20 prompts instead.")
@click.option(
    "--out", type=FOLDER, help="Keep the recordings and report.json of --speak in DIR, to be listened to."
)
@store_options
@json_option
def verify_(
    name: str | None,
    is_spoken: bool,
    out: Path | None,
    models_dir: Path | None,
    config_path: Path | None,
    as_json: bool,
) -> None:
    """Compare every file of all builds (of model NAME) with its SHA-256; exit status 66 on damage.

    --speak tells whether a model speaks: ten Chinese and ten English prompts, and for each whether it ended
    by itself, its pace, its level, and the errors of a speech recogniser where there is one
    (benchmarks/setup-peers.sh). Exit status 70 when a prompt failed. It takes some minutes on a board.

    \b
    Examples:
      edged model verify
      edged model verify kokoro --json
      edged model verify qwen3-tts-0.6b-customvoice --speak --out recordings/
    """
    if is_spoken:
        if name is None:
            raise click.UsageError("--speak needs the NAME of a model")
        # imported here: comparing files needs no numpy
        from edged.cli.model.speak_verb import speak

        speak(open_store(models_dir, config_path), name, config_path, out, as_json)
        return
    if out is not None:
        raise click.UsageError("--out is for --speak")
    _compare(open_store(models_dir, config_path), name, as_json)


def _compare(store: Store, name: str | None, as_json: bool) -> None:
    names = [known_model(store, name)] if name else store.names()
    reports = [_report(store, model, build) for model in names for build in store.builds(model)]
    if as_json:
        print_json(reports)
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
            f"edged model install {name or installable()[0]}",
        )


def _report(store: Store, name: str, build: str) -> dict[str, Any]:
    path = store.path(name, build)
    try:
        damage = find_damage(ModelFolder(path, read_manifest(path)))
    except ModelUnavailableError as error:
        damage = [Damage("manifest.json", error.what)]
    problems = [{"file": entry.file, "why": entry.why} for entry in damage]
    return {"name": name, "build": build, "ok": not problems, "problems": problems}
