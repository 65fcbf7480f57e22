"""The import law of docs/architecture.md, read from the imports themselves."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "edged"
MODULES = sorted(PACKAGE.rglob("*.py"))

PURE = ("protocol", "core", "text", "audio", "config")
PURE_THIRD_PARTY = {
    "protocol": {"pydantic", "pydantic_core"},
    "core": {"pydantic"},
    "text": {"pydantic", "pydantic_core", "pypinyin"},
    "audio": {"pydantic", "numpy", "soxr"},
    "config": {"pydantic", "pydantic_core", "yaml"},
}
EFFECTS = {"time", "threading", "logging", "os", "socket", "asyncio", "subprocess"}
NATIVE = {"openvino", "alsaaudio"}
# what only turns published models into ours: none of it is needed, or installed everywhere, to speak
CONVERSION = {"nncf", "onnx", "safetensors", "ml_dtypes", "huggingface_hub", "modelscope_hub"}
# who may touch what the main process must never load
NATIVE_OWNERS = {
    "alsaaudio": {"io/alsa.py", "io/mixer.py"},
    "openvino": {"engine/"},
    "nncf": {"engine/qwen3/compress.py"},
    "onnx": {"engine/kokoro/onnx_weights.py"},
    "safetensors": {"engine/qwen3/checkpoint.py", "engine/qwen3/tensors.py"},
    "ml_dtypes": {"engine/qwen3/tensors.py"},
    "huggingface_hub": {"install/hubs/huggingface.py"},
    "modelscope_hub": {"install/hubs/modelscope.py"},
}


def imports(path: Path) -> Iterator[str]:
    """Every module name that a file imports, wherever in the file it does."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def relative(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def modules(*packages: str) -> list[Path]:
    return [path for path in MODULES if relative(path).split("/")[0] in packages]


@pytest.mark.parametrize("path", modules(*PURE), ids=relative)
def test_pure_packages_stay_pure(path: Path) -> None:
    """A pure package imports the standard library without effects, its allow-list, other pure ones."""
    package = relative(path).split("/")[0]
    for name in imports(path):
        top = name.split(".")[0]
        if top == "edged":
            assert name == "edged.errors" or name.split(".")[1] in PURE, name
        elif relative(path) != "config/loader.py":
            assert top not in EFFECTS, name
        assert top in sys.stdlib_module_names | PURE_THIRD_PARTY[package] | {"edged"}, name


@pytest.mark.parametrize("path", modules("engine"), ids=relative)
def test_engines_know_nothing_of_the_outside(path: Path) -> None:
    """An engine never imports io or protocol: it can be moved, tested and driven alone."""
    assert not [n for n in imports(path) if n.startswith(("edged.io", "edged.protocol", "edged.workers"))]


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_native_libraries_have_one_owner(path: Path) -> None:
    """Native and conversion-time libraries are imported only where they belong; torch nowhere."""
    for name in imports(path):
        top = name.split(".")[0]
        assert top not in {"torch", "transformers"}, name
        if top in NATIVE | CONVERSION:
            assert any(relative(path).startswith(owner) for owner in NATIVE_OWNERS[top]), name


def reachable(module: str) -> set[str]:
    """Every edged module that importing `module` loads."""
    seen: set[str] = set()
    pending = [module]
    while pending:
        name = pending.pop()
        path = PACKAGE.parent / Path(*name.split("."))
        file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
        if name in seen or not file.is_file():
            continue
        seen.add(name)
        pending += [n for n in imports(file) if n.startswith("edged.")]
    return seen


def third_party(loaded: set[str]) -> set[str]:
    """The top-level packages that these edged modules import, edged itself left out."""
    found = set()
    for name in loaded:
        path = PACKAGE.parent / Path(*name.split("."))
        file = path.with_suffix(".py") if path.with_suffix(".py").is_file() else path / "__init__.py"
        found |= {imported.split(".")[0] for imported in imports(file)}
    return found - {"edged"}


def test_main_process_never_loads_native_libraries() -> None:
    """A native crash or a GIL held in a device call must not reach the process that owns MQTT."""
    loaded = reachable("edged.daemon.app")
    assert "edged.core.scheduler" in loaded
    assert not third_party(loaded) & (NATIVE | CONVERSION)


def test_main_process_is_started_without_numpy() -> None:
    """It passes samples on and never looks at them; numpy would be a third of its memory."""
    program = "import sys, edged.daemon.app; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_speaking_never_loads_what_only_conversion_needs() -> None:
    """The process that speaks reaches no converter and no library of one."""
    loaded = reachable("edged.workers.synth")
    assert {"edged.engine.kokoro.engine", "edged.engine.qwen3.engine"} <= loaded
    assert not third_party(loaded) & CONVERSION
    assert not {name for name in loaded if name.endswith((".convert", ".calibrate", ".compress"))}
