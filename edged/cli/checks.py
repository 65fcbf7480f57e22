"""The sections of `edged doctor`: each looks at one thing and says what is wrong, why, and what to do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial

import psutil

from edged.cli.audio_checks import SILENT, check_outputs
from edged.cli.findings import Finding, Section, Severity, look
from edged.cli.realtime_check import check_realtime
from edged.config.schema import Config
from edged.errors import DaemonUnreachableError
from edged.io.cpu import read_cpu
from edged.io.lexicon import load_lexicon
from edged.io.memory import unpacks_int8, weight_bytes
from edged.io.model_folder import ModelFolder
from edged.io.status_socket import read_status
from edged.io.thermal import cpu_temperature_c
from edged.io.visitor import check_broker
from edged.protocol.state import DeviceState
from edged.workers.engines import model_name, open_folder
from edged.workers.threads import configured_threads

_WORKING_ROOM = 1.3  # with its buffers, its tables and Python a model of 1.0 GB takes 1.3
_LARGEST_SHARE = 0.5  # the other half is for the system, the file cache and what else runs on the board
_OPENVINO_TIMEOUT_S = 120.0  # a first import from a slow eMMC
_CONSEQUENCES = {
    "model": "there is no voice to speak with",
    "qwen3": "the daemon speaks with the small voice, or with tones where there is none",
    "audio": SILENT,
    "mqtt": "no controller can ask for speech",
}


def examine(config: Config) -> Iterator[Section]:
    """Every section, one after the other (some take seconds)."""
    checks: dict[str, Callable[[], Iterator[Finding]]] = {
        "cpu": partial(_cpu, config),
        "openvino": _openvino,
        "model": partial(_model, config),
        "text": partial(_text, config),
        "audio": partial(check_outputs, config),
        "realtime": partial(check_realtime, config.paths.runtime_dir),
        "mqtt": partial(_mqtt, config),
        "daemon": partial(_daemon, config),
    }
    for name, check in checks.items():
        topic = config.speech.engine if name == "model" else name
        consequence = _CONSEQUENCES.get(topic, _CONSEQUENCES.get(name, ""))
        yield look(name, check, consequence)


def _cpu(config: Config) -> Iterator[Finding]:
    cpu = read_cpu()
    threads = configured_threads(config.threads)
    yield Finding(
        f"{cpu.model or 'unknown CPU'}: {cpu.isa or 'no INT8 set'}, {threads} threads for synthesis"
    )
    if not cpu.keeps_int8_small:
        yield Finding(
            "no AVX2",
            "INT8 weights are unpacked to floats here: neural voices are several times slower than real time",
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
    folder = open_folder(config)
    manifest, size_mb = folder.manifest, folder.size_bytes / 1e6
    yield Finding(
        f"{manifest.name} {manifest.build}, {manifest.precision}, {size_mb:.0f} MB, every byte checked"
    )
    yield _memory(folder)
    if config.speech.engine == "qwen3":
        from edged.engine.qwen3.model_files import ModelFiles

        ModelFiles(folder.path, config.paths.voices_dir)  # says what a whole folder can still lack: voices
    if unpacks_int8(folder, read_cpu()):
        yield Finding(
            f"{manifest.precision}: not for this CPU",
            "without AVX2 8-bit weights are kept as floats: four times the memory, and slow",
            f"edged model install {model_name(config)} --weights w8a8",
            Severity.WARN,
        )
    elif "w8a8" in manifest.precision and read_cpu().keeps_int8_small:
        yield Finding(
            f"{manifest.precision}: meant for CPUs without AVX2",
            "this one keeps weight-only INT8 as small and computes more exactly with it",
            f"edged model install {model_name(config)} --weights int8",
        )


def _text(config: Config) -> Iterator[Finding]:
    lexicon, problems = load_lexicon(config.paths.lexicon)
    yield Finding(f"lexicon {config.paths.lexicon}: {len(lexicon.words)} words")
    for problem in problems:
        yield Finding(
            problem,
            "this word is read as if it were not there",
            "edged text --lexicon FILE tries a file",
            Severity.WARN,
        )


def _memory(folder: ModelFolder) -> Finding:
    needed_mb, total_mb = weight_bytes(folder, read_cpu()) / 1e6, psutil.virtual_memory().total / 1e6
    what = f"its weights take {needed_mb:.0f} of {total_mb:.0f} MB of memory"
    if needed_mb * _WORKING_ROOM <= total_mb * _LARGEST_SHARE:
        return Finding(what)
    return Finding(
        what,
        "computing takes a third as much again; the kernel may end the engine in mid-speech",
        "a smaller model, or a board with more memory",
        Severity.WARN,
    )


def _mqtt(config: Config) -> Iterator[Finding]:
    check_broker(config.mqtt)
    user = config.mqtt.username or "anonymous"
    yield Finding(f"{config.mqtt.host}:{config.mqtt.port} accepts us as {user}")


def _daemon(config: Config) -> Iterator[Finding]:
    try:
        state = read_status(config.paths.runtime_dir)["state"]
    except DaemonUnreachableError:
        yield Finding("not running")
        return
    what = f"{state['state']}{': ' if state['reason'] else ''}{state['reason']}"
    is_degraded = state["state"] == DeviceState.DEGRADED
    fix = "journalctl -u edged; once a model is mended: systemctl reload edged" if is_degraded else ""
    yield Finding(what, "it works, with this fault", fix, Severity.WARN if is_degraded else Severity.OK)
