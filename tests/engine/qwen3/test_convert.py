"""A checkpoint becomes a folder of networks and tables, part by part."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edged.engine.qwen3 import calibrate
from edged.engine.qwen3.calibrate import RANGES_FILE
from edged.engine.qwen3.checkpoint import Checkpoint, open_checkpoint
from edged.engine.qwen3.convert import convert, drop_unfinished, missing_bytes
from edged.engine.qwen3.model_files import ModelFiles
from edged.engine.qwen3.precision import Precisions, choose
from edged.engine.qwen3.predictor import Predictor
from edged.engine.qwen3.talker import Talker, build_talker
from edged.engine.qwen3.tensors import TensorReader
from edged.engine.qwen3.text_table import TextTable
from edged.engine.qwen3.vocoder import Vocoder
from edged.engine.runtime import CpuSettings, read_model
from tests.engine.qwen3.test_checkpoint import VARIANTS, write_hollow_checkpoint
from tests.fakes.qwen3_checkpoint import write_tiny_checkpoint

SETTINGS = CpuSettings(threads=1)
FLOATS = choose("fp32")
NETWORKS = ("talker", "predictor", "vocoder_features", "vocoder_waveform")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "a model"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Checkpoint:
    """A tiny checkpoint in bfloat16, wide as 1.7B is."""
    folder = tmp_path_factory.mktemp("checkpoints") / "c"
    return open_checkpoint(write_tiny_checkpoint(folder, wide_talker=True, dtype="bfloat16"))


def silent(what: str, fraction: float) -> None:
    """A progress report nobody reads."""


class StoppedError(Exception):
    """Stands for the end of a process that is killed."""


def convert_until(step: str, checkpoint: Checkpoint, out: Path, precisions: Precisions = FLOATS) -> None:
    """Convert until a step has begun."""

    def progress(what: str, fraction: float) -> None:
        if what == step:
            raise StoppedError

    with pytest.raises(StoppedError):
        convert(checkpoint, out, precisions, "tiny", progress)


@pytest.mark.parametrize(("size", "kind", "wide"), VARIANTS)
def test_every_variant_becomes_a_model_that_runs(
    tmp_path: Path, out: Path, size: str, kind: str, wide: bool
) -> None:
    """All five kinds of checkpoint give networks that take each other's outputs."""
    source = write_tiny_checkpoint(tmp_path / "c", kind, wide_talker=wide, dtype="bfloat16")
    convert(open_checkpoint(source), out, choose("fp16"), "tiny", silent)
    if kind == "base":
        (out / "voices").mkdir()
        np.save(out / "voices/somebody.npy", np.zeros(80 if wide else 64, np.float32))
    files = ModelFiles(out)
    assert files.config.tts_model_type == kind
    assert files.spec.parts == {"talker": "fp16", "predictor": "fp16", "vocoder": "fp16"}
    rows = TextTable(out / "text_table.npy")[[1, 2, 3]]
    _, hidden = Talker(read_model(out / "talker.xml"), SETTINGS)(rows)
    predictor = Predictor(read_model(out / "predictor.xml"), SETTINGS)
    codes, total = predictor(hidden, np.array(files.codec_embedding()[7]), np.zeros((15, 2048), np.float32))
    features, waveform = (read_model(out / f"vocoder_{part}.xml") for part in ("features", "waveform"))
    vocoder = Vocoder(features, waveform, SETTINGS)
    samples = vocoder(np.concatenate([[7], codes])[None])
    assert total.shape == hidden.shape == files.codec_embedding().shape[1:]
    assert samples.shape == (1920,)
    assert np.isfinite(samples).all()


@pytest.mark.parametrize(
    ("weights", "stored"), [("int8", {"i8"}), ("mixed", {"i4", "i8"}), ("fp16", {"f16"}), ("fp32", {"bf16"})]
)
def test_networks_are_stored_as_asked(
    checkpoint: Checkpoint, out: Path, weights: str, stored: set[str]
) -> None:
    """The files hold what the choice of weights says; fp32 keeps a bfloat16 checkpoint as it is."""
    convert(checkpoint, out, choose(weights), "tiny", silent)
    found = set()
    for name in ("talker", "predictor"):
        xml = (out / f"{name}.xml").read_text()
        found |= {kind for kind in ("i4", "i8", "f16", "bf16") if f'<data element_type="{kind}"' in xml}
    assert stored <= found
    if weights == "mixed":
        assert 'element_type="i4"' in (out / "talker.xml").read_text()
        assert 'element_type="i4"' not in (out / "predictor.xml").read_text()
    assert 'element_type="f32"' in (out / "vocoder_waveform.xml").read_text()


def test_fp32_is_the_checkpoint_to_the_last_bit(checkpoint: Checkpoint, out: Path) -> None:
    """Saving and loading changes nothing that the talker computes, the text table is float32."""
    convert(checkpoint, out, FLOATS, "tiny", silent)
    x = TextTable(out / "text_table.npy")[range(9)]
    built = build_talker(checkpoint.config.talker_config, TensorReader(checkpoint.weights))
    expected, found = (Talker(net, SETTINGS)(x) for net in (built, read_model(out / "talker.xml")))
    np.testing.assert_array_equal(found[1], expected[1])
    assert np.load(out / "text_table.npy", mmap_mode="r").dtype == np.float32


def test_w8a8_is_calibrated_once(checkpoint: Checkpoint, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges survive an interruption, become part of both networks, and are not part of the model."""
    prompts = calibrate.read_prompts()[::100]
    monkeypatch.setattr(calibrate, "read_prompts", lambda: prompts)
    monkeypatch.setattr(calibrate, "compress", lambda network, precision: network)  # only to be quick
    convert_until("talker", checkpoint, out, choose("w8a8"))
    measured_ns = (out / RANGES_FILE).stat().st_mtime_ns
    convert_until("predictor", checkpoint, out, choose("w8a8"))
    assert (out / RANGES_FILE).stat().st_mtime_ns == measured_ns
    convert(checkpoint, out, choose("w8a8"), "tiny", silent)
    assert not (out / RANGES_FILE).exists()
    for name in ("talker", "predictor"):
        assert "FakeQuantize" in (out / f"{name}.xml").read_text()


def test_published_files_are_taken_over(checkpoint: Checkpoint, out: Path) -> None:
    """Configurations and tokenizer as they are, the codec embedding in float32, nothing else left over."""
    convert(checkpoint, out, FLOATS, "tiny", silent)
    for name in (
        "config.json",
        "generation_config.json",
        "vocab.json",
        "merges.txt",
        "tokenizer_config.json",
    ):
        assert (out / name).read_bytes() == (checkpoint.folder / name).read_bytes()
    speech = checkpoint.folder / "speech_tokenizer/config.json"
    assert (out / "speech_tokenizer_config.json").read_bytes() == speech.read_bytes()
    embedding = TensorReader(checkpoint.weights)("talker.model.codec_embedding.weight")
    np.testing.assert_array_equal(np.load(out / "codec_embedding.npy"), embedding)
    networks = {f"{name}{suffix}" for name in NETWORKS for suffix in (".xml", ".bin")}
    assert networks < {path.name for path in out.iterdir()}
    assert not list(out.glob(".*"))


def test_progress_tells_every_step_and_reaches_one(checkpoint: Checkpoint, out: Path) -> None:
    """The steps come in order, the part done only grows."""
    heard: list[tuple[str, float]] = []
    convert(checkpoint, out, FLOATS, "tiny", lambda what, fraction: heard.append((what, fraction)))
    steps = list(dict.fromkeys(what for what, _ in heard))
    assert steps == ["text table", "tables", "talker", "predictor", "vocoder", "converted"]
    fractions = [fraction for _, fraction in heard]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


def test_interrupted_conversion_goes_on(checkpoint: Checkpoint, out: Path) -> None:
    """What was finished stays as it is, what was half-made is made again, the result is the same."""
    whole = out.parent / "whole"
    whole.mkdir()
    convert(checkpoint, whole, FLOATS, "tiny", silent)
    convert_until("predictor", checkpoint, out)
    kept = {name: (out / name).stat().st_mtime_ns for name in ("text_table.npy", "talker.xml", "talker.bin")}
    (out / ".unfinished").mkdir()
    (out / ".unfinished/predictor.bin").write_bytes(b"half")
    convert(checkpoint, out, FLOATS, "tiny", silent)
    assert kept == {name: (out / name).stat().st_mtime_ns for name in kept}
    assert {path.name for path in out.iterdir()} == {path.name for path in whole.iterdir()}
    for path in out.glob("*.npy"):
        assert path.read_bytes() == (whole / path.name).read_bytes()
    assert (out / "predictor.bin").stat().st_size == (whole / "predictor.bin").stat().st_size


def test_nothing_half_made_is_under_a_final_name(checkpoint: Checkpoint, out: Path) -> None:
    """When building a part fails, no file of it is where a finished part would be."""
    convert_until("talker", checkpoint, out)
    assert not (out / "talker.xml").exists()
    assert not (out / "talker.bin").exists()
    drop_unfinished(out)
    assert not list(out.glob(".*"))


def test_space_is_estimated_part_by_part(checkpoint: Checkpoint, out: Path) -> None:
    """The estimate is no less than what gets written, and what is finished is no longer counted."""
    before = missing_bytes(checkpoint, FLOATS, out)
    convert_until("talker", checkpoint, out)
    between = missing_bytes(checkpoint, FLOATS, out)
    convert(checkpoint, out, FLOATS, "tiny", silent)
    written = sum(path.stat().st_size for path in out.iterdir())
    assert written <= before
    assert (out / "text_table.npy").stat().st_size <= before - between
    assert missing_bytes(checkpoint, FLOATS, out) == 0


@pytest.mark.parametrize(
    ("size", "weights", "least", "most"),
    [
        ("0b6", "int8", 1.37, 1.5),
        ("0b6", "mixed", 1.15, 1.3),
        ("1b7", "int8", 2.7, 3.0),
        ("1b7", "fp16", 4.0, 4.6),
    ],
)
def test_space_of_published_sizes(
    tmp_path: Path, out: Path, size: str, weights: str, least: float, most: float
) -> None:
    """Gigabytes asked for: what full-size conversions wrote, and not much more."""
    hollow = open_checkpoint(write_hollow_checkpoint(tmp_path / "c", size, "custom_voice"))
    assert least < missing_bytes(hollow, choose(weights), out) / 1e9 < most
