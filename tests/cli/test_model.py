"""`edged model ...` as a user meets it: output, JSON and the error with its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from edged.cli.model import command
from edged.errors import BadInputError, EdgedError, ModelUnavailableError
from edged.install.catalogue import RECIPES
from edged.install.checkpoints import CHECKPOINTS
from edged.io.store import Store
from tests.fakes.tiny_model import make_recipe, make_wheel

Run = Callable[..., Result]


@pytest.fixture
def stick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder with the artefact of the catalogue's model `tiny`."""
    folder = tmp_path / "usb stick"
    monkeypatch.setitem(RECIPES, "tiny", make_recipe(make_wheel(folder)))
    return folder


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs `edged model ARGS --models-dir <a new folder>`; EdgedError comes out as it is."""

    def invoke(*args: str) -> Result:
        done = CliRunner().invoke(command, [*args, "--models-dir", str(tmp_path / "models")])
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    return invoke


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """The store that `run` works on."""
    return Store(tmp_path / "models")


def as_json(done: Result) -> Any:
    return json.loads(done.stdout)


def install_two(run: Run, stick: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Install `tiny` 1.0, then 2.0; returns their builds."""
    builds = []
    for version in ("1.0", "2.0"):
        wheel = make_wheel(stick, version.encode(), version)
        monkeypatch.setitem(RECIPES, "tiny", make_recipe(wheel))
        builds.append(as_json(run("install", "tiny", "--from", str(stick), "--json"))["build"])
    return builds[0], builds[1]


def spoil(store: Store, build: str) -> None:
    """Flip bytes in the model of a build."""
    path = store.path("tiny", build) / "model.bin"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[::-1])


def test_install_says_what_it_did_and_shows_its_steps(run: Run, stick: Path) -> None:
    """The build and its size on standard output, the steps on standard error."""
    done = run("install", "tiny", "--from", str(stick))
    assert done.stdout.startswith("tiny 1.0-")
    assert "installed" in done.stdout
    assert "unpacking\n" in done.stderr


def test_second_install_says_it_is_there(run: Run, stick: Path) -> None:
    """Installing what is installed is quick, says so and succeeds."""
    run("install", "tiny", "--from", str(stick))
    done = run("install", "tiny")
    assert "already installed and whole" in done.stdout
    assert as_json(run("install", "tiny", "--json"))["built"] is False


def test_a_folder_nobody_looked_at_is_told(run: Run, stick: Path) -> None:
    """--from a folder changes nothing while the model is whole, says so, and --force makes it count."""
    arguments = ("install", "tiny", "--from", str(stick))
    assert "not looked at" not in run(*arguments).stderr
    again = run(*arguments)
    assert f"already installed and whole; {stick} was not looked at (--force builds from it)" in again.stderr
    assert "not looked at" not in run(*arguments, "--force").stderr


def test_install_from_an_empty_folder_names_the_missing_file(run: Run, stick: Path, tmp_path: Path) -> None:
    """Without the artefacts in the folder, the first missing one is named."""
    with pytest.raises(BadInputError, match=r"tiny_voice-1\.0-py3-none-any\.whl: missing"):
        run("install", "tiny", "--from", str(tmp_path))


def test_from_and_keep_downloads_exclude_each_other(run: Run, stick: Path) -> None:
    """Nothing is downloaded with --from, so there is nothing to keep."""
    assert run("install", "tiny", "--from", str(stick), "--keep-downloads", str(stick)).exit_code == 2


@pytest.mark.parametrize("verb", ["install", "verify", "rollback"])
def test_unknown_model_suggests_a_known_one(run: Run, verb: str) -> None:
    """A misspelt name is answered with the closest known one and the list."""
    with pytest.raises(BadInputError, match="no model is called 'kokro'") as caught:
        run(verb, "kokro")
    assert caught.value.hint.startswith("did you mean kokoro? known: kokoro, ")


def test_the_beginning_of_a_name_suggests_the_whole(run: Run) -> None:
    """Who remembers only how it begins is helped."""
    with pytest.raises(BadInputError) as caught:
        run("install", "qwen3-tts")
    assert caught.value.hint.startswith("did you mean qwen3-tts-0.6b-customvoice?")


@pytest.mark.parametrize("verb", ["install", "rollback", "verify"])
def test_names_cannot_leave_the_models_folder(run: Run, verb: str, tmp_path: Path) -> None:
    """A path is not a model name, and nothing is made of it."""
    with pytest.raises(BadInputError, match="no model is called"):
        run(verb, "../elsewhere")
    assert not (tmp_path / "elsewhere").exists()


def test_planned_model_says_that_it_comes_later(run: Run) -> None:
    """A model this version cannot install yet is told apart from an unknown one."""
    with pytest.raises(BadInputError, match="baker: a later version of edged installs it") as caught:
        run("install", "baker")
    assert caught.value.hint.startswith("this one knows: kokoro, ")


def test_list_shows_roles_and_what_can_be_installed(
    run: Run, stick: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Builds with their role, and the catalogue's models that are not installed."""
    old, new = install_two(run, stick, monkeypatch)
    lines = run("list").stdout.splitlines()
    assert [line.split()[:3] for line in lines[:2]] == [["tiny", old, "previous"], ["tiny", new, "active"]]
    assert lines[2].split() == ["kokoro", "not", "installed:", "edged", "model", "install", "kokoro"]
    listed = as_json(run("list", "--json"))
    assert [(entry["build"], entry["active"], entry["problem"]) for entry in listed["installed"]] == [
        (old, False, None),
        (new, True, None),
    ]
    assert listed["available"] == ["kokoro", *CHECKPOINTS]


def test_list_survives_a_build_without_manifest(run: Run, stick: Path, store: Store) -> None:
    """One spoilt build is shown with its problem and hides no other."""
    build = as_json(run("install", "tiny", "--from", str(stick), "--json"))["build"]
    path = store.path("tiny", build)
    path.chmod(0o755)
    (path / "manifest.json").unlink()
    assert "manifest.json: No such file" in run("list").stdout


def test_verify_names_the_damaged_file(
    run: Run, stick: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every build is checked; the damaged file is named and the status is that of an unusable model."""
    old, new = install_two(run, stick, monkeypatch)
    assert run("verify").stdout.splitlines() == [f"tiny {old}: ok", f"tiny {new}: ok"]
    spoil(store, old)
    done = CliRunner().invoke(command, ["verify", "tiny", "--models-dir", str(store.models_dir)])
    assert isinstance(done.exception, ModelUnavailableError)
    assert done.exception.exit_status == 66
    assert done.stdout.splitlines() == [
        f"tiny {old}: damaged",
        "  model.bin: content changed (SHA-256 does not match)",
        f"tiny {new}: ok",
    ]


def test_verify_as_json_is_whole_even_on_damage(run: Run, stick: Path, store: Store) -> None:
    """A script gets all reports on standard output before the command fails."""
    build = as_json(run("install", "tiny", "--from", str(stick), "--json"))["build"]
    spoil(store, build)
    done = CliRunner().invoke(command, ["verify", "--json", "--models-dir", str(store.models_dir)])
    assert isinstance(done.exception, ModelUnavailableError)
    why = "content changed (SHA-256 does not match)"
    problems = [{"file": "model.bin", "why": why}]
    assert as_json(done) == [{"name": "tiny", "build": build, "ok": False, "problems": problems}]


def test_verify_without_models_is_no_success(run: Run) -> None:
    """Nothing installed is not `all well`."""
    with pytest.raises(ModelUnavailableError, match="nothing to verify") as caught:
        run("verify")
    assert caught.value.hint == "edged model install kokoro"


def test_activate_rollback_and_remove(
    run: Run, stick: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The three verbs do on disk what they say, and refuse to remove the active build."""
    old, new = install_two(run, stick, monkeypatch)
    assert old in run("activate", "tiny", old).stdout
    assert store.active("tiny") == old
    assert new in run("rollback", "tiny").stdout
    assert store.active("tiny") == new
    run("remove", "tiny", old)
    assert store.builds("tiny") == [new]
    with pytest.raises(BadInputError, match="active build"):
        run("remove", "tiny", new)
    run("remove", "tiny", new, "--force")
    assert store.builds("tiny") == []


@pytest.mark.parametrize("verb", ["activate", "remove"])
def test_unknown_build_is_refused(run: Run, stick: Path, verb: str) -> None:
    """A build that is not there is refused with a list of those that are."""
    build = as_json(run("install", "tiny", "--from", str(stick), "--json"))["build"]
    with pytest.raises(BadInputError) as caught:
        run(verb, "tiny", "..")
    assert caught.value.hint == f"installed: {build}"


def test_convert_writes_a_folder_and_planned_ones_are_refused(stick: Path, tmp_path: Path) -> None:
    """`convert` makes a model folder of fetched artefacts; other engines are refused in clear words."""
    args = ["--from", str(stick), "--out", str(tmp_path / "int8")]
    assert CliRunner().invoke(command, ["convert", "tiny", *args]).exit_code == 0
    assert (tmp_path / "int8/manifest.json").is_file()
    refused = CliRunner().invoke(command, ["convert", "baker", *args])
    assert isinstance(refused.exception, EdgedError)
    assert "a later version" in str(refused.exception)


def test_weights_choose_the_precision(run: Run, stick: Path, tmp_path: Path) -> None:
    """`install` and `convert` build what --weights asks for, weight-only by default; else a usage error."""
    assert as_json(run("install", "tiny", "--from", str(stick), "--json"))["precision"] == "int8 weights"
    chosen = run("install", "tiny", "--from", str(stick), "--weights", "w8a8", "--json")
    assert as_json(chosen)["precision"] == "int8 arithmetic"
    upgraded = as_json(run("install", "tiny", "--from", str(stick), "--json"))
    assert (upgraded["precision"], upgraded["built"]) == ("int8 arithmetic", False), "chosen once, it stays"
    assert run("install", "tiny", "--weights", "w4").exit_code == 2
    args = ["convert", "tiny", "--from", str(stick), "--out", str(tmp_path / "fast"), "--weights", "w8a8"]
    assert CliRunner().invoke(command, args).exit_code == 0
    assert (tmp_path / "fast/weights.txt").read_text() == "w8a8"


def test_models_folder_comes_from_the_configuration(stick: Path, tmp_path: Path) -> None:
    """Without --models-dir the configured folder is used."""
    config = tmp_path / "edged.yaml"
    config.write_text("paths:\n  models_dir: from-config\n")
    done = CliRunner().invoke(command, ["list", "--json", "--config", str(config)])
    assert as_json(done)["models_dir"] == str(tmp_path / "from-config")


def test_every_verb_explains_itself() -> None:
    """--help works for the group and every verb."""
    verbs = ["list", "install", "convert", "verify", "loudness", "activate", "rollback", "remove"]
    assert sorted(command.commands) == sorted(verbs)
    for verb in verbs:
        assert "Example" in CliRunner().invoke(command, [verb, "--help"]).output


def test_the_command_never_loads_native_libraries() -> None:
    """Importing the command and its installer loads neither the inference engine nor the converter."""
    script = (
        "import sys, edged.cli.model\n"
        "print({'openvino', 'nncf', 'onnx', 'numpy', 'alsaaudio'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
