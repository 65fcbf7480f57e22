"""Installing a checkpoint from a hub or a stick: what is trusted, what is kept, what the manifest says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from edged.cli.model import command
from edged.engine.qwen3.precision import CONVERTER_VERSION, PRECISIONS, Precisions, Weights, choose
from edged.errors import BadInputError, ConversionError, FetchError
from edged.install.checkpoints import CHECKPOINTS, CheckpointRecipe, install_checkpoint
from edged.install.extras import INSTALL_EXTRAS
from edged.install.install import Installed
from edged.io.fetch import Progress
from edged.io.model_folder import Manifest, SourceEntry, describe_files
from edged.io.store import Store
from tests.fakes.hub_server import FakeHub
from tests.fakes.tiny_model import silent
from tests.install.conftest import COMMIT, FILES, LARGE, LATER, REPO, WANTED_FILES

INT8 = PRECISIONS[Weights.INT8]


class CopyingConverter:
    """Takes one file for the model; fails once a file of its own is there when it is told to."""

    def __init__(self) -> None:
        self.fails = False
        self.found: list[str] = []

    def __call__(
        self,
        checkpoint: Path,
        work: Path,
        precisions: Precisions,
        progress: Progress,
        *,
        name: str,
        version: str,
        sources: tuple[SourceEntry, ...],
        repository: str,
        revision: str,
    ) -> tuple[Path, Manifest]:
        model = work / "model"
        self.found = [path.name for path in model.iterdir()] if model.exists() else []
        model.mkdir(parents=True, exist_ok=True)
        (model / "talker.bin").write_bytes((checkpoint / LARGE).read_bytes()[:100])
        if self.fails:
            raise ConversionError("tensor of a shape nobody expected", "edged doctor")
        (model / "config.json").write_bytes((checkpoint / "config.json").read_bytes())
        return model, Manifest(
            name=name,
            version=version,
            created=datetime.now(UTC),
            licence="Apache-2.0",
            precision=str(precisions),
            sample_rate_hz=24000,
            converter_version=CONVERTER_VERSION,
            built_with="nothing",
            edged="0",
            sources=sources,
            files=describe_files(model),
        )


Install = Callable[..., Installed]


@pytest.fixture
def converter() -> CopyingConverter:
    return CopyingConverter()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "my models")


@pytest.fixture
def notices() -> list[str]:
    """What was said loudly."""
    return []


@pytest.fixture
def install(hub: FakeHub, store: Store, converter: CopyingConverter, notices: list[str]) -> Install:
    """Installs the tiny checkpoint; keywords as of install_checkpoint."""
    recipe = CheckpointRecipe("tiny-tts", REPO, "0b6", "base", converter)

    def call(precisions: Precisions = INT8, into: Store = store, **options: object) -> Installed:
        return install_checkpoint(recipe, into, precisions, silent, notices.append, **options)  # type: ignore[arg-type]

    return call


def in_slot(store: Store) -> set[str]:
    return {path.name for path in (store.models_dir / "tiny-tts").iterdir()}


def test_the_manifest_names_every_file_and_where_it_is_from(install: Install, store: Store) -> None:
    """The active model says hub, repository, commit and SHA-256 of all its sources; nothing else stays."""
    done = install()
    manifest = store.open_active("tiny-tts").manifest
    assert done.built
    assert manifest.version == COMMIT[:12]
    assert [(source.artefact, source.version, source.sha256) for source in manifest.sources] == [
        (f"huggingface:{REPO}/{path}", COMMIT, hashlib.sha256(FILES[path]).hexdigest())
        for path in sorted(WANTED_FILES)
    ]
    assert in_slot(store) == {".lock", "active", done.folder.path.name}


def test_the_first_pull_is_said_loudly_and_recorded(
    install: Install, store: Store, notices: list[str]
) -> None:
    """Trusting files nobody vouches for is told, with every digest, and happens once."""
    install()
    (notice,) = notices
    assert notice.startswith(f"WARNING: edged knows no SHA-256 of {REPO} at {COMMIT}")
    assert f"{hashlib.sha256(FILES[LARGE]).hexdigest()}  {LARGE}" in notice
    (recorded,) = json.loads((store.models_dir / "pins.json").read_text())
    assert recorded["commit"] == COMMIT
    install(force=True)
    assert notices == [notice]


def test_the_next_pull_is_compared_with_the_first(install: Install, store: Store, hub: FakeHub) -> None:
    """One changed byte in a pinned file is refused; the model in use stays in use."""
    first = install().folder
    hub.commits[COMMIT][LARGE] = FILES[LARGE][:-1] + b"!"
    with pytest.raises(FetchError, match=LARGE):
        install(force=True)
    assert store.open_active("tiny-tts") == first


def test_a_second_install_only_checks(install: Install, hub: FakeHub) -> None:
    """A whole model is left alone, without a hub."""
    first = install()
    hub.seen.clear()
    second = install()
    assert (second.built, second.folder) == (False, first.folder)
    assert hub.seen == []


def test_a_newer_revision_has_to_be_named(
    install: Install, store: Store, hub: FakeHub, notices: list[str]
) -> None:
    """The branch moving on changes nothing; a named commit is installed beside, pinned, and can be left."""
    old = install().folder
    hub.commits[LATER] = {**FILES, "config.json": FILES["config.json"] + b"\n"}
    hub.heads["main"] = LATER
    assert not install().built
    new = install(revision=LATER).folder
    assert new.manifest.version == LATER[:12]
    assert len(notices) == 2
    with store.locked("tiny-tts") as slot:
        assert slot.rollback() == old


def test_another_precision_is_built_beside(install: Install, store: Store) -> None:
    """Other weights make another build, of the same pinned files."""
    int8 = install().folder
    other = install(choose("int8", talker="fp16"))
    assert other.built
    assert (store.active("tiny-tts"), store.previous("tiny-tts")) == (
        other.folder.path.name,
        int8.path.name,
    )


def test_a_failed_conversion_keeps_files_and_parts(
    install: Install, store: Store, hub: FakeHub, converter: CopyingConverter
) -> None:
    """After a failure the next try fetches nothing, and the converter finds what it had finished."""
    converter.fails = True
    with pytest.raises(ConversionError):
        install()
    assert in_slot(store) == {".lock", ".downloads"}
    converter.fails = False
    hub.seen.clear()
    assert install().built
    assert hub.seen == []
    assert converter.found == ["talker.bin"]
    assert ".downloads" not in in_slot(store)


def test_missing_converter_libraries_are_noticed_before_the_download(
    install: Install, hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without what only conversion needs, not a byte is fetched."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConversionError, match="nncf") as caught:
        install()
    assert caught.value.hint == INSTALL_EXTRAS
    assert hub.seen == []


def test_a_damaged_download_installs_nothing(install: Install, store: Store, hub: FakeHub) -> None:
    """A wrong byte on its way leaves no build and no pin."""
    hub.flip.add(LARGE)
    with pytest.raises(FetchError, match=LARGE):
        install()
    assert store.names() == []
    assert not (store.models_dir / "pins.json").exists()


def test_a_stick_installs_another_board(
    install: Install, hub: FakeHub, notices: list[str], tmp_path: Path
) -> None:
    """What one machine keeps installs another one that has no network, from the same commit."""
    stick, other = tmp_path / "usb stick", Store(tmp_path / "other board")
    first = install(keep_downloads=stick).folder
    hub.seen.clear()
    second = install(into=other, offline_dir=stick).folder
    assert second.manifest.sources == first.manifest.sources
    assert hub.seen == []
    assert len(notices) == 2, "each board says what it trusts"
    assert {path.name for path in other.models_dir.iterdir()} == {"tiny-tts", "pins.json", ".pins.json.lock"}


def config_of(size: str, kind: str) -> bytes:
    return json.dumps({"tts_model_size": size, "tts_model_type": kind}).encode()


OTHERS = pytest.mark.parametrize(
    ("size", "kind", "hint"),
    [
        ("0b6", "custom_voice", "edged model install qwen3-tts-0.6b-customvoice"),
        ("1b7", "base", "edged model install qwen3-tts-1.7b-base"),
        ("tiny", "custom_voice", f"take the files of {REPO}"),
    ],
)


@OTHERS
def test_a_folder_with_another_model_is_refused(
    install: Install, store: Store, tmp_path: Path, size: str, kind: str, hint: str
) -> None:
    """Folder, what it holds, what was asked for and the name that fits; nothing is pinned or built."""
    folder = plain_folder(tmp_path)
    (folder / "config.json").write_bytes(config_of(size, kind))
    with pytest.raises(BadInputError) as caught:
        install(offline_dir=folder)
    assert caught.value.what == f"{folder}: config.json is of {size} {kind}, tiny-tts is 0b6 base"
    assert caught.value.hint == hint
    assert {path.name for path in store.models_dir.iterdir()} == {"tiny-tts"}
    assert in_slot(store) == {".lock"}


@OTHERS
def test_a_hub_with_another_model_is_refused_before_the_download(
    install: Install, store: Store, hub: FakeHub, size: str, kind: str, hint: str
) -> None:
    """Only config.json is fetched of a repository that holds another model; nothing is pinned."""
    hub.commits[COMMIT]["config.json"] = config_of(size, kind)
    with pytest.raises(BadInputError, match=f"{size} {kind}, tiny-tts is 0b6 base") as caught:
        install()
    assert caught.value.hint == hint
    assert hub.transfers("config.json")
    assert hub.transfers(LARGE) == []
    assert not (store.models_dir / "pins.json").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"{}", "tts_model_size: Field required"), (b"{", "file: Invalid JSON"), (None, "missing")],
)
def test_a_folder_that_does_not_say_its_model_is_refused(
    install: Install, hub: FakeHub, tmp_path: Path, content: bytes | None, words: str
) -> None:
    """A config.json that is none of Qwen3-TTS, damaged or lost on the way here is named."""
    folder = tmp_path / "stick"
    install(keep_downloads=folder)
    (folder / "config.json").unlink()
    if content is not None:
        (folder / "config.json").write_bytes(content)
    with pytest.raises(BadInputError, match=rf"stick/config\.json: {words}"):
        install(offline_dir=folder, force=True)


def test_a_published_model_is_taken_by_its_own_name(install: Install, tmp_path: Path) -> None:
    """The size and type that belong to the name are no reason to refuse."""
    folder = plain_folder(tmp_path)
    (folder / "config.json").write_bytes(config_of("0b6", "base"))
    assert install(offline_dir=folder).built


def plain_folder(tmp_path: Path) -> Path:
    """The tiny checkpoint as somebody copied it."""
    folder = tmp_path / "copied"
    for path, content in FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def test_a_stick_is_filled_although_the_model_is_installed(
    install: Install, hub: FakeHub, notices: list[str], tmp_path: Path
) -> None:
    """Whoever asks for the files gets them; the whole model stays and nothing new is trusted."""
    first = install().folder
    stick = tmp_path / "stick"
    done = install(keep_downloads=stick)
    assert (done.built, done.folder) == (False, first)
    assert {path: (stick / path).read_bytes() for path in WANTED_FILES} == {
        path: FILES[path] for path in WANTED_FILES
    }
    assert len(notices) == 1


def test_the_five_published_checkpoints_are_known() -> None:
    """Names as people type them, repositories as they are published."""
    assert {name: recipe.repo for name, recipe in CHECKPOINTS.items()} == {
        "qwen3-tts-0.6b-customvoice": "Qwen/Qwen3-TTS-12Hz-0.6B-CustomVoice",
        "qwen3-tts-0.6b-base": "Qwen/Qwen3-TTS-12Hz-0.6B-Base",
        "qwen3-tts-1.7b-customvoice": "Qwen/Qwen3-TTS-12Hz-1.7B-CustomVoice",
        "qwen3-tts-1.7b-base": "Qwen/Qwen3-TTS-12Hz-1.7B-Base",
        "qwen3-tts-1.7b-voicedesign": "Qwen/Qwen3-TTS-12Hz-1.7B-VoiceDesign",
    }


@pytest.fixture
def run(
    hub: FakeHub, converter: CopyingConverter, monkeypatch: pytest.MonkeyPatch, store: Store
) -> Callable[..., Result]:
    """Runs `edged model install tiny-tts ARGS`; EdgedError comes out as it is."""
    monkeypatch.setitem(CHECKPOINTS, "tiny-tts", CheckpointRecipe("tiny-tts", REPO, "0b6", "base", converter))

    def invoke(*args: str) -> Result:
        done = CliRunner().invoke(
            command, ["install", "tiny-tts", *args, "--models-dir", str(store.models_dir)]
        )
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return invoke


def test_the_command_says_what_it_did(run: Callable[..., Result]) -> None:
    """The result on standard output, steps and the warning on standard error; the precision is kept."""
    done = run("--talker", "int4", "--hub", "modelscope", "--revision", "v1")
    assert done.stdout.startswith("tiny-tts v1-")
    assert "talker int4, predictor int8" in done.stdout
    assert f"fetching {LARGE}" in done.stderr
    assert "WARNING: edged knows no SHA-256" in done.stderr
    again = run("--json")
    assert json.loads(again.stdout)["built"] is False
    assert "talker int4" in json.loads(again.stdout)["precision"]


def test_options_of_other_models_are_refused(run: Callable[..., Result], store: Store) -> None:
    """--hub with the default voice, and a part of it, are usage errors."""
    arguments = ["install", "kokoro", "--models-dir", str(store.models_dir)]
    for option in (["--hub", "modelscope"], ["--talker", "int8"]):
        assert CliRunner().invoke(command, [*arguments, *option]).exit_code == 2
