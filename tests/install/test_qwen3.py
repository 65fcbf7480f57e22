"""Converting a checkpoint into a model folder, with the real child process."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import ml_dtypes  # noqa: F401 - makes numpy know bfloat16
import numpy as np
import psutil
import pytest
from safetensors.numpy import load_file, save_file

from edged.engine.qwen3.precision import CONVERTER_VERSION, choose
from edged.errors import BadInputError, BusyError, ConversionError, StorageError
from edged.install import qwen3
from edged.install.extras import INSTALL_EXTRAS
from edged.install.qwen3 import convert_checkpoint
from edged.io.disk import sha256_of
from edged.io.model_folder import open_model
from tests.fakes.disks import tmpfs
from tests.fakes.qwen3_checkpoint import write_tiny_checkpoint
from tests.fakes.tiny_model import silent

FLOATS = choose("fp32")


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return write_tiny_checkpoint(tmp_path / "a checkpoint", dtype="bfloat16")


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "models" / "my voice"


def beside(out: Path) -> list[str]:
    """What there is in the folder of the result."""
    return sorted(path.name for path in out.parent.iterdir()) if out.parent.is_dir() else []


def finished_parts(out: Path) -> set[str]:
    """Files that a failed conversion kept for the next try."""
    work = out.with_name(f".{out.name}.converting")
    return {path.name for path in work.glob("*/*")}


def kill_child() -> None:
    for child in psutil.Process().children():
        child.send_signal(signal.SIGKILL)


def interrupt() -> None:
    raise KeyboardInterrupt


def at(step: str, act: Callable[[], None]) -> Callable[[str, float], None]:
    """A progress report that acts once a step has begun."""

    def progress(what: str, fraction: float) -> None:
        if what == step:
            act()

    return progress


def test_a_checkpoint_becomes_a_sealed_model_folder(checkpoint: Path, out: Path) -> None:
    """Whole, read-only, with nothing beside it, and with a manifest that says what it is made of."""
    (checkpoint / "LICENSE").write_text("Apache\n")
    convert_checkpoint(checkpoint, out, choose("fp16", vocoder="fp32"), silent)
    manifest = open_model(out).manifest
    assert beside(out) == ["my voice"]
    assert manifest.name == "qwen3-tts-tiny-customvoice"
    assert manifest.precision == "talker fp16, predictor fp16, vocoder fp32"
    assert manifest.converter_version == CONVERTER_VERSION
    assert "nncf" in manifest.built_with
    assert manifest.checkpoint is not None
    assert manifest.checkpoint.repository == "a checkpoint"
    assert manifest.checkpoint.parts == {"talker": "fp16", "predictor": "fp16", "vocoder": "fp32"}
    assert {entry.artefact: entry.sha256 for entry in manifest.sources} == {
        path.relative_to(checkpoint).as_posix(): sha256_of(path)
        for path in checkpoint.rglob("*")
        if path.is_file() and path.name != "LICENSE"
    }
    assert (out / "licences/LICENSE").read_text() == "Apache\n"
    assert {path.stat().st_mode & 0o222 for path in out.rglob("*")} == {0}


def test_steps_are_reported(checkpoint: Path, out: Path) -> None:
    """From the first checksum to the last, in order."""
    steps: list[str] = []
    convert_checkpoint(checkpoint, out, FLOATS, lambda what, fraction: steps.append(what))
    told = list(dict.fromkeys(steps))
    assert told[0] == "hashing the checkpoint"
    assert told[-3:] == ["vocoder", "converted", "computing checksums"]


def test_killed_converter_is_named_and_the_next_try_goes_on(checkpoint: Path, out: Path) -> None:
    """kill -9 (or the OOM killer) leaves finished parts only, and they are used again, then gone."""
    with pytest.raises(ConversionError, match="killed") as caught:
        convert_checkpoint(checkpoint, out, FLOATS, at("predictor", kill_child))
    assert "memory" in caught.value.hint
    assert beside(out) == [".my voice.converting"]
    assert {"text_table.npy", "talker.xml"} <= finished_parts(out)
    assert not {name for name in finished_parts(out) if name.startswith(".")}
    talker = next(out.parent.glob("*/*/talker.bin"))
    written_ns = talker.stat().st_mtime_ns
    convert_checkpoint(checkpoint, out, FLOATS, silent)
    assert (out / "talker.bin").stat().st_mtime_ns == written_ns
    assert open_model(out)
    assert beside(out) == ["my voice"]


def test_ctrl_c_keeps_what_is_finished(checkpoint: Path, out: Path) -> None:
    """An impatient user loses one part at most, and no child is left running."""
    with pytest.raises(KeyboardInterrupt):
        convert_checkpoint(checkpoint, out, FLOATS, at("talker", interrupt))
    assert "text_table.npy" in finished_parts(out)
    assert not psutil.Process().children()


@pytest.mark.parametrize("change", ["precision", "checkpoint"])
def test_parts_of_another_conversion_are_not_used(checkpoint: Path, out: Path, change: str) -> None:
    """Another precision or another checkpoint starts from nothing and sweeps the old parts."""
    with pytest.raises(KeyboardInterrupt):
        convert_checkpoint(checkpoint, out, FLOATS, at("talker", interrupt))
    old = next(out.parent.glob("*/*/text_table.npy"))
    if change == "checkpoint":
        (checkpoint / "generation_config.json").write_text("{}")
    with pytest.raises(KeyboardInterrupt):
        convert_checkpoint(
            checkpoint, out, choose("fp16") if change == "precision" else FLOATS, at("tables", interrupt)
        )
    assert not old.exists()
    assert len(list(out.parent.glob("*/*/text_table.npy"))) == 1


@pytest.mark.parametrize("spoilt", ["config.json", "model.safetensors"])
def test_spoilt_checkpoint_is_refused_before_anything_is_written(
    checkpoint: Path, out: Path, spoilt: str
) -> None:
    """The bad file is named; not even a folder is made."""
    (checkpoint / spoilt).write_bytes((checkpoint / spoilt).read_bytes()[:100])
    with pytest.raises(ConversionError, match=spoilt):
        convert_checkpoint(checkpoint, out, FLOATS, silent)
    assert not out.parent.exists()


def test_existing_folder_is_left_alone(checkpoint: Path, out: Path) -> None:
    """The result is a new folder, always."""
    out.mkdir(parents=True)
    with pytest.raises(BadInputError, match="exists already"):
        convert_checkpoint(checkpoint, out, FLOATS, silent)
    assert beside(out) == ["my voice"]


def test_dangling_link_is_left_alone(checkpoint: Path, out: Path) -> None:
    """A name that is taken is taken, wherever it leads; that is told before the checkpoint is looked at."""
    out.parent.mkdir()
    out.symlink_to("nowhere")
    (checkpoint / "config.json").unlink()
    with pytest.raises(BadInputError, match="exists already"):
        convert_checkpoint(checkpoint, out, FLOATS, silent)
    assert beside(out) == ["my voice"]


def test_sealed_model_that_could_not_be_moved_is_used_again(checkpoint: Path, out: Path) -> None:
    """What was sealed for its place and did not get there can be written by its owner, root or not."""
    (checkpoint / "LICENSE").write_text("Apache\n")

    def take_the_place() -> None:
        (out / "another").mkdir(parents=True)

    with pytest.raises(StorageError):
        convert_checkpoint(checkpoint, out, FLOATS, at("computing checksums", take_the_place))
    shutil.rmtree(out)
    work = out.with_name(f".{out.name}.converting")
    assert modes(work) & {0o444, 0o555}

    def check() -> None:
        assert all(mode & 0o200 for mode in modes(work))

    convert_checkpoint(checkpoint, out, FLOATS, at("talker", check))
    assert open_model(out)
    assert modes(out) == {0o444, 0o555}
    assert beside(out) == ["my voice"]


def modes(folder: Path) -> set[int]:
    """The permissions of everything in a folder."""
    return {path.stat().st_mode & 0o777 for path in folder.rglob("*")}


def test_weights_that_are_no_numbers_are_refused(checkpoint: Path, out: Path) -> None:
    """A NaN somewhere in a whole file is met by the child, and told with the tensor's name."""
    name = "talker.model.layers.1.mlp.up_proj.weight"
    tensors = load_file(checkpoint / "model.safetensors")
    tensors[name][5, 7] = np.nan
    save_file(tensors, checkpoint / "model.safetensors")
    with pytest.raises(ConversionError, match=rf"model\.safetensors: {name} holds infinite values or NaN"):
        convert_checkpoint(checkpoint, out, FLOATS, silent)
    assert not out.exists()


def test_second_conversion_to_the_same_place_is_refused(checkpoint: Path, out: Path) -> None:
    """Two at once would build the same parts under each other's hands."""
    work = out.with_name(f".{out.name}.converting")
    work.mkdir(parents=True)
    with (work / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(BusyError, match="another conversion"):
            convert_checkpoint(checkpoint, out, FLOATS, silent)


def test_too_small_disk_is_noticed_before_anything_is_written(checkpoint: Path, out: Path) -> None:
    """Both figures are named and nothing is left."""
    with tmpfs(out.parent, 5_000_000):
        with pytest.raises(StorageError, match=r"\d+ MB needed, 5 MB free"):
            convert_checkpoint(checkpoint, out, FLOATS, silent)
        assert beside(out) == []


def test_disk_that_fills_up_is_a_storage_error(checkpoint: Path, out: Path) -> None:
    """Whatever the library that met it calls it; finished parts stay, half-made ones do not."""
    with tmpfs(out.parent, 60_000_000) as disk:
        with pytest.raises(StorageError, match="MB needed"):
            convert_checkpoint(checkpoint, out, FLOATS, at("talker", lambda: fill(disk)))
        assert "text_table.npy" in finished_parts(out)
        assert not {name for name in finished_parts(out) if name.startswith(".")}


def fill(disk: Path) -> None:
    """Leave next to no space on a disk."""
    with contextlib.suppress(OSError), (disk / "other").open("wb", buffering=0) as file:
        while file.write(bytes(10_000)):
            pass


def test_missing_converter_libraries_are_named(
    checkpoint: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What only conversion needs may be absent, and then the way to get it is told."""
    monkeypatch.setattr(qwen3, "_NEEDS", ("json", "no_such_module"))
    with pytest.raises(ConversionError, match="needs no_such_module") as caught:
        convert_checkpoint(checkpoint, out, FLOATS, silent)
    assert caught.value.hint == INSTALL_EXTRAS
