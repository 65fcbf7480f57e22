"""Opening a checkpoint: what is whole passes, what is not is named."""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from edged.engine.qwen3.checkpoint import open_checkpoint
from edged.engine.qwen3.config import ModelConfig, VocoderConfig
from edged.engine.qwen3.layout import Layout, model_layout, vocoder_layout
from edged.errors import ConversionError
from tests.fakes.qwen3_checkpoint import (
    TINY_PREDICTOR,
    TINY_TALKER,
    model_config,
    tokenizer_config,
    write_tiny_checkpoint,
)

Tensors = dict[str, np.ndarray[Any, Any]]

VARIANTS = [
    ("0b6", "custom_voice", False),
    ("0b6", "base", False),
    ("1b7", "custom_voice", True),
    ("1b7", "base", True),
    ("1b7", "voice_design", True),
]
HEADS = {"num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128}
PREDICTOR = {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 5, **HEADS}
TALKERS = {
    "0b6": {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, **HEADS},
    "1b7": {"hidden_size": 2048, "intermediate_size": 6144, "num_hidden_layers": 28, **HEADS},
}
NORM = "talker.model.norm.weight"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A whole tiny checkpoint."""
    return write_tiny_checkpoint(tmp_path / "a checkpoint")


def refusal(folder: Path) -> ConversionError:
    """The error that opening the folder ends with."""
    with pytest.raises(ConversionError) as caught:
        open_checkpoint(folder)
    return caught.value


def edit_json(path: Path, change: Callable[[Any], None]) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def edit_tensors(path: Path, change: Callable[[Tensors], None]) -> None:
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path)


@pytest.mark.parametrize(("size", "kind", "wide"), VARIANTS)
def test_every_published_variant_opens(tmp_path: Path, size: str, kind: str, wide: bool) -> None:
    """All five kinds of checkpoint open, their sampling defaults included."""
    opened = open_checkpoint(write_tiny_checkpoint(tmp_path / "c", kind, wide_talker=wide))
    assert opened.config.tts_model_type == kind
    assert opened.sampling.subtalker_top_k == 50
    assert set(opened.weights.tensors) == set(model_layout(opened.config))
    assert not opened.weights.bfloat16


@pytest.mark.parametrize(("size", "kind", "wide"), VARIANTS)
def test_published_shapes_open(tmp_path: Path, size: str, kind: str, wide: bool) -> None:
    """So do checkpoints of the published sizes; their files are holes with the right header."""
    folder = write_hollow_checkpoint(tmp_path / "c", size, kind)
    opened = open_checkpoint(folder)
    assert opened.weights.bfloat16
    assert opened.weights.tensors["talker.codec_head.weight"].shape == (3072, TALKERS[size]["hidden_size"])
    projection = "talker.code_predictor.small_to_mtp_projection.weight"
    assert (projection in opened.weights.tensors) == wide


def write_hollow_checkpoint(folder: Path, size: str, kind: str) -> Path:
    """A checkpoint of a published size whose tensors are holes in sparse files: it takes no space."""
    write_tiny_checkpoint(folder, kind)
    config = model_config(kind, size, {**TALKERS[size], "text_hidden_size": 2048}, PREDICTOR)
    speech = tokenizer_config()
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "speech_tokenizer/config.json").write_text(json.dumps(speech))
    (folder / "tokenizer_config.json").unlink()  # its ids are those of the tiny one
    write_hollow(folder / "model.safetensors", model_layout(ModelConfig.model_validate(config)), "BF16")
    vocoder = VocoderConfig.model_validate(speech["decoder_config"])
    write_hollow(folder / "speech_tokenizer/model.safetensors", vocoder_layout(vocoder), "F32")
    return folder


def write_hollow(path: Path, layout: Layout, dtype: str) -> None:
    header: dict[str, Any] = {}
    end = 0
    for name, shape in layout.items():
        start, end = end, end + math.prod(shape) * (2 if dtype == "BF16" else 4)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + end)


@pytest.mark.parametrize(
    "name",
    ["config.json", "merges.txt", "speech_tokenizer/config.json", "speech_tokenizer/model.safetensors"],
)
def test_missing_file_is_named(folder: Path, name: str) -> None:
    """A file that is not there is named with its folder."""
    (folder / name).unlink()
    assert refusal(folder).what == f"{folder}: missing {name}"


def test_tokenizer_config_may_be_missing(folder: Path) -> None:
    """It is the one file a checkpoint can do without."""
    assert "tokenizer_config.json" in open_checkpoint(folder).files
    (folder / "tokenizer_config.json").unlink()
    assert "tokenizer_config.json" not in open_checkpoint(folder).files


@pytest.mark.parametrize("name", ["config.json", "generation_config.json", "vocab.json"])
def test_file_that_is_not_json_is_named(folder: Path, name: str) -> None:
    """Half a JSON file, as a broken download leaves it, is named."""
    (folder / name).write_text((folder / name).read_text()[:30])
    assert f"{name}: not JSON" in refusal(folder).what


@pytest.mark.parametrize("name", ["config.json", "vocab.json", "tokenizer_config.json"])
def test_json_nested_without_end_is_named(folder: Path, name: str) -> None:
    """Brackets deeper than a parser goes are no JSON either."""
    (folder / name).write_text("[" * 100_000)
    assert f"{name}: not JSON" in refusal(folder).what


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vocab.json", "[]"),
        ("vocab.json", "{}"),
        ("vocab.json", '{"a": "b"}'),
        ("vocab.json", '{"a": -1}'),
        ("vocab.json", '{"a": 4000000}'),
        ("vocab.json", '{"a": 1}'),
        ("merges.txt", ""),
        ("merges.txt", "<html>not found</html>"),
        ("merges.txt", "x y z"),
        ("tokenizer_config.json", "{}"),
        ("tokenizer_config.json", '{"added_tokens_decoder": {"1": {"content": "<|im_start|>"}}}'),
    ],
)
def test_files_that_make_no_tokenizer_are_named(folder: Path, name: str, content: str) -> None:
    """What a server sent in place of a tokenizer's file is met before anything is converted."""
    (folder / name).write_text(content)
    assert name in refusal(folder).what


def test_control_token_beyond_the_text_table_is_refused(folder: Path) -> None:
    """tokenizer_config.json may list tokens of its own, but none without an embedding."""
    token = {"content": "<|other|>", "special": True}
    path = folder / "tokenizer_config.json"
    edit_json(path, lambda config: config["added_tokens_decoder"].update({"999999": token}))
    assert "tokenizer_config.json: a control token is beyond" in refusal(folder).what


@contextmanager
def as_nobody() -> Iterator[None]:
    """Root may read everything, so be somebody else."""
    own_id = os.geteuid()
    if own_id == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(own_id)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "speech_tokenizer/model.safetensors"])
def test_file_that_may_not_be_read_is_named(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is there, so it is not called missing."""
    for weights in folder.rglob("*.safetensors"):
        weights.chmod(0o644)  # the library writes them for their owner alone
    (folder / name).chmod(0)
    monkeypatch.chdir(folder)  # nobody may search the folders above
    with as_nobody():
        error = refusal(Path())
    assert f"{name}: Permission denied" in error.what
    assert error.hint == "make it readable"


def test_folder_that_may_not_be_searched_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Likewise the folder as a whole."""
    folder.parent.chmod(0o755)
    monkeypatch.chdir(folder.parent)
    folder.chmod(0o600)
    with as_nobody():
        what = refusal(Path(folder.name)).what
    folder.chmod(0o755)
    assert what == f"{folder.name}/config.json: Permission denied"


def test_another_model_is_refused(folder: Path) -> None:
    """A checkpoint of another model is told by what its config.json says it is."""
    edit_json(folder / "config.json", lambda config: config.update(model_type="qwen3"))
    error = refusal(folder)
    assert "config.json: model_type" in error.what
    assert "qwen3_tts" in error.what


def test_speech_tokenizer_of_another_checkpoint_is_refused(folder: Path) -> None:
    """Talker and vocoder must speak the same codes."""
    path = folder / "speech_tokenizer/config.json"
    edit_json(path, lambda config: config["decoder_config"].update(num_quantizers=8))
    assert "8 quantizers" in refusal(folder).what


def test_more_candidates_than_codes_are_refused(folder: Path) -> None:
    """The predictor cannot choose among more codes than it has."""
    path = folder / "generation_config.json"
    edit_json(path, lambda config: config.update(subtalker_top_k=2048))
    open_checkpoint(folder)
    edit_json(path, lambda config: config.update(subtalker_top_k=2049))
    assert "generation_config.json: subtalker_top_k is 2049" in refusal(folder).what


@pytest.mark.parametrize("name", ["model.safetensors", "speech_tokenizer/model.safetensors"])
@pytest.mark.parametrize("kept", [0, 5, 2000, -1])
def test_truncated_weights_are_named(folder: Path, name: str, kept: int) -> None:
    """A safetensors file that ends early, wherever that is, is named with its size."""
    content = (folder / name).read_bytes()[:kept]
    (folder / name).write_bytes(content)
    assert f"{name}: cut short or no safetensors file ({len(content)} bytes)" in refusal(folder).what


def test_differing_tensors_are_named_with_what_was_expected(folder: Path) -> None:
    """Missing, unknown, misshapen tensors and foreign types are all named in one error."""

    def spoil(tensors: Tensors) -> None:
        tensors["talker.codec_head.weights"] = tensors.pop("talker.codec_head.weight")
        tensors[NORM] = np.zeros((3, 5), np.float32)
        tensors["talker.text_projection.linear_fc1.bias"] = np.zeros(48, np.int8)

    edit_tensors(folder / "model.safetensors", spoil)
    what = refusal(folder).what
    assert "missing tensors: talker.codec_head.weight;" in what
    assert "unknown tensors: talker.codec_head.weights;" in what
    assert f"shapes: {NORM} is [3, 5], expected [64];" in what
    assert "types: talker.text_projection.linear_fc1.bias is I8, expected BF16 or F16 or F32" in what


def test_many_differences_are_counted(folder: Path) -> None:
    """A message stays readable when everything is wrong."""

    def rename(tensors: Tensors) -> None:
        for name in list(tensors):
            tensors[f"model.{name}"] = tensors.pop(name)

    edit_tensors(folder / "model.safetensors", rename)
    assert f"and {len(model_layout(open_config(folder))) - 4} more" in refusal(folder).what


def open_config(folder: Path) -> ModelConfig:
    return ModelConfig.model_validate_json((folder / "config.json").read_bytes())


def test_parts_that_speaking_does_not_need_are_ignored(folder: Path) -> None:
    """The encoders of a checkpoint are neither checked nor used."""
    unused = "speaker_encoder.blocks.0.conv.weight"
    edit_tensors(folder / "model.safetensors", lambda tensors: tensors.update({unused: np.zeros(3)}))
    assert unused not in open_checkpoint(folder).weights.tensors


def test_shapes_that_no_model_has_are_refused(tmp_path: Path) -> None:
    """Shapes are those that the configuration asks for, not those of one known size."""
    folder = write_tiny_checkpoint(tmp_path / "c")
    talker = {**TINY_TALKER, "intermediate_size": 97}
    config = model_config(
        "custom_voice", "0b6", talker, TINY_PREDICTOR, open_config(folder).talker_config.text_vocab_size
    )
    (folder / "config.json").write_text(json.dumps(config))
    assert "mlp.gate_proj.weight is [96, 64], expected [97, 64]" in refusal(folder).what
