"""The large voice through the whole product: a tiny model of random weights, the real daemon and commands."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from click.testing import CliRunner

from benchmarks.clocked_sink import ClockedSink, poll_until
from edged.audio import wav
from edged.cli.main import cli
from edged.cli.recogniser import Recogniser
from edged.core.fallback import MOST_CRASHES
from edged.engine.base import Samples
from edged.engine.qwen3.precision import PRECISIONS, Weights
from edged.errors import EngineError
from edged.install.qwen3 import convert_checkpoint
from edged.io.model_folder import read_manifest
from edged.io.store import Store
from tests.fakes.qwen3_checkpoint import write_tiny_checkpoint
from tests.fakes.tiny_model import silent
from tests.integration.broker import WAIT_S, Broker
from tests.integration.running_daemon import EDGED, RunningDaemon, running_daemon, wait_gone

pytestmark = [pytest.mark.broker, pytest.mark.alsa]

# random weights never find an end, so each sentence has one: 6 frames of 80 ms
SHORT = {"seed": 7, "max_seconds": 0.5}
# 20 sentences of 1 s, and synthesis that waits for playback: both children are busy for 20 s
LONG = "One two three. " * 20
SECOND = {"seed": 7, "max_seconds": 1.0}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CustomVoice model in float32, nine speakers."""
    folder = tmp_path_factory.mktemp("tiny model")
    checkpoint = write_tiny_checkpoint(folder / "checkpoint")
    return convert_checkpoint(checkpoint, folder / "model", PRECISIONS[Weights.FP32], silent).path


def settings(model: Path) -> str:
    return f"speech: {{engine: qwen3, model: '{model}', max_ahead_s: 2}}\nthreads: {{synth: 1}}\n"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    with Broker(tmp_path) as running:
        yield running


@pytest.fixture
def daemon(tmp_path: Path, broker: Broker, model: Path) -> Iterator[RunningDaemon]:
    """Plays in real time."""
    with ClockedSink() as sink, running_daemon(tmp_path, broker, sink.env, settings(model)) as running:
        running.wait_info("qwen3")
        yield running


@pytest.fixture
def recorded(tmp_path: Path, broker: Broker, model: Path) -> Iterator[RunningDaemon]:
    """Plays into WAV files, one an announcement, faster than real time."""
    heard = tmp_path / "heard.wav"
    with tempfile.TemporaryDirectory(dir="/tmp") as plain:  # ALSA_CONFIG_PATH takes no space
        asound = Path(plain) / "asound.conf"
        asound.write_text(
            "pcm.silence { type null }\n"
            f'pcm.!default {{ type file slave.pcm silence file "{heard}" format wav truncate true }}\n'
        )
        env = {"ALSA_CONFIG_PATH": str(asound)}
        with running_daemon(tmp_path, broker, env, settings(model)) as running:
            running.wait_info("qwen3")
            yield running


def heard(daemon: RunningDaemon) -> Samples:
    return wav.decode((daemon.folder / "heard.wav").read_bytes()).mono()


def test_a_request_with_options_is_spoken_as_it_asks(recorded: RunningDaemon) -> None:
    """Speaker, seed and length reach the model: the same seed sounds the same, another one does not."""
    sounds = []
    for request_id, seed in (("a", 7), ("b", 7), ("c", 8)):
        options = {"speaker": "Ryan", "seed": seed, "max_seconds": 0.5, "temperature": 0.8, "top_k": 20}
        recorded.speak("你好，世界。", id=request_id, options=options, cache="bypass")
        result = recorded.result(request_id)
        assert (result["status"], result["voice"], result["warnings"]) == ("finished", "ryan", [])
        assert abs(result["audio_ms"] - 6 * 80) < 2
        sounds.append(heard(recorded))
    assert np.array_equal(sounds[0], sounds[1])
    assert not np.array_equal(sounds[0], sounds[2])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dialect": "klingon"}, ["options.dialect", "'klingon'", "beijing_dialect, sichuan_dialect"]),
        ({"language": "latin"}, ["options.language", "'latin'", "chinese", "english"]),
        ({"temperature": 9}, ["options.temperature", "2"]),
    ],
    ids=["dialect", "language", "range"],
)
def test_what_the_model_does_not_have_is_refused_by_name(
    recorded: RunningDaemon, options: dict[str, Any], words: list[str]
) -> None:
    """`bad_field` with what is allowed, nothing is heard, and the next request is spoken."""
    recorded.speak("你好", id="bad", options=options)
    result = recorded.result("bad")
    assert (result["status"], result["code"], result["audio_ms"] or 0) == ("rejected", "bad_field", 0)
    assert [word for word in words if word not in result["reason"]] == []
    recorded.speak("你好", id="good", options=SHORT)
    assert recorded.result("good")["status"] == "finished"


def test_an_unknown_speaker_is_replaced_with_a_warning(recorded: RunningDaemon) -> None:
    """As an unknown voice is; a speed that the model does not have is made by stretching."""
    recorded.speak("你好", id="a", options={**SHORT, "speaker": "nobody"}, speed=1.5)
    result = recorded.result("a")
    assert (result["status"], result["voice"]) == ("finished", "serena")
    assert result["warnings"] == ["voice_fallback: nobody"]


def test_speech_without_an_end_is_a_runaway(recorded: RunningDaemon) -> None:
    """It is cut off where the text must have been spoken, once more tried, and told; the next is spoken."""
    recorded.speak("好", id="a", options={"seed": 7})
    result = recorded.result("a")
    assert (result["status"], result["code"]) == ("failed", "runaway")
    recorded.speak("你好", id="b", options=SHORT)
    assert recorded.result("b")["status"] == "finished"


def test_a_stop_in_mid_sentence_leaves_no_thread(daemon: RunningDaemon) -> None:
    """The synth goes on with the next announcement, and has as many threads as before."""
    daemon.speak("Hello", id="first", options=SHORT)
    assert daemon.result("first")["status"] == "finished"
    synth = daemon.child("synth")
    threads = synth.num_threads()
    for number in range(3):
        daemon.speak(LONG, id=f"long-{number}", options=SECOND)
        daemon.wait_sounding(LONG, f"long-{number}", options=SECOND)
        daemon.command("stop")
        assert daemon.result(f"long-{number}")["status"] == "cancelled"
    daemon.speak("Hello", id="last", options=SHORT)
    assert daemon.result("last")["status"] == "finished"
    poll_until(lambda: synth.num_threads() <= threads, "threads are left over", WAIT_S)


def test_a_stop_of_the_service_in_mid_sentence_leaves_nothing(daemon: RunningDaemon) -> None:
    """SIGTERM: a result, no process, no lock, no half a file; the next start speaks."""
    daemon.speak(LONG, id="long", options=SECOND)
    daemon.wait_speaking("long")
    children = [daemon.child("synth"), daemon.child("player")]
    assert daemon.stop() == 0
    wait_gone(*children)
    assert daemon.result("long")["code"] == "interrupted_by_restart"
    cached = {path.suffix for path in (daemon.folder / "cache").rglob("*") if path.is_file()}
    # a sentence that was whole before the stop may have been kept
    assert cached - {".phrase"} == {".blob", ".sha256"}
    daemon.start()
    daemon.speak("Hello", id="again", options=SHORT)
    assert daemon.result("again")["status"] == "finished"


def test_a_model_that_keeps_crashing_is_given_up(daemon: RunningDaemon) -> None:
    """Each crash fails its announcement and the engine comes back; after too many another one speaks."""
    for number in range(MOST_CRASHES):
        daemon.wait_info("qwen3")
        daemon.speak(LONG, id=f"long-{number}", options=SECOND)
        daemon.wait_speaking(f"long-{number}")
        daemon.child("synth").kill()
        result = daemon.result(f"long-{number}")
        assert (result["status"], result["code"]) == ("failed", "engine_crashed")
    words = f"qwen3: crashed {MOST_CRASHES} times in a row"
    assert words in daemon.wait_info("tone")["fallback"]
    assert words in daemon.wait_state("degraded")["reason"]
    daemon.speak("Hello", id="a")
    result = daemon.result("a")
    assert (result["status"], result["warnings"]) == ("finished", ["engine_fallback: tone"])


def test_one_crash_is_not_the_models_fault(daemon: RunningDaemon) -> None:
    """kill -9 in mid-sentence: failed, started again, and spoken by the same model."""
    daemon.speak(LONG, id="long", options=SECOND)
    daemon.wait_speaking("long")
    daemon.child("synth").kill()
    assert daemon.result("long")["code"] == "engine_crashed"
    daemon.speak("Hello", id="again", options=SHORT)
    result = daemon.result("again")
    assert (result["status"], result["voice"]) == ("finished", "ryan")


def test_a_damaged_compile_cache_is_made_again(recorded: RunningDaemon) -> None:
    """It is no reason to speak with another engine, or to speak nonsense."""
    recorded.speak("你好", id="before", options=SHORT)
    assert recorded.result("before")["status"] == "finished"
    sound = heard(recorded)
    recorded.stop()
    for blob in (recorded.folder / "cache").glob("*.blob"):
        data = bytearray(blob.read_bytes())
        data[len(data) // 2] ^= 0x40
        blob.write_bytes(data)
    recorded.start()
    assert recorded.wait_state("online")["reason"] == ""
    recorded.speak("你好", id="after", options=SHORT)
    assert recorded.result("after")["status"] == "finished"
    assert np.allclose(heard(recorded), sound, atol=2e-4)
    recorded.wait_log("is damaged or was not finished")


def edged(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([EDGED, *arguments], capture_output=True, text=True, check=False, timeout=WAIT_S)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "edged.yaml"
    path.write_text("paths: {models_dir: m, state_dir: s, cache_dir: c, runtime_dir: r}\n")
    return path


def test_say_speaks_with_a_converted_folder(tmp_path: Path, model: Path, config: Path) -> None:
    """`edged say --engine qwen3 --model DIR`: the same contract as for the other engines."""
    out = tmp_path / "x.wav"
    options = ("--seed", "7", "--max-seconds", "0.5", "--speaker", "Vivian", "--dialect", "sichuan_dialect")
    done = edged(
        *("say", "你好", "--engine", "qwen3", "--model", model, "--config", config),
        *(*options, "--out", out, "--json"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert (told["engine"], told["voice"], told["sample_rate"]) == ("qwen3", "vivian", 24000)
    assert told["audio_s"] == pytest.approx(wav.decode(out.read_bytes()).seconds, abs=0.001)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--speaker", "nobody"), ("nobody", "vivian")),
        (("--dialect", "klingon"), ("klingon", "sichuan_dialect")),
        (("--language", "latin"), ("latin", "chinese")),
    ],
)
def test_say_names_what_the_model_has(
    tmp_path: Path, model: Path, config: Path, options: tuple[str, str], words: tuple[str, str]
) -> None:
    """Exit status 65, the wrong name and the right ones; no file."""
    out = tmp_path / "x.wav"
    common = ("--engine", "qwen3", "--model", model, "--config", config)
    done = edged("say", "你好", *common, *options, "--out", out)
    assert done.returncode == 65
    assert [word for word in words if word not in done.stderr] == []
    assert not out.exists()


def test_a_say_that_is_interrupted_leaves_no_file_and_no_process(
    tmp_path: Path, model: Path, config: Path
) -> None:
    """Ctrl-C while it speaks."""
    arguments = ["say", LONG, "--engine", "qwen3", "--model", str(model), "--config", str(config)]
    out = tmp_path / "out/x.wav"
    out.parent.mkdir()
    command = [EDGED, *arguments, "--seed", "7", "--max-seconds", "60", "--out", str(out)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        children: list[psutil.Process] = []
        poll_until(lambda: bool(_found(process.pid, children)), "no synth process", WAIT_S)
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_S) == 130
    wait_gone(*children)
    assert list(out.parent.iterdir()) == []


def _found(pid: int, children: list[psutil.Process]) -> list[psutil.Process]:
    children[:] = psutil.Process(pid).children()
    return children


def test_voices_lists_the_speakers(model: Path, config: Path) -> None:
    """With their languages; the defaults are marked."""
    done = edged("voices", "--engine", "qwen3", "--model", model, "--config", config, "--json")
    voices = {voice["name"]: voice for voice in json.loads(done.stdout)["voices"]}
    assert len(voices) == 9
    assert voices["serena"]["default_for"] == ["zh"]
    assert voices["ryan"]["default_for"] == ["en"]


def test_a_base_model_speaks_with_the_voices_of_the_technician(tmp_path: Path, config: Path) -> None:
    """A speaker embedding in `paths.voices_dir` is a voice; without one the model has none."""
    checkpoint = write_tiny_checkpoint(tmp_path / "checkpoint", "base")
    base = convert_checkpoint(checkpoint, tmp_path / "base", PRECISIONS[Weights.FP32], silent).path
    config.write_text(config.read_text().replace("{", "{voices_dir: voices, "))
    common = ("--engine", "qwen3", "--model", base, "--config", config)
    without = edged("say", "Hello", *common, "--out", tmp_path / "x.wav")
    assert without.returncode == 66
    assert str(tmp_path / "voices") in without.stderr
    (tmp_path / "voices").mkdir()
    np.save(tmp_path / "voices/anna.npy", np.linspace(-1, 1, 64, dtype=np.float32))
    options = ("--seed", "7", "--max-seconds", "0.5")
    spoken = edged("say", "Hello", *common, *options, "--out", tmp_path / "x.wav", "--json")
    assert json.loads(spoken.stdout)["voice"] == "anna"


def test_a_model_that_never_ends_fails_its_verification(
    tmp_path: Path, model: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`edged model verify NAME --speak`: each prompt that found no end says so; the model is whole."""
    store, manifest = Store(tmp_path / "m"), read_manifest(model)
    with store.locked(manifest.name) as slot, slot.building() as work:
        shutil.copytree(model, work / "built", ignore=shutil.ignore_patterns("manifest.json"))
        (work / "built").chmod(0o755)
        slot.publish(work / "built", manifest)
        slot.activate(manifest.build)
    monkeypatch.setattr("edged.cli.model.speak_verb.PROMPTS", (("zh", "你好"), ("en", "Go")))
    monkeypatch.setattr(Recogniser, "of_this_clone", lambda: Recogniser(tmp_path, tmp_path))
    command = ["model", "verify", manifest.name, "--config", str(config)]
    assert CliRunner().invoke(cli, command).exit_code == 0
    result = CliRunner().invoke(cli, [*command, "--speak", "--json"])
    assert isinstance(result.exception, EngineError)
    report = json.loads(result.stdout)
    assert (report["ok"], report["engine"]) == (False, "qwen3")
    assert [prompt["problems"][0].partition(":")[0] for prompt in report["prompts"]] == ["runaway"] * 2
