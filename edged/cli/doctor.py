"""`edged doctor`: looks at everything speech needs and says what to do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console

from edged.cli.audio_checks import examine_audio
from edged.cli.checks import examine
from edged.cli.findings import Section, Severity
from edged.cli.options import config_option, json_option
from edged.config.loader import load_config

_STYLE = {Severity.OK: "green", Severity.WARN: "yellow", Severity.FAIL: "red"}


@click.command()
@click.option("--audio", is_flag=True, help="Only the sound, and all of it: cards, PCMs, every output.")
@click.option(
    "--tone/--no-tone", default=None, help="With --audio: play a tone on each output [default: yes]."
)
@config_option
@json_option
def command(audio: bool, tone: bool | None, config_path: Path | None, as_json: bool) -> None:
    """Check CPU, OpenVINO, model, audio device and broker. Exit status: 0 well, 1 warnings, 2 failures.

    A running daemon keeps its devices: it is asked what it plays on, and no tone is played.

    \b
    Examples:
      edged doctor
      edged doctor --json
      edged doctor --audio
      edged doctor --audio --no-tone
    """
    if tone is not None and not audio:
        raise click.UsageError("--tone and --no-tone go with --audio.")
    config = load_config(config_path)
    found = examine_audio(config, tone is not False) if audio else examine(config)
    sections = []
    with Console(stderr=True).status("looking"):
        for section in found:
            sections.append(section)
            if not as_json:
                _print(section)
    status = int(max(section.severity for section in sections))
    if as_json:
        click.echo(
            json.dumps({"sections": [_as_json(s) for s in sections], "exit": status}, ensure_ascii=False)
        )
    sys.exit(status)


def _as_json(section: Section) -> dict[str, object]:
    return {
        "name": section.name,
        "status": section.severity.name.lower(),
        "findings": [{"what": f.what, "why": f.why, "fix": f.fix} for f in section.findings],
    }


def _print(section: Section) -> None:
    console = Console()
    for finding in section.findings:
        word = finding.severity.name.lower()
        console.print(
            f"[{_STYLE[finding.severity]}]{word:4}[/] {section.name:9} ", finding.what, sep="", soft_wrap=True
        )
        if finding.severity and finding.why:
            console.print(f"               why: {finding.why}", markup=False, soft_wrap=True)
        if finding.fix:
            console.print(f"               fix: {finding.fix}", markup=False, soft_wrap=True)
