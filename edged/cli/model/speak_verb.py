"""`edged model verify NAME --speak`."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Column, Table

from edged.cli.model.common import engine_of, known_model, print_json, progress_bar
from edged.cli.model.speak_check import Report, Spoken, speak_all
from edged.cli.model.speak_prompts import PROMPTS
from edged.cli.recogniser import Recogniser
from edged.cli.synth_client import with_engine
from edged.config.loader import load_config
from edged.engine.qwen3.runaway import Fault
from edged.errors import EngineError, RunawayError
from edged.io.disk import storage_errors
from edged.io.store import Store


def speak(store: Store, name: str, config_path: Path | None, out: Path | None, as_json: bool) -> None:
    """Have the active build of model `name` speak the prompts and print the report.

    Raises ModelUnavailableError when it cannot be loaded, EngineError when a prompt was not spoken well.
    """
    folder = store.open_active(known_model(store, name))
    config = with_engine(load_config(config_path), engine_of(name), folder.path)
    with _recordings(out) as recordings:
        with progress_bar() as progress:
            report = speak_all(config, PROMPTS, recordings, Recogniser.of_this_clone(), progress)
        if out is not None:
            with storage_errors(out):
                text = json.dumps(_as_json(report), indent=2, ensure_ascii=False)
                (out / "report.json").write_text(f"{text}\n", encoding="utf-8")
    if as_json:
        print_json(_as_json(report))
    else:
        _print_table(report)
    if report.failed:
        names = ", ".join(spoken.name for spoken in report.failed)
        what = f"{report.model}: {len(report.failed)} of {len(report.prompts)} prompts failed: {names}"
        hint = (
            "--out DIR keeps the recordings and a report" if out is None else f"{out}, also with report.json"
        )
        raise EngineError(what, f"listen to them: {hint}")


@contextmanager
def _recordings(out: Path | None) -> Iterator[Path]:
    """Where the recordings go: the folder asked for, or one that is gone afterwards."""
    if out is None:
        with tempfile.TemporaryDirectory() as scratch:
            yield Path(scratch)
        return
    with storage_errors(out):
        out.mkdir(parents=True, exist_ok=True)
    yield out


def _as_json(report: Report) -> dict[str, Any]:
    return {"ok": not report.failed, **asdict(report)}


def _print_table(report: Report) -> None:
    table = Table(
        *("prompt", "s", "s/char", "level", "peak", "RTF", "errors"),
        Column("", overflow="fold"),
        title=report.model,
    )
    for spoken in report.prompts:
        table.add_row(*_row(spoken))
    Console().print(table)
    if not report.is_heard:
        click.echo("no recogniser: whether the words are right was not looked at (benchmarks/setup-peers.sh)")


def _row(spoken: Spoken) -> list[str]:
    figures = (spoken.audio_s, spoken.seconds_per_char, spoken.level_dbfs, spoken.peak_dbfs, spoken.rtf)
    errors = "-" if spoken.error_percent is None else f"{spoken.error_percent:.0f} %"
    shown = ["-" if figure is None else str(figure) for figure in figures]
    return [spoken.name, *shown, errors, "; ".join(map(_brief, spoken.problems)) or "ok"]


def _brief(problem: str) -> str:
    """What fits into a cell of the table; the report as JSON has all of it."""
    if problem.startswith(f"{RunawayError.code}:"):
        return "too short" if Fault.TOO_SHORT in problem else "no end"
    return problem.partition(":")[0]
