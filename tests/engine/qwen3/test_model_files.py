"""What is read from a model folder, and what is said about a damaged one."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import asdict
from io import BytesIO
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edged.engine.qwen3.model_files import CODEC_EMBEDDING_FILE, CONFIG_FILE, SPEC_FILE, ModelFiles
from edged.errors import ModelUnavailableError, UnknownVoiceError
from edged.workers.frames import MAX_HEADER_BYTES
from tests.fakes.qwen3_model import write_tiny_model


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Base model, which has files of every kind."""
    return write_tiny_model(tmp_path_factory.mktemp("a tiny model"), "base")


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(whole, tmp_path / "model"))


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_a_whole_folder_is_read(whole: Path) -> None:
    """Shapes, ids, sampling defaults, embeddings and voices."""
    files = ModelFiles(whole)
    assert files.spec.sample_rate_hz == 24_000
    assert files.vocoder.samples_per_frame == 1920
    assert files.codec_embedding().shape == (3072, 64)
    assert files.sampling.temperature == 0.9
    assert [voice.name for voice in files.voices] == ["ada"]
    assert files.x_vector("ada").shape == (64,)


def test_every_language_has_a_default_speaker(tmp_path: Path) -> None:
    """One made for it; the speakers of other languages are there, but never by default."""
    voices = ModelFiles(write_tiny_model(tmp_path)).voices
    assert voices[0].name == "serena"
    defaults = {lang: next(v.name for v in voices if lang in v.langs) for lang in ("zh", "en")}
    assert defaults == {"zh": "serena", "en": "ryan"}
    assert {"ono_anna", "sohee", "eric"} <= {voice.name for voice in voices}


def test_a_design_model_has_one_voice(tmp_path: Path) -> None:
    """It speaks both languages."""
    (voice,) = ModelFiles(write_tiny_model(tmp_path, "voice_design")).voices
    assert (voice.name, voice.langs) == ("design", ("zh", "en"))


def test_an_unknown_speaker_speaks_every_language(folder: Path) -> None:
    """A speaker that a later checkpoint brings can be chosen without a new edged."""
    config = json.loads((folder / CONFIG_FILE).read_text())
    config["talker_config"]["spk_id"] = {"nova": 3000}
    edit(folder / CONFIG_FILE, tts_model_type="custom_voice", talker_config=config["talker_config"])
    (voice,) = ModelFiles(folder).voices
    assert (voice.name, voice.langs) == ("nova", ("zh", "en"))


def test_a_base_model_without_voices_is_no_voice(folder: Path) -> None:
    """Said at load, with what to do."""
    shutil.rmtree(folder / "voices")
    with pytest.raises(ModelUnavailableError, match=r"cloned voices only.*\n.*NAME\.npy"):
        ModelFiles(folder)


_UNREADABLE = (None, b"", b"\xff\xfe", b"[]")
_OF_ANOTHER_KIND = (b'{"format": 99}', b'{"model_type": "bert"}')


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *product((SPEC_FILE, CONFIG_FILE, "generation_config.json"), _UNREADABLE),
        *product((SPEC_FILE, CONFIG_FILE), _OF_ANOTHER_KIND),  # the third has a default for every key
    ],
)
def test_a_missing_or_damaged_description_is_named(folder: Path, name: str, content: bytes | None) -> None:
    """With its path, whatever is wrong with it."""
    (folder / name).chmod(0o644)
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_bytes(content)
    with pytest.raises(ModelUnavailableError, match=name):
        ModelFiles(folder)


@pytest.mark.parametrize(
    "array", [np.zeros((3, 3), np.float32), np.zeros((3072, 64), np.float64)], ids=["shape", "type"]
)
def test_a_table_of_another_shape_is_refused(folder: Path, array: Any) -> None:
    """Found and expected are named."""
    np.save(folder / CODEC_EMBEDDING_FILE, array)
    with pytest.raises(ModelUnavailableError, match=r"codec_embedding\.npy: damaged.*float32\[3072, 64\]"):
        ModelFiles(folder).codec_embedding()


def test_a_truncated_table_is_refused(folder: Path) -> None:
    """A copy that ended early."""
    path = folder / CODEC_EMBEDDING_FILE
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelUnavailableError, match="damaged"):
        ModelFiles(folder).codec_embedding()


def test_an_unknown_voice_is_named(whole: Path) -> None:
    """With those there are."""
    with pytest.raises(UnknownVoiceError, match=r"'bob'\n.*ada"):
        ModelFiles(whole).x_vector("bob")


def test_voices_from_outside_join_those_of_a_base_model(folder: Path, tmp_path: Path) -> None:
    """A sealed model gets new voices without being touched; its own cannot be replaced."""
    outside = tmp_path / "voices"
    outside.mkdir()
    own = ModelFiles(folder).x_vector("ada")
    for name in ("ada", "bob"):
        np.save(outside / f"{name}.npy", np.full_like(own, 0.5))
    files = ModelFiles(folder, outside)
    assert [voice.name for voice in files.voices] == ["ada", "bob"]
    assert np.array_equal(files.x_vector("ada"), own)
    assert (files.x_vector("bob") == 0.5).all()


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder for voices of one's own, with one that is good and sorts last."""
    path = tmp_path / "voices of one's own"
    path.mkdir()
    np.save(path / "zoe.npy", np.ones(64, np.float32))
    return path


def _saved(array: Any) -> bytes:
    file = BytesIO()
    np.save(file, array)
    return file.getvalue()


def _npz() -> bytes:
    file = BytesIO()
    np.savez(file, np.ones(64, np.float32))
    return file.getvalue()


_GOOD = _saved(np.ones(64, np.float32))
_NO_VOICES = {
    "empty": (b"", ""),
    "npz": (_npz(), ""),
    "cut": (_GOOD[:-1], ""),
    "pickle": (_saved(np.array([{}])), ""),
    "open bracket": (_GOOD.replace(b"}", b" "), "header"),
    "odd type": (_GOOD.replace(b"'<f4'", b"',f4'"), "header"),
    "no integer": (_GOOD.replace(b"(64,), ", b"(True,)"), "header"),
    "huge": (_GOOD.replace(b"(64,), }" + b" " * 30, b"(%s,), }" % (b"9" * 32)), "header"),
    "shape": (_saved(np.ones(192, np.float32)), r"float32\[192\], not float32\[64\]"),
    "type": (_saved(np.ones(64)), r"float64\[64\], not float32"),
    "byte order": (_saved(np.ones(64, ">f4")), r"big-endian float32\[64\], not float32"),
    "nan": (_saved(np.full(64, np.nan, np.float32)), "NaN or infinite"),
    "infinity": (_saved(np.full(64, -np.inf, np.float32)), "NaN or infinite"),
}


@pytest.mark.parametrize(("content", "reason"), _NO_VOICES.values(), ids=_NO_VOICES.keys())
def test_a_file_that_is_no_voice_silences_no_other(
    folder: Path, outside: Path, caplog: pytest.LogCaptureFixture, content: bytes, reason: str
) -> None:
    """It is left out with a warning; only where none is left is it an error. Either names the file."""
    (folder / "voices/ada.npy").unlink()
    (outside / "bad.npy").write_bytes(content)
    assert [voice.name for voice in ModelFiles(folder, outside).voices] == ["zoe"]
    assert re.search(rf"bad\.npy\" is no voice: .*{reason}.*removed", caplog.text)
    (outside / "zoe.npy").unlink()
    with pytest.raises(ModelUnavailableError, match=rf"bad\.npy\" is no voice: .*{reason}") as caught:
        ModelFiles(folder, outside)
    assert "--force" not in caught.value.hint


def test_a_folder_and_a_broken_link_are_no_voices(
    folder: Path, outside: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor is anything else that is no file."""
    (outside / "sub.npy").mkdir()
    (outside / "link.npy").symlink_to("nowhere")
    assert [voice.name for voice in ModelFiles(folder, outside).voices] == ["ada", "zoe"]
    assert caplog.text.count("it is no file") == 2


@pytest.mark.parametrize("name", ["a", "小明", "Zoë-2.b_c", "x" * 64])
def test_a_voice_is_called_as_its_file(folder: Path, outside: Path, name: str) -> None:
    """In any script."""
    (outside / "zoe.npy").rename(outside / f"{name}.npy")
    assert [voice.name for voice in ModelFiles(folder, outside).voices] == ["ada", name]


@pytest.mark.parametrize("name", ["", "._zoe", "zoe 2", "zoe\n", "\udc80", "x" * 65])
def test_a_name_nobody_could_ask_for_is_left_out(
    folder: Path, outside: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    """With a warning that any log can hold."""
    shutil.copy(outside / "zoe.npy", outside / f"{name}.npy")
    assert [voice.name for voice in ModelFiles(folder, outside).voices] == ["ada", "zoe"]
    assert "its name is not" in caplog.text.encode().decode()


def test_more_voices_than_a_message_holds_are_left_out(
    folder: Path, outside: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The first 256 are there, and with the longest names their list is still one frame."""
    for number in range(300):
        shutil.copy(outside / "zoe.npy", outside / f"{number:03}{'𠮷' * 60}.npy")
    voices = ModelFiles(folder, outside).voices
    assert [voice.name[:3] for voice in voices] == ["ada", *(f"{number:03}" for number in range(255))]
    assert "255𠮷" in caplog.text
    message = json.dumps([asdict(voice) for voice in voices], ensure_ascii=False)
    assert len(message.encode()) < MAX_HEADER_BYTES / 2  # the rest of the message is small


def test_a_voice_is_read_once(folder: Path, outside: Path) -> None:
    """A file that changes or goes while a model speaks is no failure of a sentence."""
    files = ModelFiles(folder, outside)
    (outside / "zoe.npy").unlink()
    assert (files.x_vector("zoe") == 1).all()
