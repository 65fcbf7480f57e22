"""Qwen3-TTS checkpoints with random weights in the published file layout.

Seeded, numpy only, and accepted by the reference implementation as well as by edged: tiny ones for the parity
tests, full-size ones (`benchmarks/qwen3_checkpoint.py`) for speed and memory, which do not depend on values.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from itertools import islice, product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import safetensors
from numpy.typing import NDArray

from edged.engine.qwen3.config import ModelConfig, SpeechTokenizerConfig, VocoderConfig
from edged.engine.qwen3.layout import Layout, Shape, model_layout, vocoder_layout

Config = dict[str, Any]
Values = NDArray[np.float32]
Bits = NDArray[np.uint16]
Dtype = Literal["bfloat16", "float32"]
Progress = Callable[[str, float], None]

SPECIAL_TOKENS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|tts_pad|>", "<|tts_bos|>", "<|tts_eos|>")
_WORDS = ("assistant", "user", "hello", "gate", "open", "the", "is")
_PUBLISHED_MERGES = 151_643 - 256  # its tokens but the bytes
_HAN = (0x4E00, 0x9FA6)  # every character of the basic block becomes one token, as the common ones really are

LANGUAGES = {
    "chinese": 2055,
    "english": 2050,
    "german": 2053,
    "italian": 2070,
    "portuguese": 2071,
    "spanish": 2054,
    "japanese": 2058,
    "korean": 2064,
    "french": 2061,
    "russian": 2069,
    "beijing_dialect": 2074,
    "sichuan_dialect": 2062,
}
SPEAKERS = {
    "serena": 3066,
    "vivian": 3065,
    "uncle_fu": 3010,
    "ryan": 3061,
    "aiden": 2861,
    "ono_anna": 2873,
    "sohee": 2864,
    "eric": 2875,
    "dylan": 2878,
}
DIALECTS = {"eric": "sichuan_dialect", "dylan": "beijing_dialect"}
CODEC_IDS = {
    "codec_pad_id": 2148,
    "codec_bos_id": 2149,
    "codec_eos_token_id": 2150,
    "codec_think_id": 2154,
    "codec_nothink_id": 2155,
    "codec_think_bos_id": 2156,
    "codec_think_eos_id": 2157,
}

TINY_TALKER: Config = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "text_hidden_size": 48,
}
TINY_PREDICTOR: Config = {
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
}
TINY_VOCODER: Config = {
    "codebook_dim": 32,
    "latent_dim": 48,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 4,
    "head_dim": 8,
    "decoder_dim": 64,
    "sliding_window": 6,
}


def tiny_config(model_type: str = "custom_voice", *, wide_talker: bool = False) -> Config:
    """`config.json` of a model small enough for tests; `wide_talker` as in 1.7B: wider than its predictor."""
    talker = {**TINY_TALKER, **({"hidden_size": 80} if wide_talker else {})}
    return model_config(model_type, "tiny", talker, TINY_PREDICTOR, _vocabulary_size(_tiny_merges()))


def model_config(
    model_type: str, size: str, talker: Config, predictor: Config, text_vocab_size: int | None = None
) -> Config:
    """`config.json` with the published ids around the given shapes."""
    shared = {
        "attention_bias": False,
        "attention_dropout": 0.0,
        "hidden_act": "silu",
        "max_position_embeddings": 32768,
        "num_code_groups": 16,
        "rms_norm_eps": 1e-06,
        "rope_theta": 1000000,
    }
    named = model_type == "custom_voice"
    first_special = 151643 if text_vocab_size is None else text_vocab_size - len(SPECIAL_TOKENS)
    special = {name: first_special + index for index, name in enumerate(SPECIAL_TOKENS)}
    if text_vocab_size is None:
        special.update({"<|tts_pad|>": 151671, "<|tts_bos|>": 151672, "<|tts_eos|>": 151673})
    head_dim = talker["head_dim"]
    # the three sections of the interleaved mRoPE share head_dim / 2 as 24 : 20 : 20 do 64
    side = round(head_dim / 2 * 20 / 64)
    return {
        "architectures": ["Qwen3TTSForConditionalGeneration"],
        "model_type": "qwen3_tts",
        "tokenizer_type": "qwen3_tts_tokenizer_12hz",
        "tts_model_size": size,
        "tts_model_type": model_type,
        "im_start_token_id": special["<|im_start|>"],
        "im_end_token_id": special["<|im_end|>"],
        "tts_pad_token_id": special["<|tts_pad|>"],
        "tts_bos_token_id": special["<|tts_bos|>"],
        "tts_eos_token_id": special["<|tts_eos|>"],
        "talker_config": {
            **shared,
            **talker,
            **CODEC_IDS,
            "model_type": "qwen3_tts_talker",
            "vocab_size": 3072,
            "text_vocab_size": text_vocab_size or 151936,
            "codec_language_id": LANGUAGES,
            "spk_id": SPEAKERS if named else {},
            "spk_is_dialect": {name: DIALECTS.get(name, False) for name in SPEAKERS} if named else {},
            "rope_scaling": {
                "interleaved": True,
                "mrope_section": [head_dim // 2 - 2 * side, side, side],
                "rope_type": "default",
                "type": "default",
            },
            "code_predictor_config": {
                **shared,
                **predictor,
                "model_type": "qwen3_tts_talker_code_predictor",
                "vocab_size": 2048,
            },
        },
        "speaker_encoder_config": {"enc_dim": talker["hidden_size"], "sample_rate": 24000},
    }


def tokenizer_config(vocoder: Config | None = None) -> Config:
    """`speech_tokenizer/config.json`; the published shapes unless `vocoder` says otherwise."""
    published = {
        "codebook_size": 2048,
        "codebook_dim": 512,
        "latent_dim": 1024,
        "hidden_size": 512,
        "intermediate_size": 1024,
        "num_hidden_layers": 8,
        "num_attention_heads": 16,
        "num_key_value_heads": 16,
        "head_dim": 64,
        "decoder_dim": 1536,
        "sliding_window": 72,
        "num_quantizers": 16,
        "rope_theta": 10000,
        "rms_norm_eps": 1e-05,
        "hidden_act": "silu",
        "attention_bias": False,
        "attention_dropout": 0.0,
        "layer_scale_initial_scale": 0.01,
        "max_position_embeddings": 8000,
        "upsample_rates": [8, 5, 4, 3],
        "upsampling_ratios": [2, 2],
    }
    return {
        "model_type": "qwen3_tts_tokenizer_12hz",
        "encoder_valid_num_quantizers": 16,
        "input_sample_rate": 24000,
        "output_sample_rate": 24000,
        "decode_upsample_rate": 1920,
        "encode_downsample_rate": 1920,
        "decoder_config": {**published, **(vocoder or {})},
    }


def write_tiny_checkpoint(
    folder: Path,
    model_type: str = "custom_voice",
    *,
    wide_talker: bool = False,
    seed: int = 0,
    dtype: Dtype = "float32",
) -> Path:
    """A tiny checkpoint in `folder`, the published files and nothing else."""
    config = tiny_config(model_type, wide_talker=wide_talker)
    return write_checkpoint(
        folder, config, tokenizer_config(TINY_VOCODER), _tiny_merges(), seed=seed, dtype=dtype
    )


def write_checkpoint(
    folder: Path,
    config: Config,
    speech_tokenizer: Config,
    merges: list[tuple[str, str]],
    *,
    seed: int = 0,
    dtype: Dtype = "bfloat16",
    progress: Progress = lambda what, fraction: None,
) -> Path:
    """Write every file of a checkpoint. The same seed gives the same weights."""
    speech = folder / "speech_tokenizer"
    speech.mkdir(parents=True)
    _write_json(folder / "config.json", config)
    _write_json(folder / "generation_config.json", _generation_config())
    _write_json(speech / "config.json", speech_tokenizer)
    _write_tokenizer(folder, config, merges)
    layout = model_layout(ModelConfig.model_validate(config))
    vocoder = VocoderConfig.model_validate(speech_tokenizer["decoder_config"])
    SpeechTokenizerConfig.model_validate(speech_tokenizer)
    _write_weights(folder / "model.safetensors", layout, seed, dtype, progress)
    _write_weights(speech / "model.safetensors", vocoder_layout(vocoder), seed, "float32", progress)
    return folder


def published_merges() -> list[tuple[str, str]]:
    """As many byte-pair merges as the published vocabulary has: Han characters, then words of two of them."""
    characters = [chr(code) for code in range(*_HAN)]
    merges = _merges(characters)
    alphabet = byte_alphabet()
    tokens = ["".join(alphabet[byte] for byte in character.encode()) for character in characters]
    return merges + list(islice(product(tokens, tokens), _PUBLISHED_MERGES - len(merges)))


def _tiny_merges() -> list[tuple[str, str]]:
    return _merges([])


def _merges(characters: list[str]) -> list[tuple[str, str]]:
    """Merges from the left: each word and character is reached through its prefixes."""
    alphabet = byte_alphabet()
    merges: dict[tuple[str, str], None] = {}
    for word in (*_WORDS, *characters):
        symbols = [alphabet[byte] for byte in word.encode()]
        for index in range(1, len(symbols)):
            merges["".join(symbols[:index]), symbols[index]] = None
    return list(merges)


def byte_alphabet() -> dict[int, str]:
    """GPT-2's printable stand-in for each byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {
        **{byte: chr(byte) for byte in printable},
        **{byte: chr(256 + index) for index, byte in enumerate(others)},
    }


def _vocabulary_size(merges: list[tuple[str, str]]) -> int:
    return len(_vocabulary(merges)) + len(SPECIAL_TOKENS)


def _vocabulary(merges: list[tuple[str, str]]) -> dict[str, int]:
    tokens = [*byte_alphabet().values(), *(left + right for left, right in merges)]
    return {token: index for index, token in enumerate(tokens)}


def _write_tokenizer(folder: Path, config: Config, merges: list[tuple[str, str]]) -> None:
    _write_json(folder / "vocab.json", _vocabulary(merges))
    lines = ["#version: 0.2", *(f"{left} {right}" for left, right in merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ids = {
        "<|endoftext|>": config["im_start_token_id"] - 1,
        "<|im_start|>": config["im_start_token_id"],
        "<|im_end|>": config["im_end_token_id"],
        "<|tts_pad|>": config["tts_pad_token_id"],
        "<|tts_bos|>": config["tts_bos_token_id"],
        "<|tts_eos|>": config["tts_eos_token_id"],
    }
    added = {
        str(index): {
            "content": token,
            "lstrip": False,
            "normalized": False,
            "rstrip": False,
            "single_word": False,
            "special": True,
        }
        for token, index in ids.items()
    }
    _write_json(
        folder / "tokenizer_config.json",
        {
            "add_prefix_space": False,
            "added_tokens_decoder": added,
            "eos_token": "<|im_end|>",
            "pad_token": "<|endoftext|>",
            "errors": "replace",
            "model_max_length": 131072,
            "tokenizer_class": "Qwen2Tokenizer",
            "unk_token": None,
        },
    )


def _generation_config() -> Config:
    return {
        "do_sample": True,
        "temperature": 0.9,
        "top_k": 50,
        "top_p": 1.0,
        "repetition_penalty": 1.05,
        "subtalker_dosample": True,
        "subtalker_temperature": 0.9,
        "subtalker_top_k": 50,
        "subtalker_top_p": 1.0,
        "max_new_tokens": 8192,
    }


def _write_weights(path: Path, layout: Layout, seed: int, dtype: Dtype, progress: Progress) -> None:
    arrays: dict[str, Values | Bits] = {}
    for index, (name, shape) in enumerate(layout.items()):
        progress(f"{path.parent.name}/{path.name}", index / len(layout))
        values = random_tensor(name, shape, np.random.default_rng([seed, zlib.crc32(name.encode())]))
        arrays[name] = values if dtype == "float32" else _bfloat16(values)
    # `arrays` outlives the call that reads them by address
    specs = {
        name: safetensors.TensorSpec(
            dtype=dtype, shape=array.shape, data_ptr=array.ctypes.data, data_len=array.nbytes
        )
        for name, array in arrays.items()
    }
    safetensors.serialize_file(specs, str(path), {"format": "pt"})


def random_tensor(name: str, shape: Shape, rng: np.random.Generator) -> Values:
    """Values under which signals neither vanish nor blow up, so that a wrong product is heard."""
    noise = rng.standard_normal(shape, np.float32)
    match name.rsplit(".", 2)[-2:]:
        case [*_, "cluster_usage"]:
            return np.abs(noise) + 1
        case [*_, "alpha" | "beta"]:
            return noise * 0.3
        case [*_, "scale" | "gamma"]:
            return noise * 0.3
        case [*_, "bias"]:
            return noise * 0.1
        case [owner, _] if "norm" in owner:
            return 1 + noise * 0.1
        case [*_, "embedding_sum"]:
            return noise
        case _ if "embedding" in name:
            return noise * 0.5
    fan_in = int(np.prod(shape[1:])) if len(shape) > 1 else shape[0]
    if (".upsample." in name and name.endswith("0.conv.weight")) or ".block.1.conv." in name:
        fan_in = shape[0] * 2  # a transposed convolution: [in, out, kernel], two taps meet in a sample
    return noise * np.float32(_gain(name, shape) / np.sqrt(fan_in))


def _gain(name: str, shape: Shape) -> float:
    if "head" in name:
        return 3.0  # distributions with a clear winner
    if shape[0] == 1:
        return 0.1  # the last convolution: samples stay within the clamp
    return 0.3 if ".conv2." in name else 1.0  # residual units that do not double the signal each


def _bfloat16(values: Values) -> Bits:
    """The upper halves of float32 values, rounded to nearest even on the 16 bits that go."""
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def _write_json(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
