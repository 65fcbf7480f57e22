"""Hubs for the tests of this folder: the real clients, talking to a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.hub_server import FakeHub, serving

REPO = "Qwen/Tiny-TTS"
COMMIT = "5ecdb67327fd37bb2e042aab12ff7391903235d3"
LATER = "0c0e3051f131929182e2c023b9537f8b1c68adfe"
LARGE = "model.safetensors"
FILES = {
    ".gitattributes": b"*.safetensors filter=lfs\n",
    "config.json": b'{"tts_model_size": "tiny", "tts_model_type": "base"}',
    "README.md": b"Apache-2.0\n",
    "picture.png": b"not needed",
    LARGE: bytes(range(256)) * 20_000,  # 5 MB, so that it takes more than one piece to arrive
    "generation_config.json": b"{}",
    "vocab.json": b"{}",
    "merges.txt": b"#version: 0.2\n",
    "speech_tokenizer/config.json": b"{}",
    "speech_tokenizer/model.safetensors": b"codec",
}
WANTED_FILES = {path for path in FILES if path not in (".gitattributes", "picture.png")}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeHub]:
    """Both hubs, with one repository; the clients find it, and have nothing else to talk to."""
    made = FakeHub(REPO, {COMMIT: dict(FILES)}, {"main": COMMIT, "master": COMMIT, "v1": COMMIT})
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "MODELSCOPE_API_TOKEN", "MODELSCOPE_DOMAIN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home/huggingface"))
    monkeypatch.setenv("MODELSCOPE_DOWNLOAD_MAX_RETRIES", "2")
    monkeypatch.setenv("MODELSCOPE_REPO_TREE_PAGE_MAX_ATTEMPTS", "2")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    with serving(made):
        monkeypatch.setenv("HF_ENDPOINT", made.address)
        monkeypatch.setenv("MODELSCOPE_ENDPOINT", made.address)
        yield made
