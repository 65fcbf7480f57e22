"""The sections of `edged doctor`: each looks at one thing and says what is wrong, why, and what to do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import partial

from edged.cli.playback import granted_parameters
from edged.config.schema import Config
from edged.errors import EdgedError
from edged.io.broker import check_broker
from edged.io.cpu import read_cpu
from edged.io.model_folder import open_model
from edged.io.store import Store
from edged.io.thermal import cpu_temperature_c
from edged.workers.threads import configured_threads

_OPENVINO_TIMEOUT_S = 120.0  # a first import from a slow eMMC
_CONSEQUENCES = {
    "model": "there is no voice to speak with",
    "audio": "nothing can be heard",
    "mqtt": "no controller can ask for speech",
}


class Severity(IntEnum):
    """How bad it is; also the exit status of doctor."""

    OK = 0
    WARN = 1
    FAIL = 2


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing seen: `what`, `why` it matters, how to `fix` it (empty when nothing is to be done)."""

    what: str
    why: str = ""
    fix: str = ""
    severity: Severity = Severity.OK


@dataclass(frozen=True, slots=True)
class Section:
    """Everything seen of one part of the system."""

    name: str
    findings: tuple[Finding, ...]

    @property
    def severity(self) -> Severity:
        """The worst of its findings."""
        return max((finding.severity for finding in self.findings), default=Severity.OK)


def examine(config: Config) -> Iterator[Section]:
    """Every section, one after the other (some take seconds)."""
    checks: dict[str, Callable[[], Iterator[Finding]]] = {
        "cpu": partial(_cpu, config),
        "openvino": _openvino,
        "model": partial(_model, config),
        "audio": partial(_audio, config),
        "mqtt": partial(_mqtt, config),
    }
    for name, check in checks.items():
        yield Section(name, tuple(_guarded(check, _CONSEQUENCES.get(name, ""))))


def _guarded(check: Callable[[], Iterator[Finding]], consequence: str) -> Iterator[Finding]:
    """An error edged expects is a finding like any other."""
    try:
        yield from check()
    except EdgedError as error:
        fix = error.hint.removeprefix("edged doctor; ")  # where we are
        yield Finding(error.what, consequence, fix, Severity.FAIL)


def _cpu(config: Config) -> Iterator[Finding]:
    cpu = read_cpu()
    threads = configured_threads(config.threads)
    yield Finding(
        f"{cpu.model or 'unknown CPU'}: {cpu.isa or 'no INT8 set'}, {threads} threads for synthesis"
    )
    if not cpu.keeps_int8_small:
        yield Finding(
            "no AVX2",
            "INT8 weights are unpacked to floats here: Kokoro is several times slower than real time",
            "use a board with AVX2 (N100 or newer), or speech.engine: tone",
            Severity.WARN,
        )
    temperature_c = cpu_temperature_c()
    if temperature_c is None:
        yield Finding("no CPU temperature sensor", "the board stays at thermal level nominal")
    else:
        hot = temperature_c >= config.thermal.warm_c
        fix = "better cooling, or fewer threads.synth" if hot else ""
        yield Finding(f"{temperature_c:.0f} °C", "", fix, Severity.WARN if hot else Severity.OK)


def _openvino() -> Iterator[Finding]:
    """Loads OpenVINO in a child: on a CPU it was not built for it ends with a signal, not an exception."""
    probe = "from edged.engine.runtime import ov; print(ov.__version__)"
    try:
        done = subprocess.run(
            [sys.executable, "-c", probe],
            capture_output=True,
            text=True,
            timeout=_OPENVINO_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        yield Finding("OpenVINO does not load", "it hangs", "reinstall edged", Severity.FAIL)
        return
    if done.returncode == 0:
        yield Finding(f"OpenVINO {done.stdout.strip()}")
        return
    last_line = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    why = "this CPU cannot run it (illegal instruction)" if done.returncode == -4 else last_line
    yield Finding("OpenVINO does not load", why, "reinstall edged in its virtual environment", Severity.FAIL)


def _model(config: Config) -> Iterator[Finding]:
    if config.speech.engine == "tone":
        yield Finding("engine tone", "sine tones instead of speech", "speech.engine: kokoro", Severity.WARN)
        return
    own = config.speech.model
    folder = open_model(own) if own else Store(config.paths.models_dir).open_active(config.speech.engine)
    manifest, size_mb = folder.manifest, folder.size_bytes / 1e6
    yield Finding(
        f"{manifest.name} {manifest.build}, {manifest.precision}, {size_mb:.0f} MB, every byte checked"
    )


def _audio(config: Config) -> Iterator[Finding]:
    granted = granted_parameters(config)
    yield Finding(
        f"{granted.device}: {granted.rate_hz} Hz, {granted.channels} channels, {granted.format}, "
        f"period {granted.period_ms:.0f} ms, buffer {granted.buffer_ms:.0f} ms"
    )
    if config.audio.device.startswith(("hw:0", "hw:1", "plughw:0", "plughw:1")):
        yield Finding(
            f"audio.device = {config.audio.device} names a card by its number",
            "numbers change when a card is added or slow to appear",
            "a stable name such as plughw:CARD=PCH (aplay -L)",
            Severity.WARN,
        )


def _mqtt(config: Config) -> Iterator[Finding]:
    check_broker(config.mqtt)
    user = config.mqtt.username or "anonymous"
    yield Finding(f"{config.mqtt.host}:{config.mqtt.port} accepts us as {user}")
