"""The reference implementation of Qwen3-TTS on a checkpoint folder; runs in `.venv-reference` only.

The `qwen_tts` package imports audio libraries and a web interface on the way to its networks. Only the
modules of the networks are imported here; what they import of the rest is replaced by empty stand-ins.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np

# installed in .venv-reference only
import torch  # type: ignore[import-not-found]
from numpy.typing import NDArray
from safetensors.torch import load_file
from transformers import AutoTokenizer, GenerationConfig  # type: ignore[import-not-found]
from transformers.modeling_utils import no_init_weights  # type: ignore[import-not-found]

from edged.engine.qwen3.sampler import gumbel

Floats = NDArray[np.float32]
Codes = NDArray[np.int64]

_UNUSED = ("speaker_encoder.", "encoder.")
_ASSISTANT = "<|im_start|>assistant\n"


@dataclass(frozen=True, slots=True)
class Request:
    """What to say; the arguments of the package's three `generate_…` methods."""

    text: str
    language: str = "auto"
    speaker: str | None = None
    instruct: str | None = None
    x_vector: Floats | None = None
    streaming_text: bool = False


@dataclass(slots=True)
class Utterance:
    """What the reference did with a request.

    `embeds` [T, H], `trailing` [n, H] and `pad` [H] are what it fed the talker; `codes` [frames, 16];
    `hidden` [frames, H] after the final norm, before each frame; `margins` [frames] how far the runner-up of
    the frame's closest choice was behind, in logits after the processors; `ended`: by itself, with EOS.
    """

    embeds: Floats
    trailing: Floats
    pad: Floats
    codes: Codes = field(default_factory=lambda: np.empty((0, 16), np.int64))
    hidden: Floats = field(default_factory=lambda: np.empty((0, 0), np.float32))
    margins: Floats = field(default_factory=lambda: np.empty(0, np.float32))
    ended: bool = False


class Reference:
    """The reference's networks with a checkpoint's weights, on the CPU."""

    def __init__(self, checkpoint: Path, dtype: torch.dtype = torch.float32) -> None:
        models, codec = _import_networks()
        config = models.Qwen3TTSConfig(**_read_json(checkpoint / "config.json"))
        self.model = _build(models.Qwen3TTSForConditionalGeneration, config, dtype)
        _load(self.model, checkpoint / "model.safetensors")
        speech = checkpoint / "speech_tokenizer"
        decoder_config = codec.Qwen3TTSTokenizerV2DecoderConfig(
            **_read_json(speech / "config.json")["decoder_config"]
        )
        self.vocoder = _build(codec.Qwen3TTSTokenizerV2Decoder, decoder_config, dtype)
        _load(self.vocoder, speech / "model.safetensors", "decoder.")
        self.hidden_size: int = config.talker_config.hidden_size
        self.vocab_size: int = config.talker_config.vocab_size
        self.eos: int = config.talker_config.codec_eos_token_id
        self._tokenizer = AutoTokenizer.from_pretrained(checkpoint)

    def speak(self, request: Request, frames: int, rng: np.random.Generator | None = None) -> Utterance:
        """Generate up to `frames` frames: greedily, or drawn with the default settings."""
        recorder = _Recorder(self.model.talker, rng)
        with patch.object(self.model.talker, "generate", recorder.generate):
            codes, hidden = self.generate(request, frames, sample=rng is not None)
        utterance = recorder.utterance
        utterance.codes, utterance.hidden = codes.numpy(), hidden.float().numpy()
        utterance.margins = utterance.margins[: len(codes)]
        return utterance

    def generate(
        self, request: Request, frames: int, *, sample: bool, may_end: bool = True
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The codes [n, 16] and the talker's hidden states [n, H] of up to `frames` frames.

        Exactly so many if it may not end by itself; EOS is then a code like any other.
        """
        instruct = f"<|im_start|>user\n{request.instruct}<|im_end|>\n"
        with torch.inference_mode():
            codes, hidden = self.model.generate(
                input_ids=[self._ids(f"{_ASSISTANT}{request.text}<|im_end|>\n{_ASSISTANT}")],
                instruct_ids=[self._ids(instruct) if request.instruct else None],
                voice_clone_prompt=_clone_prompt(request.x_vector),
                languages=[request.language],
                speakers=[request.speaker],
                non_streaming_mode=not request.streaming_text,
                max_new_tokens=frames + 1,  # the last code 0 is chosen, and its frame is not completed
                do_sample=sample,
                subtalker_dosample=sample,
                # the last id of the codec vocabulary is never chosen
                eos_token_id=None if may_end else self.vocab_size - 1,
            )
        return codes[0], hidden[0]

    def vocode(self, codes: Codes) -> Floats:
        """The samples [n * 1920] of `codes` [n, 16], all at once."""
        with torch.inference_mode():
            samples: Floats = self.vocoder(torch.from_numpy(codes.T.copy())[None])[0, 0].float().numpy()
        return samples

    def scores(self, logits: Floats, history: list[int], **settings: Any) -> Floats:
        """`logits` [vocab] after the library's processors, in its order, under the talker's settings."""
        first_suppressed = self.vocab_size - 1024  # what is not a code of the vocoder
        suppressed = [code for code in range(first_suppressed, self.vocab_size) if code != self.eos]
        generation = GenerationConfig(
            do_sample=True,
            min_new_tokens=2,
            eos_token_id=self.eos,
            suppress_tokens=suppressed,
            **settings,
        )
        generation._eos_token_tensor = torch.tensor([self.eos])  # as `generate` prepares it
        processors = self.model.talker._get_logits_processor(generation, input_ids_seq_length=0, device="cpu")
        ids = torch.tensor([history], dtype=torch.long)
        processed: Floats = processors(ids, torch.from_numpy(logits.copy())[None])[0].numpy()
        return processed

    def _ids(self, text: str) -> torch.Tensor:
        return self._tokenizer(text, return_tensors="pt")["input_ids"]


class _Recorder:
    """Listens to one generation: what the talker was fed, and how close every choice was.

    With `rng`, codes are not drawn by torch's random numbers but as edged draws them: the largest of
    logarithm and Gumbel noise, which is a draw from the same distribution.
    """

    def __init__(self, talker: Any, rng: np.random.Generator | None) -> None:
        self._generate: Callable[..., Any] = talker.generate
        self._rng = rng
        self._margins: list[float] = []
        self.utterance: Utterance

    def generate(self, **arguments: Any) -> Any:
        """In place of the talker's own method."""
        with patch.multiple(torch, argmax=self._largest, multinomial=self._drawn):
            result = self._generate(**arguments)
        width = int(result.hidden_states[-1][-1].shape[-1])  # choices a frame
        margins = self._margins[: len(self._margins) // width * width]
        self.utterance = Utterance(
            embeds=arguments["inputs_embeds"][0].float().numpy(),
            trailing=arguments["trailing_text_hidden"][0].float().numpy(),
            pad=arguments["tts_pad_embed"][0, 0].float().numpy(),
            margins=np.asarray(margins, np.float32).reshape(-1, width).min(axis=1),
            ended=int(result.sequences[0, -1]) == arguments["eos_token_id"],
        )
        return result

    def _largest(self, scores: torch.Tensor, dim: int) -> torch.Tensor:
        best = torch.topk(scores[0].float(), 2)
        self._margins.append(float(best.values[0] - best.values[1]))
        return best.indices[:1]

    def _drawn(self, probabilities: torch.Tensor, num_samples: int) -> torch.Tensor:
        assert self._rng is not None, "the request is to be spoken greedily"
        noise = torch.from_numpy(gumbel(self._rng, (probabilities.shape[-1],)))
        return self._largest(torch.log(probabilities) + noise, dim=-1)[None]


@functools.cache
def _import_networks() -> tuple[ModuleType, ModuleType]:
    """The modules of talker and code predictor, and of the vocoder."""
    spec = importlib.util.find_spec("qwen_tts")
    if spec is None or spec.submodule_search_locations is None:
        raise ModuleNotFoundError("qwen_tts is not installed; run tests/reference/setup.sh")
    root = Path(spec.submodule_search_locations[0])
    for package in ("", ".core", ".core.models", ".core.tokenizer_12hz", ".inference"):
        # a package by its path alone: its __init__ does not run
        _stand_in(f"qwen_tts{package}", __path__=[str(root.joinpath(*package.split(".")))])
    _stand_in("qwen_tts.inference.qwen3_tts_tokenizer", Qwen3TTSTokenizer=None)
    _stand_in("librosa")
    _stand_in("librosa.filters", mel=None)
    return (
        importlib.import_module("qwen_tts.core.models.modeling_qwen3_tts"),
        importlib.import_module("qwen_tts.core.tokenizer_12hz.modeling_qwen3_tts_tokenizer_v2"),
    )


def _stand_in(name: str, **attributes: object) -> None:
    module = ModuleType(name)
    vars(module).update(attributes)
    sys.modules[name] = module


def _build(network: Any, config: Any, dtype: torch.dtype) -> Any:
    with no_init_weights():
        return network._from_config(config, dtype=dtype, attn_implementation="sdpa").eval()


def _load(network: torch.nn.Module, path: Path, prefix: str = "") -> None:
    """Every weight of `network` from the file, and none left over in the file."""
    tensors = {
        name.removeprefix(prefix): tensor
        for name, tensor in load_file(path).items()
        if not name.startswith(_UNUSED)
    }
    result = network.load_state_dict(tensors, strict=False)
    missing = [name for name in result.missing_keys if not name.startswith(_UNUSED)]
    if missing or result.unexpected_keys:
        raise ValueError(f"{path}: missing {missing}, unexpected {result.unexpected_keys}")


def _clone_prompt(x_vector: Floats | None) -> dict[str, list[Any] | None] | None:
    if x_vector is None:
        return None
    return {
        "ref_code": None,
        "ref_spk_embedding": [torch.from_numpy(x_vector)],
        "x_vector_only_mode": [True],
        "icl_mode": [False],
    }


def _read_json(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return data
