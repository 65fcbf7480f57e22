"""Fetching checkpoints with the real clients of both hubs, from a server on this machine that misbehaves."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from edged.errors import BadInputError, FetchError, StorageError
from edged.install.extras import INSTALL_EXTRAS
from edged.install.hub import Wanted, fetch_checkpoint, take_checkpoint
from edged.install.hubs.protocol import HubUnreachableError
from edged.install.pins import Checkpoint, HubName, Pins, read_marker
from edged.io.fetch import Progress
from tests.fakes.disks import tmpfs
from tests.fakes.hub_server import FakeHub
from tests.fakes.tiny_model import silent
from tests.install.conftest import COMMIT, FILES, LARGE, LATER, REPO, WANTED_FILES

DEAD = "http://127.0.0.1:9"  # the discard port of this machine: nobody listens
REQUIRED = ("config.json", LARGE)
HUBS: tuple[HubName, ...] = ("huggingface", "modelscope")

both = pytest.mark.parametrize("name", HUBS)
# Hugging Face keeps small files in git, and lists no SHA-256 of them
files_of_hubs = pytest.mark.parametrize(
    ("name", "path"), [("huggingface", LARGE), ("huggingface", "config.json"), ("modelscope", LARGE)]
)


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """A folder that does not exist yet."""
    return tmp_path / "down loads"


@pytest.fixture
def pins(tmp_path: Path) -> Pins:
    """Nothing is trusted yet."""
    return Pins(tmp_path / "models")


def anything(config: Path) -> None:
    """Takes any model."""


def fetch(
    folder: Path,
    pins: Pins,
    hub: HubName | None,
    revision: str | None = None,
    *,
    own: bool = False,
    work: Path | None = None,
    progress: Progress = silent,
) -> Checkpoint:
    """Fetch the tiny repository."""
    wanted = Wanted("tiny-tts", REPO, hub, revision, REQUIRED, anything)
    return fetch_checkpoint(wanted, folder, pins, progress, work=work or folder.parent, own=own)


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def contents(folder: Path) -> dict[str, bytes]:
    """The published files in the folder."""
    return {path: (folder / path).read_bytes() for path in FILES if (folder / path).exists()}


def leftovers(folder: Path) -> list[str]:
    """Everything else in it."""
    return [
        path.name
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).as_posix() not in FILES
    ]


@both
def test_a_checkpoint_arrives_with_its_commit_and_digests(
    hub: FakeHub, downloads: Path, pins: Pins, name: HubName
) -> None:
    """What is needed of the head of the default branch arrives, byte for byte, and says what it is."""
    steps: list[tuple[str, float]] = []
    checkpoint = fetch(downloads, pins, name, progress=lambda what, fraction: steps.append((what, fraction)))
    assert contents(downloads) == {path: FILES[path] for path in WANTED_FILES}
    assert {path: file.sha256 for path, file in checkpoint.files.items()} == {
        path: sha256(FILES[path]) for path in WANTED_FILES
    }
    # ModelScope does not tell which commit a branch is
    revision, commit = ("main", COMMIT) if name == "huggingface" else ("master", "master")
    assert (checkpoint.revision, checkpoint.commit) == (revision, commit)
    assert read_marker(downloads) == checkpoint
    assert leftovers(downloads) == ["edged-checkpoint.json"]
    assert all(0 <= fraction <= 1 for _, fraction in steps)
    assert any(what == f"fetching {LARGE}" for what, _ in steps)


@both
def test_a_revision_can_be_named(hub: FakeHub, downloads: Path, pins: Pins, name: HubName) -> None:
    """A tag or commit is fetched instead of the head."""
    hub.commits[LATER] = {**FILES, "config.json": b"{}"}
    hub.heads |= {"main": LATER, "master": LATER}
    assert fetch(downloads, pins, name, "v1").revision == "v1"
    assert contents(downloads)["config.json"] == FILES["config.json"]


@both
def test_nothing_but_the_files_is_asked_for_or_told(
    hub: FakeHub, downloads: Path, pins: Pins, name: HubName, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No statistics, no look-up beside the listing and the files, no number that stands for this user."""
    monkeypatch.setenv("MODELSCOPE_CLOUD_USERNAME", "somebody")
    fetch(downloads, pins, name)
    fetch(tmp_path / "again", pins, name)
    known = ("/api/models/", "/api/v1/models/", f"/{REPO}/resolve/", "/store/")
    assert [seen.path for seen in hub.seen if not seen.path.startswith(known)] == []
    agents = {part for seen in hub.seen for part in seen.headers["User-Agent"].split("; ")}
    assert "user/somebody" not in agents
    assert not any(part.startswith("agent/") for part in agents)
    sessions = {part for part in agents if part.startswith("session_id/")}
    assert len(sessions) != 1, "the same number in two runs tells who it is"
    assert not (tmp_path / "home/.modelscope").exists()


@both
def test_a_lost_connection_is_continued_at_once(
    hub: FakeHub, downloads: Path, pins: Pins, name: HubName
) -> None:
    """A connection lost in mid-file costs no byte that had arrived in whole pieces."""
    hub.drop[LARGE] = [3_000_000]
    fetch(downloads, pins, name)
    assert contents(downloads)[LARGE] == FILES[LARGE]
    ranges = [seen.headers["Range"] for seen in hub.transfers(LARGE)]
    assert ranges[0] is None
    assert int(ranges[1].removeprefix("bytes=").rstrip("-")) >= 2_000_000


@both
def test_a_store_without_ranges_starts_over(hub: FakeHub, downloads: Path, pins: Pins, name: HubName) -> None:
    """A server that sends the whole file when it is asked for the rest does not spoil it."""
    hub.drop[LARGE], hub.no_range = [3_000_000], True
    fetch(downloads, pins, name)
    assert contents(downloads)[LARGE] == FILES[LARGE]


@both
def test_an_interrupted_download_goes_on_where_it_was(
    hub: FakeHub, downloads: Path, pins: Pins, name: HubName
) -> None:
    """Ctrl-C in mid-file keeps what has arrived, and the next run asks for the rest, of the same commit."""
    with pytest.raises(KeyboardInterrupt):
        interrupt_half_way(hub, downloads, pins, name)
    hub.commits[LATER] = {**FILES, "config.json": b"{}"}
    hub.heads["main"] = LATER
    hub.seen.clear()
    checkpoint = fetch(downloads, pins, name)
    assert contents(downloads) == {path: FILES[path] for path in WANTED_FILES}
    assert checkpoint.commit == (COMMIT if name == "huggingface" else "master")
    (transfer,) = hub.transfers(LARGE)
    assert int(transfer.headers["Range"].removeprefix("bytes=").rstrip("-")) >= 2_000_000


def interrupt_half_way(hub: FakeHub, downloads: Path, pins: Pins, name: HubName) -> None:
    """Fetch, with a Ctrl-C once two pieces of the large file are there."""

    def progress(what: str, fraction: float) -> None:
        if what == f"fetching {LARGE}" and fraction * len(FILES[LARGE]) >= 2_000_000:
            hub.hold.clear()
            raise KeyboardInterrupt

    hub.hold.add(LARGE)
    fetch(downloads, pins, name, progress=progress)


@both
def test_what_is_there_is_not_fetched_again(hub: FakeHub, downloads: Path, pins: Pins, name: HubName) -> None:
    """A complete download needs no hub, and no client."""
    first = fetch(downloads, pins, name)
    hub.seen.clear()
    assert fetch(downloads, pins, name) == first
    assert hub.seen == []


@files_of_hubs
def test_a_wrong_byte_is_noticed_at_the_first_pull(
    hub: FakeHub, downloads: Path, pins: Pins, name: HubName, path: str
) -> None:
    """What differs from the digest that the hub lists is refused, deleted, and right at the next try."""
    hub.flip.add(path)
    with pytest.raises(FetchError, match=path) as caught:
        fetch(downloads, pins, name)
    assert "expected" in caught.value.what
    assert path not in contents(downloads)
    hub.flip.clear()
    fetch(downloads, pins, name)
    assert contents(downloads)[path] == FILES[path]


@files_of_hubs
def test_a_file_that_is_not_the_trusted_one_is_refused(
    hub: FakeHub, downloads: Path, pins: Pins, name: HubName, path: str
) -> None:
    """Files pinned once stay what they are, whatever the hub serves under the same revision later."""
    trusted = fetch(downloads, pins, name)
    pins.record(trusted)
    hub.commits[COMMIT][path] = FILES[path][:-1] + b"!"
    other = downloads.with_name("other")
    with pytest.raises(FetchError, match=path) as caught:
        fetch(other, pins, name)
    expected, found = sha256(FILES[path]), sha256(hub.commits[COMMIT][path])
    if name == "huggingface":
        assert expected in caught.value.what
        assert found in caught.value.what
    else:  # its client compares, and shows the beginning
        assert expected[:16] in caught.value.what
        assert found[:16] in caught.value.what
    assert path not in contents(other)


def test_the_trusted_commit_is_fetched_when_the_branch_has_moved_on(
    hub: FakeHub, downloads: Path, pins: Pins
) -> None:
    """Without a named revision the pinned commit is installed again, not what is newer."""
    pins.record(fetch(downloads, pins, "huggingface"))
    hub.commits[LATER] = {**FILES, "config.json": b"{}"}
    hub.heads["main"] = LATER
    other = downloads.with_name("other")
    assert fetch(other, pins, None).commit == COMMIT
    assert contents(other)["config.json"] == FILES["config.json"]
    assert fetch(downloads.with_name("newer"), pins, None, LATER).commit == LATER


def test_another_name_of_a_trusted_commit_is_compared_as_well(
    hub: FakeHub, downloads: Path, pins: Pins
) -> None:
    """A tag for the commit that is pinned as `main` is held to the same digests."""
    pins.record(fetch(downloads, pins, "huggingface"))
    hub.commits[COMMIT]["README.md"] = b"changed"
    with pytest.raises(FetchError, match="README"):
        fetch(downloads.with_name("other"), pins, "huggingface", "v1")


@files_of_hubs
def test_a_wrong_size_is_refused(hub: FakeHub, downloads: Path, pins: Pins, name: HubName, path: str) -> None:
    """A file that ends early although the connection did not is no checkpoint; the next try has it whole."""
    hub.cut[path] = len(FILES[path]) - 1
    with pytest.raises(FetchError, match=f"{path} of .*: delivered with a wrong size"):
        fetch(downloads, pins, name)
    hub.cut.clear()
    fetch(downloads, pins, name)
    assert contents(downloads)[path] == FILES[path]


@both
def test_an_unknown_revision_is_named(hub: FakeHub, downloads: Path, pins: Pins, name: HubName) -> None:
    """A revision that the hub does not have is told with what to name instead."""
    with pytest.raises(FetchError, match=r"no .*revision.*'v9'") as caught:
        fetch(downloads, pins, name, "v9")
    assert "--revision takes a branch, a tag or a full commit" in caught.value.hint


@both
def test_a_repository_for_few_says_how_to_get_in(
    hub: FakeHub, downloads: Path, pins: Pins, name: HubName, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a token a gated repository is refused with the way in; with one it is fetched, and only the
    hub itself sees the token.
    """
    hub.gated = "hf_secret"
    variable = "HF_TOKEN" if name == "huggingface" else "MODELSCOPE_API_TOKEN"
    with pytest.raises(FetchError) as caught:
        fetch(downloads, pins, name)
    assert variable in caught.value.hint
    monkeypatch.setenv(variable, "hf_secret")
    fetch(downloads, pins, name)
    (stored,) = hub.transfers(LARGE)
    assert stored.host == "localhost"
    assert stored.headers["Authorization"] is None


@both
def test_a_repository_that_is_not_there(hub: FakeHub, downloads: Path, pins: Pins, name: HubName) -> None:
    """A repository the hub does not have is named."""
    hub.repo = "Qwen/Other"
    with pytest.raises(FetchError, match=REPO):
        fetch(downloads, pins, name)


@both
def test_a_repository_of_another_kind(hub: FakeHub, downloads: Path, pins: Pins, name: HubName) -> None:
    """Before gigabytes are fetched it is noticed that a file is not there."""
    del hub.commits[COMMIT]["config.json"]
    with pytest.raises(FetchError, match=r"config\.json is not there"):
        fetch(downloads, pins, name)
    assert hub.transfers(LARGE) == []


def test_names_that_lead_out_of_the_folder_are_not_fetched(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """A repository cannot write beside the folder."""
    hub.commits[COMMIT]["../stray.json"] = b"{}"
    fetch(downloads, pins, "huggingface")
    assert not (downloads.parent / "stray.json").exists()


def test_without_a_network_both_hubs_are_tried(
    hub: FakeHub, downloads: Path, pins: Pins, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no hub named and none reachable, both are told, with the way to install offline."""
    monkeypatch.setenv("HF_ENDPOINT", DEAD)
    monkeypatch.setenv("MODELSCOPE_ENDPOINT", DEAD)
    with pytest.raises(HubUnreachableError) as caught:
        fetch(downloads, pins, None)
    assert caught.value.what.count("Connection refused") == 2
    assert caught.value.hint == (
        "check network, proxy and mirror settings, or bring the files: "
        "`edged model install tiny-tts --keep-downloads DIR` elsewhere, then `--from DIR` here"
    )


@both
def test_without_one_hub_the_other_is_a_way_out(
    hub: FakeHub, downloads: Path, pins: Pins, name: HubName, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it lists the files as well as in the middle of the download, and only where one was named."""
    trusted = fetch(downloads, pins, name)
    monkeypatch.setenv("HF_ENDPOINT", DEAD)
    monkeypatch.setenv("MODELSCOPE_ENDPOINT", DEAD)
    for step in ("listing", "download"):
        with pytest.raises(HubUnreachableError) as caught:
            fetch(downloads.with_name(step), pins, name)
        assert "try the other --hub, or bring the files: `edged model install tiny-tts " in caught.value.hint
        pins.record(trusted)


def test_modelscope_stands_in_when_hugging_face_cannot_be_reached(
    hub: FakeHub, downloads: Path, pins: Pins, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the first pull the other hub is asked, here by its older variable."""
    monkeypatch.setenv("HF_ENDPOINT", DEAD)
    monkeypatch.delenv("MODELSCOPE_ENDPOINT")
    monkeypatch.setenv("MODELSCOPE_DOMAIN", hub.address)
    assert fetch(downloads, pins, None).hub == "modelscope"


def test_nothing_stands_in_for_the_hub_whose_files_are_trusted(
    hub: FakeHub, downloads: Path, pins: Pins, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once files are pinned, no other hub's are taken for them unless it is named."""
    pins.record(fetch(downloads, pins, "huggingface"))
    monkeypatch.setenv("HF_ENDPOINT", DEAD)
    hub.seen.clear()
    with pytest.raises(HubUnreachableError):
        fetch(downloads.with_name("other"), pins, None)
    assert hub.seen == []


def test_a_server_in_trouble_is_told(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """A hub that answers with an error of its own is named with the status."""
    hub.status = 501
    with pytest.raises(HubUnreachableError, match="answered with status 501"):
        fetch(downloads, pins, "huggingface")


def test_a_missing_client_says_how_to_get_it(
    hub: FakeHub, downloads: Path, pins: Pins, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the extra, the pip command that brings it is shown."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(FetchError, match="needs huggingface_hub") as caught:
        fetch(downloads, pins, "huggingface")
    assert caught.value.hint == INSTALL_EXTRAS


def test_too_small_a_disk_is_noticed_before_the_download(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """Room for the files and for the model is asked for first, both figures named."""
    with tmpfs(downloads, 9_000_000), pytest.raises(StorageError, match=r"10 MB needed, 9 MB free"):
        fetch(downloads / "x", pins, "huggingface")
    assert hub.transfers(LARGE) == []


@both
def test_a_full_disk_is_a_storage_error(hub: FakeHub, downloads: Path, pins: Pins, name: HubName) -> None:
    """A disk that another program fills in mid-download is told as what it is."""
    with tmpfs(downloads, 6_000_000):
        hub.meanwhile[LARGE] = lambda: (downloads / "other.bin").write_bytes(bytes(3_000_000))
        with pytest.raises(StorageError, match="No space left on device"):
            fetch(downloads / "x", pins, name, work=downloads.parent)


def test_somebody_elses_folder_is_not_written_to(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """A folder with other things in it, another checkpoint included, is refused and left alone."""
    downloads.mkdir()
    (downloads / "config.json").write_bytes(b"mine")
    with pytest.raises(BadInputError, match="is not empty"):
        fetch(downloads, pins, "huggingface")
    (downloads / "config.json").unlink()
    fetch(downloads, pins, "huggingface")
    with pytest.raises(BadInputError, match=r"holds Qwen/Tiny-TTS at 5ecd.* \(huggingface\)"):
        fetch(downloads, pins, "modelscope")


def test_an_own_folder_is_cleared_of_other_checkpoints(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """What an unfinished install of another revision left makes room."""
    fetch(downloads, pins, "huggingface")
    assert fetch(downloads, pins, "modelscope", own=True).hub == "modelscope"
    assert read_marker(downloads) is not None


def take(folder: Path, pins: Pins, revision: str | None = None) -> Checkpoint:
    """What `--from FOLDER` does."""
    return take_checkpoint(Wanted("tiny-tts", REPO, None, revision, REQUIRED, anything), folder, pins, silent)


def test_a_stick_carries_what_it_is(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """A kept download is the same checkpoint on a board without a network."""
    fetched = fetch(downloads, pins, "huggingface")
    assert take(downloads, pins) == fetched


def test_a_wrong_byte_on_the_stick_is_named_and_left(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """One flipped byte on the stick is refused with both digests; the stick is not written to."""
    fetch(downloads, pins, "huggingface")
    wrong = FILES[LARGE][:-1] + b"!"
    (downloads / LARGE).write_bytes(wrong)
    with pytest.raises(BadInputError) as caught:
        take(downloads, pins)
    assert f"expected {sha256(FILES[LARGE])}, found {sha256(wrong)}" in caught.value.what
    assert (downloads / LARGE).read_bytes() == wrong


def test_a_stick_is_compared_with_what_is_trusted(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """A stick that vouches for other files than the pinned ones is refused."""
    pins.record(fetch(downloads, pins, "huggingface"))
    other = downloads.with_name("other")
    hub.commits[COMMIT]["README.md"] = b"changed\n"
    fetch(other, Pins(downloads), "huggingface")
    with pytest.raises(BadInputError, match="README"):
        take(other, pins)


def test_a_missing_file_on_the_stick_is_named(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """An incomplete copy says which file it lacks."""
    fetch(downloads, pins, "huggingface")
    (downloads / "speech_tokenizer/config.json").unlink()
    with pytest.raises(BadInputError, match=r"speech_tokenizer/config\.json: missing"):
        take(downloads, pins)


def test_a_stick_with_something_else_is_refused(hub: FakeHub, downloads: Path, pins: Pins) -> None:
    """Another revision than the one asked for is not taken for it."""
    fetch(downloads, pins, "huggingface")
    with pytest.raises(BadInputError, match="holds Qwen/Tiny-TTS"):
        take(downloads, pins, "v9")


def test_a_plain_folder_is_taken_for_what_it_is(downloads: Path, pins: Pins) -> None:
    """Files copied by other means are of unknown origin, and must be complete."""
    for path, content in FILES.items():
        (downloads / path).parent.mkdir(parents=True, exist_ok=True)
        (downloads / path).write_bytes(content)
    checkpoint = take(downloads, pins)
    assert (checkpoint.hub, checkpoint.commit, set(checkpoint.files)) == ("folder", "unknown", WANTED_FILES)
    (downloads / LARGE).unlink()
    with pytest.raises(BadInputError, match=f"{LARGE} is not there"):
        take(downloads, pins)
