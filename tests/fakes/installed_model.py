"""A build in a store, whole and active, whose files are anything but a model."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from edged.io.model_folder import FileEntry, Manifest, describe_files
from edged.io.store import Store


def make_manifest(name: str, precision: str, files: dict[str, FileEntry]) -> Manifest:
    """A good manifest for these files."""
    return Manifest(
        name=name,
        version="1",
        created=datetime(2026, 1, 1, tzinfo=UTC),
        licence="Apache-2.0",
        precision=precision,
        sample_rate_hz=24000,
        converter_version="1",
        built_with="openvino 1",
        edged="0",
        sources=(),
        files=files,
    )


def install_files(store: Store, name: str, files: Mapping[str, bytes], precision: str = "int8") -> Path:
    """Install and activate a build of model `name` that consists of `files`; returns its folder."""
    with store.locked(name) as slot, slot.building() as work:
        built = work / "built"
        built.mkdir()
        for file, content in files.items():
            (built / file).write_bytes(content)
        manifest = make_manifest(name, precision, describe_files(built))
        folder = slot.publish(built, manifest).path
        slot.activate(manifest.build)
    return folder
