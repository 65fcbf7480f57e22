"""Every tensor of a checkpoint by its published name, and the shape it must have.

The names are the reference modules' `state_dict()` keys; the shapes follow from the configuration. One table
serves the converter (what is missing, unknown or of another shape) and whoever writes a checkpoint.
"""

from __future__ import annotations

from collections.abc import Iterator

from edged.engine.qwen3.config import ModelConfig, TransformerConfig, VocoderConfig

Shape = tuple[int, ...]
Layout = dict[str, Shape]

# parts of a checkpoint that speaking does not use: they are not checked and not converted
UNUSED_MODEL_PREFIXES = ("speaker_encoder.",)
UNUSED_TOKENIZER_PREFIXES = ("encoder.",)

_VOCODER_KERNEL = 7
_RESIDUAL_UNITS = 3


def model_layout(config: ModelConfig) -> Layout:
    """Tensors of `model.safetensors`: talker, text table with its projection, code predictor."""
    talker, predictor = config.talker_config, config.talker_config.code_predictor_config
    hidden, text = talker.hidden_size, talker.text_hidden_size
    layout = {
        "talker.model.text_embedding.weight": (talker.text_vocab_size, text),
        "talker.text_projection.linear_fc1.weight": (text, text),
        "talker.text_projection.linear_fc1.bias": (text,),
        "talker.text_projection.linear_fc2.weight": (hidden, text),
        "talker.text_projection.linear_fc2.bias": (hidden,),
        "talker.model.codec_embedding.weight": (talker.vocab_size, hidden),
        "talker.codec_head.weight": (talker.vocab_size, hidden),
        **dict(transformer_layout("talker.model.", talker)),
        **dict(transformer_layout("talker.code_predictor.model.", predictor)),
    }
    for group in range(predictor.num_code_groups - 1):
        embedding = f"talker.code_predictor.model.codec_embedding.{group}.weight"
        layout[embedding] = (predictor.vocab_size, hidden)
        layout[f"talker.code_predictor.lm_head.{group}.weight"] = (
            predictor.vocab_size,
            predictor.hidden_size,
        )
    if predictor.hidden_size != hidden:
        projection = "talker.code_predictor.small_to_mtp_projection."
        layout[f"{projection}weight"] = (predictor.hidden_size, hidden)
        layout[f"{projection}bias"] = (predictor.hidden_size,)
    return layout


def transformer_layout(prefix: str, config: TransformerConfig) -> Iterator[tuple[str, Shape]]:
    """Tensors of the talker's or the code predictor's layers and final norm."""
    hidden, wide = config.hidden_size, config.intermediate_size
    for index in range(config.num_hidden_layers):
        layer = f"{prefix}layers.{index}."
        yield f"{layer}input_layernorm.weight", (hidden,)
        yield f"{layer}self_attn.q_proj.weight", (config.query_size, hidden)
        yield f"{layer}self_attn.k_proj.weight", (config.key_size, hidden)
        yield f"{layer}self_attn.v_proj.weight", (config.key_size, hidden)
        yield f"{layer}self_attn.o_proj.weight", (hidden, config.query_size)
        yield f"{layer}self_attn.q_norm.weight", (config.head_dim,)
        yield f"{layer}self_attn.k_norm.weight", (config.head_dim,)
        yield f"{layer}post_attention_layernorm.weight", (hidden,)
        yield f"{layer}mlp.gate_proj.weight", (wide, hidden)
        yield f"{layer}mlp.up_proj.weight", (wide, hidden)
        yield f"{layer}mlp.down_proj.weight", (hidden, wide)
    yield f"{prefix}norm.weight", (hidden,)


def vocoder_layout(config: VocoderConfig) -> Layout:
    """Tensors of `speech_tokenizer/model.safetensors` that turn codes into samples."""
    return {
        **dict(_quantizer(config)),
        **dict(_pre_transformer(config)),
        **dict(_upsampling(config)),
        **dict(_waveform_decoder(config)),
    }


def _quantizer(config: VocoderConfig) -> Iterator[tuple[str, Shape]]:
    inner = config.codebook_dim // 2
    for name, count in (("rvq_first", 1), ("rvq_rest", config.num_quantizers - 1)):
        prefix = f"decoder.quantizer.{name}."
        yield f"{prefix}input_proj.weight", (inner, config.codebook_dim, 1)
        yield f"{prefix}output_proj.weight", (config.codebook_dim, inner, 1)
        for index in range(count):
            codebook = f"{prefix}vq.layers.{index}._codebook."
            yield f"{codebook}cluster_usage", (config.codebook_size,)
            yield f"{codebook}embedding_sum", (config.codebook_size, inner)


def _pre_transformer(config: VocoderConfig) -> Iterator[tuple[str, Shape]]:
    hidden, wide, latent = config.hidden_size, config.intermediate_size, config.latent_dim
    query, key = config.query_size, config.key_size
    yield from _linear("decoder.pre_conv.conv.", (latent, config.codebook_dim, 3))
    yield from _linear("decoder.pre_transformer.input_proj.", (hidden, latent))
    yield from _linear("decoder.pre_transformer.output_proj.", (latent, hidden))
    yield "decoder.pre_transformer.norm.weight", (hidden,)
    for index in range(config.num_hidden_layers):
        layer = f"decoder.pre_transformer.layers.{index}."
        yield f"{layer}input_layernorm.weight", (hidden,)
        yield f"{layer}self_attn.q_proj.weight", (query, hidden)
        yield f"{layer}self_attn.k_proj.weight", (key, hidden)
        yield f"{layer}self_attn.v_proj.weight", (key, hidden)
        yield f"{layer}self_attn.o_proj.weight", (hidden, query)
        yield f"{layer}self_attn_layer_scale.scale", (hidden,)
        yield f"{layer}post_attention_layernorm.weight", (hidden,)
        yield f"{layer}mlp.gate_proj.weight", (wide, hidden)
        yield f"{layer}mlp.up_proj.weight", (wide, hidden)
        yield f"{layer}mlp.down_proj.weight", (hidden, wide)
        yield f"{layer}mlp_layer_scale.scale", (hidden,)


def _upsampling(config: VocoderConfig) -> Iterator[tuple[str, Shape]]:
    latent = config.latent_dim
    for index, ratio in enumerate(config.upsampling_ratios):
        block = f"decoder.upsample.{index}."
        yield from _linear(f"{block}0.conv.", (latent, latent, ratio))
        yield from _linear(f"{block}1.dwconv.conv.", (latent, 1, _VOCODER_KERNEL))
        yield f"{block}1.norm.weight", (latent,)
        yield f"{block}1.norm.bias", (latent,)
        yield from _linear(f"{block}1.pwconv1.", (4 * latent, latent))
        yield from _linear(f"{block}1.pwconv2.", (latent, 4 * latent))
        yield f"{block}1.gamma", (latent,)


def _waveform_decoder(config: VocoderConfig) -> Iterator[tuple[str, Shape]]:
    width = config.decoder_dim
    yield from _linear("decoder.decoder.0.conv.", (width, config.latent_dim, _VOCODER_KERNEL))
    for index, rate in enumerate(config.upsample_rates, start=1):
        block, narrow = f"decoder.decoder.{index}.block.", width // 2
        yield from _snake(f"{block}0.", width)
        # a transposed convolution keeps its weight as [in, out, kernel]
        yield f"{block}1.conv.weight", (width, narrow, 2 * rate)
        yield f"{block}1.conv.bias", (narrow,)
        for unit in range(2, 2 + _RESIDUAL_UNITS):
            yield from _snake(f"{block}{unit}.act1.", narrow)
            yield from _linear(f"{block}{unit}.conv1.conv.", (narrow, narrow, _VOCODER_KERNEL))
            yield from _snake(f"{block}{unit}.act2.", narrow)
            yield from _linear(f"{block}{unit}.conv2.conv.", (narrow, narrow, 1))
        width = narrow
    last = len(config.upsample_rates) + 1
    yield from _snake(f"decoder.decoder.{last}.", width)
    yield from _linear(f"decoder.decoder.{last + 1}.conv.", (1, width, _VOCODER_KERNEL))


def _linear(prefix: str, shape: Shape) -> Iterator[tuple[str, Shape]]:
    yield f"{prefix}weight", shape
    yield f"{prefix}bias", shape[:1]


def _snake(prefix: str, channels: int) -> Iterator[tuple[str, Shape]]:
    yield f"{prefix}alpha", (channels,)
    yield f"{prefix}beta", (channels,)
