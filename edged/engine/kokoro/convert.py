"""The published Kokoro files -> a model folder with INT8 networks. Runs at model installation only.

The networks are built layer by layer from the export's 8-bit weights, without tracing; for W8A8 the
generator's ranges are then measured on a few spoken sentences. That takes less than a minute, so a board can
do it itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from edged.engine.kokoro.acoustic import AcousticModel
from edged.engine.kokoro.calibrate import quantize_residual_blocks
from edged.engine.kokoro.frames_net import build_frames_network
from edged.engine.kokoro.generator import padded_inputs
from edged.engine.kokoro.generator_net import build_generator_network
from edged.engine.kokoro.lexicon_convert import build_lexicon
from edged.engine.kokoro.model_files import (
    FRAMES_FILE,
    GENERATOR_FILE,
    HARMONICS_FILE,
    SPEC_FILE,
    STYLE_SHAPE,
    TEXT_FILE,
    VOCABULARY_FILE,
    VOICES_FOLDER,
    ModelFiles,
    ModelSpec,
    VoiceEntry,
)
from edged.engine.kokoro.onnx_weights import OnnxWeights
from edged.engine.kokoro.phonemes import Phonemizer
from edged.engine.kokoro.precision import CONVERTER_VERSION, PRECISIONS, Weights
from edged.engine.kokoro.silence import speech_span
from edged.engine.kokoro.source import SAMPLE_RATE_HZ, FloatArray, HarmonicMix, excitation
from edged.engine.kokoro.text_net import build_text_network
from edged.engine.runtime import CpuSettings, ov
from edged.errors import ModelUnavailableError
from edged.text.sentence import Lang, Sentence

# 4.2 s. Every call costs as much as one of this length (0.57 s with float32 arithmetic on two server cores),
# and longer sentences are spoken in parts: the 40 of benchmarks/prompts take 54 calls, 27 of them one each.
# 360 frames would make it 47 calls and up to 60 MB more; 288 frames 64 calls, shorter but longer in total.
_GENERATOR_FRAMES = 336

# Defaults first: letters of ticket numbers are understood best from these.
_DEFAULTS = ("zf_xiaobei", "af_heart")
# Ranges are measured on these: low and high voices, all vowels, hissing and voiced sounds.
_CALIBRATION_TEXTS: tuple[tuple[Lang, str], ...] = (
    ("zh", "请十二号到三号窗口办理业务。"),
    ("zh", "各位旅客，去上海的列车快要进站了。"),
    ("en", "Number seven, please proceed to counter three."),
    ("en", "Your train to the airport is ten minutes late."),
)
_CALIBRATION_VOICES: dict[Lang, tuple[str, ...]] = {
    "zh": ("zf_xiaobei", "zm_yunxi"),
    "en": ("af_heart", "am_adam"),
}
_LEFT_OUT = frozenset({"zf_xiaoni"})  # its tones are not those of standard Chinese
_ACCENTS: dict[str, tuple[Lang, str]] = {
    "z": ("zh", "Mandarin Chinese"),
    "a": ("en", "American English"),
    "b": ("en", "British English"),
}
_GENDERS = {"f": "woman", "m": "man"}


@dataclass(frozen=True, slots=True)
class KokoroSource:
    """The published files: int8 ONNX export, vocabulary, folder of .bin style packs, hibari's assets."""

    onnx: Path
    vocab: Path
    voices: Path
    hibari_assets: Path


def convert(
    source: KokoroSource,
    out_dir: Path,
    progress: Callable[[str, float], None],
    weights: Weights = Weights.INT8,
) -> None:
    """Fill `out_dir` with a model folder; `progress` hears what is being done and the part done, 0..1.

    Raises ModelUnavailableError when a source is missing or is not what edged knows.
    """
    out_dir.mkdir(parents=True, exist_ok=True)
    progress("reading the export", 0.0)
    export = OnnxWeights(source.onnx)
    progress("building the networks", 0.05)
    _save_network(build_text_network(export), out_dir / TEXT_FILE)
    _save_network(build_frames_network(export), out_dir / FRAMES_FILE)
    generator = build_generator_network(export)
    _harmonics(export).save(out_dir / HARMONICS_FILE)
    progress("converting voices and dictionary", 0.15)
    voices = tuple(_convert_voices(source.voices, out_dir / VOICES_FOLDER))
    (out_dir / VOCABULARY_FILE).write_bytes(source.vocab.read_bytes())
    build_lexicon(source.hibari_assets, out_dir)
    spec = ModelSpec(
        name="kokoro-82m-v1.0",
        sample_rate_hz=SAMPLE_RATE_HZ,
        precision=PRECISIONS[weights],
        converter=CONVERTER_VERSION,
        generator_frames=_GENERATOR_FRAMES,
        voices=voices,
    )
    (out_dir / SPEC_FILE).write_text(spec.model_dump_json(indent=2) + "\n")
    if weights is Weights.W8A8:
        progress("calibrating", 0.4)
        cases = calibration_cases(ModelFiles(out_dir), _GENERATOR_FRAMES)
        quantize_residual_blocks(generator, cases, _GENERATOR_FRAMES)
    _save_network(generator, out_dir / GENERATOR_FILE)
    progress("done", 1.0)


def _harmonics(export: OnnxWeights) -> HarmonicMix:
    bias = export.float_array("decoder.decoder.generator.m_source.l_linear.bias")
    return HarmonicMix(export.float_array("onnx::MatMul_6993").ravel(), float(bias[0]))


def calibration_cases(files: ModelFiles, frames: int) -> Iterator[dict[str, FloatArray]]:
    """Generator inputs of each calibration sentence in each calibration voice of its language."""
    acoustic = AcousticModel(files, CpuSettings(threads=2))
    phonemizer = Phonemizer(files.folder)
    for lang, text in _CALIBRATION_TEXTS:
        phonemes = phonemizer.phonemes(Sentence(lang, text, 0))
        tokens = [files.vocabulary[symbol] for symbol in phonemes]
        for voice in _CALIBRATION_VOICES[lang]:
            style = np.asarray(files.style_pack(voice)[len(tokens) - 1])
            acoustics = acoustic([0, *tokens, 0], style, 1.0)
            span = speech_span(acoustics.energy)
            speech = slice(span.start, span.stop)
            source = excitation(acoustics.pitch_hz[speech], files.harmonics())
            yield padded_inputs(acoustics.features[:, speech], source, style, span.weights(), frames)


def _save_network(network: Any, path: Path) -> None:
    # the float values left are few; rounding them to float16 would shift the pitch for nothing
    ov.save_model(network, path, compress_to_fp16=False)


def _convert_voices(source: Path, target: Path) -> Iterator[VoiceEntry]:
    target.mkdir(exist_ok=True)
    names = [
        path.stem for path in source.glob("*.bin") if path.stem[0] in _ACCENTS and path.stem not in _LEFT_OUT
    ]
    missing = [name for name in _DEFAULTS if name not in names]
    if missing:
        raise ModelUnavailableError(
            f"{source}: no style pack {', '.join(missing)}", "edged model install kokoro --force"
        )
    for name in sorted(names, key=lambda name: (name not in _DEFAULTS, name)):
        pack = np.fromfile(source / f"{name}.bin", np.dtype("<f4"))
        if pack.size != STYLE_SHAPE[0] * STYLE_SHAPE[1]:
            raise ModelUnavailableError(
                f"{source / name}.bin: {pack.size} values, not {STYLE_SHAPE[0] * STYLE_SHAPE[1]}",
                "edged model install kokoro --force",
            )
        np.save(target / f"{name}.npy", pack.reshape(STYLE_SHAPE))
        lang, accent = _ACCENTS[name[0]]
        yield VoiceEntry(name=name, langs=(lang,), description=f"{_GENDERS[name[1]]}, {accent}")
