"""What `edged doctor` sees of the sound: cards, PCMs, and each output with a tone to be heard."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from edged.audio.cards import card_number, stable_name
from edged.audio.chime_sound import chime_samples
from edged.cli.findings import Finding, Section, Severity, look
from edged.cli.output_options import with_output
from edged.cli.playback import PlayerClient, open_player
from edged.cli.realtime_check import check_realtime
from edged.config.schema import MAIN_OUTPUT, Config, OutputConfig
from edged.errors import DaemonUnreachableError
from edged.io.sound_files import holders, read_cards
from edged.io.status_socket import read_status
from edged.workers.messages import PlayerReady

SILENT = "nothing can be heard"
_TONE, _TONE_HZ = "three-tone", 48000
_NEARLY = 0.9  # cards round a buffer to what they can do


def examine_audio(config: Config, tone: bool) -> Iterator[Section]:
    """Sections: cards, PCMs, the player's priority, and each output, which is heard with `tone`."""
    yield look("cards", _cards)
    yield look("pcms", _pcms)
    yield look("realtime", partial(check_realtime, config.paths.runtime_dir))
    for name in config.all_outputs:
        yield look(name, partial(_output, config, name, tone), SILENT)


def check_outputs(config: Config) -> Iterator[Finding]:
    """Every output, without a sound."""
    for name in config.all_outputs:
        yield from _output(config, name, tone=False)


def _cards() -> Iterator[Finding]:
    cards = read_cards()
    for number, card_id in cards.items():
        yield Finding(f"card {number}: {card_id}, as in plughw:CARD={card_id}")
    if not cards:
        yield Finding(
            "no sound card",
            "the kernel has found none, or does not show it here",
            "plug it in; lsusb and dmesg say whether the kernel sees it",
            Severity.WARN,
        )
    for holder in holders():
        yield Finding(f"{holder} has a card open")


def _pcms() -> Iterator[Finding]:
    # takes a while to load, and is nothing for the daemon's process
    from edged.io.alsa import pcm_names

    yield Finding(", ".join(pcm_names()) or "none")


def _output(config: Config, name: str, tone: bool) -> Iterator[Finding]:
    """What is configured, then what the device makes of it. Raises AudioUnavailableError, AudioLostError."""
    asked = config.all_outputs[name]
    yield from _number(asked.device)
    yield from _mixer(asked)  # before a player opens the device
    try:
        status = read_status(config.paths.runtime_dir)
    except DaemonUnreachableError:
        with open_player(with_output(config, name)) as player:
            yield from _granted(asked, player.ready)
            if tone:
                yield _heard(player)
    else:
        yield from _left_alone(asked, name, status["audio"], tone)


def _number(device: str) -> Iterator[Finding]:
    if card_number(device) is not None:
        better = stable_name(device, read_cards())
        yield Finding(
            f"{device} names a card by its number",
            "numbers change when a card is added or slow to appear",
            f"device: {better}" if better else "a stable name such as plughw:CARD=PCH (aplay -L)",
            Severity.WARN,
        )


def _mixer(asked: OutputConfig) -> Iterator[Finding]:
    from edged.io.mixer import read_mixer

    mixer = read_mixer(asked)
    if mixer is None:
        yield Finding("no mixer: the samples are turned down instead")
        return
    level = f"{mixer.percent} %" if mixer.db is None else f"{mixer.db:.1f} dB"
    if mixer.is_muted or not mixer.percent:
        fix = f"alsamixer; amixer sset {mixer.element} unmute"
        yield Finding(f"mixer {mixer.element}: {level}, muted", SILENT, fix, Severity.WARN)
    else:
        yield Finding(f"mixer {mixer.element}: {level}, not muted")


def _granted(asked: OutputConfig, granted: PlayerReady) -> Iterator[Finding]:
    yield Finding(
        f"{granted.device}: {granted.rate_hz} Hz, {granted.channels} channels, {granted.format}, "
        f"period {granted.period_ms:.0f} ms, buffer {granted.buffer_ms:.0f} ms"
    )
    if granted.rate_hz != asked.rate_hz or granted.channels != asked.channels:
        yield Finding(
            f"{asked.rate_hz} Hz and {asked.channels} channels were asked for",
            "speech is converted to what the device grants; the pitch is right",
        )
    if granted.buffer_ms < _NEARLY * asked.buffer_ms:
        yield Finding(f"a buffer of {asked.buffer_ms} ms was asked for", "shorter stalls are heard")


def _heard(player: PlayerClient) -> Finding:
    playback = player.play([chime_samples(_TONE, _TONE_HZ)], _TONE_HZ)
    if playback.xruns:
        return Finding(
            f"a tone of {playback.audio_s:.1f} s was played with {playback.xruns} xruns",
            "the device ran dry: the CPU was too busy, or the device lies about its buffer",
            "a larger buffer_ms; threads.player_cpus; LimitRTPRIO in edged.service",
            Severity.WARN,
        )
    return Finding(
        f"a tone of {playback.audio_s:.1f} s was played",
        fix="was it not heard? alsamixer (MM is mute), amplifier, cable",
    )


def _left_alone(
    asked: OutputConfig, name: str, playing: dict[str, Any] | None, tone: bool
) -> Iterator[Finding]:
    """A running daemon has the device: it is asked, not robbed."""
    if name == MAIN_OUTPUT and playing is not None:
        yield from _granted(asked, PlayerReady.model_validate(playing))
    elif name == MAIN_OUTPUT:
        yield Finding(
            f"the running daemon has no sound on {asked.device}", SILENT, "edged status", Severity.FAIL
        )
    else:
        yield Finding(f"{asked.device}: left to the running daemon")
    if tone:
        to = "" if name == MAIN_OUTPUT else f" --output {name}"
        yield Finding("no tone: the running daemon has the device", fix=f"edged say test --via mqtt{to}")
