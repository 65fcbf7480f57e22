"""Every setting of edged, documented once: config/edged.yaml is generated from here.

All models are frozen and refuse unknown keys. A field's `description` becomes its comment in the
generated file, so it says what the key does and why its default is what it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
EngineName = Literal["kokoro", "qwen3", "tone"]
CpuSet = Annotated[str, Field(pattern=r"^(\d+(-\d+)?(,\d+(-\d+)?)*)?$")]
PresetName = Literal["flat", "quiet_room", "hall", "noisy", "horn"]
MAIN_OUTPUT = "main"


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


class DeviceConfig(_Section):
    """Who this board is on the broker."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{0,64}$")] = Field(
        "",
        description="Device name in every topic (edged/<id>/speak). Empty: edged- and eight digits made of "
        "the machine id, so that boards cloned with one host name differ.",
    )
    groups: tuple[Identifier, ...] = Field(
        (), description="Also listen on edged/group/<name>/speak for each of these names."
    )

    @model_validator(mode="after")
    def _name_is_not_an_address_of_many(self) -> DeviceConfig:
        if self.id in ("all", "group"):
            raise ValueError(f"id = {self.id!r} addresses many devices; choose another name")
        return self


class MqttConfig(_Section):
    """The broker."""

    host: str = Field("localhost", min_length=1, description="Host name or address of the broker.")
    port: int = Field(1883, ge=1, le=65535, description="Port of the broker.")
    base_topic: Annotated[str, Field(pattern=r"^[^#+\x00]+$")] = Field(
        "edged", description="First level(s) of every topic."
    )
    username: str = Field("", description="User name; empty: anonymous.")
    password_file: Path | None = Field(
        None,
        description="File that holds the password. Unset: the systemd credential mqtt-password, if any.",
    )
    version: Literal["5", "3.1.1"] = Field(
        "5", description="Protocol version; 3.1.1 for brokers that know no other (no expiry, no will delay)."
    )
    tls: bool = Field(False, description="Encrypt the connection (port is usually 8883 then).")
    ca_file: Path | None = Field(None, description="Certificates to trust (PEM). Unset: those of the system.")
    cert_file: Path | None = Field(
        None, description="Our certificate (PEM), for brokers that ask clients for one."
    )
    key_file: Path | None = Field(
        None,
        description="Its private key (PEM, not encrypted). Unset: the systemd credential mqtt-key, if any, "
        "else in cert_file.",
    )
    keepalive_s: int = Field(
        20, ge=5, le=3600, description="Ping interval; a dead link is noticed after 1.5 times this."
    )
    session_expiry_s: int = Field(
        86400,
        ge=0,
        description="How long the broker keeps requests while we are away (a day: a night off).",
    )

    @model_validator(mode="after")
    def _certificates_need_tls(self) -> MqttConfig:
        given = [name for name in ("ca_file", "cert_file", "key_file") if getattr(self, name) is not None]
        if given and not self.tls:
            raise ValueError(f"{', '.join(given)}: without effect, tls is off")
        return self


class OutputConfig(_Section):
    """A device, and what is done to the sound for it."""

    device: str = Field(
        "default",
        min_length=1,
        description="ALSA PCM name, best a stable one (plughw:CARD=PCH); `aplay -L` lists them.",
    )
    rate_hz: int = Field(
        48000,
        ge=8000,
        le=192000,
        description="Rate asked of the device; speech is resampled once to the rate it grants.",
    )
    channels: int = Field(2, ge=1, le=8, description="Channels asked of the device.")
    channels_used: Literal["all", "left", "right"] | tuple[Annotated[int, Field(ge=0, le=7)], ...] = Field(
        "all",
        description="Those that speak, the others are silent: all, left, right, or numbers counted from 0 as "
        "in [0, 2].",
    )
    period_ms: int = Field(
        20,
        ge=5,
        le=200,
        description="ALSA period: how often the device wants data. More than 26 is asked for as 26: a stop "
        "must be heard within 100 ms.",
    )
    buffer_ms: int = Field(
        240,
        ge=20,
        le=2000,
        description="ALSA buffer: how long playback survives a stall of the player (240 ms: twelve periods).",
    )
    preset: PresetName = Field(
        "flat",
        description="Sound for the place: flat changes nothing; quiet_room, hall, noisy and horn make speech "
        "easier to understand there.",
    )
    gain_db: float = Field(
        0.0,
        ge=-60.0,
        le=12.0,
        description="Louder or softer than the device's volume says, for outputs that differ. Whatever it "
        "is, nothing is played above -1 dB of full scale.",
    )
    mixer: str = Field(
        "auto",
        min_length=1,
        description="Element of the card's mixer that sets the device's volume: auto finds one (Master, PCM, "
        "Speaker, Headphone ...), none leaves the card alone and turns down the samples.",
    )
    dither: bool = Field(
        False,
        description="A noise of one step instead of rounding errors, heard at most from a good amplifier "
        "behind a 16-bit card that is turned down in software. Off: samples are as the voice made them.",
    )
    idle: Literal["keep_open", "close_after", "keepalive"] = Field(
        "close_after",
        description="When nothing plays: close_after lets other programs have the card after a while, "
        "keep_open never does, keepalive plays noise so soft that only an amplifier notices, which would "
        "switch itself off in silence.",
    )
    close_after_s: float = Field(
        2.0,
        ge=0.0,
        le=86400.0,
        description="... after so long (2 s: a counter's next call finds the card warm).",
    )
    keepalive_db: float = Field(
        -80.0,
        ge=-90.0,
        le=-40.0,
        description="Level of that noise, below full scale (-80: softer than a quiet room; -90 is the least "
        "that 16 bits can carry).",
    )
    lead_in_ms: int = Field(
        0,
        ge=0,
        le=5000,
        description="Silence before the first sample whenever the device was idle, for amplifiers, screens "
        "and wireless links that swallow the first word; a second or less is usual.",
    )

    @model_validator(mode="after")
    def _channels_exist(self) -> OutputConfig:
        used = self.channels_used
        if not used or (isinstance(used, tuple) and max(used) >= self.channels):
            last = self.channels - 1
            raise ValueError(f"channels_used = {list(used)}: numbers from 0 to {last}, at least one")
        return self

    @model_validator(mode="after")
    def _buffer_holds_two_periods(self) -> OutputConfig:
        if self.buffer_ms < 2 * self.period_ms:
            raise ValueError(
                f"buffer_ms = {self.buffer_ms} holds less than two periods of {self.period_ms} ms"
            )
        return self


class AudioConfig(OutputConfig):
    """Where the sound goes, and how loud it is made before it goes there."""

    loudness_lufs: float = Field(
        -16.0,
        ge=-40.0,
        le=-10.0,
        description="Loudness of every voice and clip (ITU-R BS.1770, mono) at full volume, the "
        "same for all outputs. -16: as loud as the peaks of speech allow.",
    )


class SpeechConfig(_Section):
    """The voice."""

    engine: EngineName = Field(
        "kokoro",
        description="kokoro: the small voice, for every board; qwen3: the large one, for boards that are "
        "fast enough (edged bench); tone: sine tones, no model (tests, first boot).",
    )
    qwen3_model: Annotated[str, Field(pattern=r"^qwen3-tts-[a-z0-9.-]{1,40}$")] = Field(
        "qwen3-tts-0.6b-customvoice",
        description="Which installed model the engine qwen3 speaks with; `edged model list` shows them.",
    )
    model: Path | None = Field(
        None,
        description="Model folder to use instead of the active one (to try out a conversion).",
    )
    voice_zh: str = Field(
        "",
        description="Voice for Chinese; `edged voices` lists them. Empty: the engine's own (kokoro: "
        "zf_xiaobei).",
    )
    voice_en: str = Field("", description="Voice for English. Empty: the engine's own (kokoro: af_heart).")
    speed: float = Field(1.0, ge=0.5, le=2.0, description="Pace: 1.0 is the voice's own.")
    chime: str = Field(
        "none",
        min_length=1,
        max_length=256,
        description="Chime before announcements that ask for none of their own: a name of `edged chimes` or "
        'a file of clips_dir; "under:NAME" goes on under the words.',
    )
    max_text_chars: int = Field(
        4000, ge=1, le=20000, description="Longer texts are rejected as too_long (4000: about 15 minutes)."
    )
    cache_mb: int = Field(
        64,
        ge=0,
        le=100_000,
        description="What was said once is not synthesised again: so much of paths.cache_dir may be taken by "
        "spoken phrases (64: 23 minutes of them). 0: none are kept.",
    )
    max_ahead_s: float = Field(
        30.0,
        ge=2.0,
        le=600.0,
        description="Synthesis stays at most this far ahead of playback, so that a stop wastes little.",
    )


class TextConfig(_Section):
    """How texts are read."""

    comma_ms: int = Field(
        300,
        ge=0,
        le=5000,
        description="Pause at a comma where a long sentence is cut (the voice makes others).",
    )
    full_stop_ms: int = Field(600, ge=0, le=5000, description="Pause between two sentences.")


class QueueConfig(_Section):
    """What waits, and what is let in."""

    max_waiting: int = Field(
        100, ge=1, le=10000, description="Further requests are answered `rejected: queue_full`."
    )
    rate_limit_per_s: float = Field(
        0.0,
        ge=0.0,
        le=10000.0,
        description="Requests per second let in on each speak topic; more are `rejected: rate_limited`, an "
        "emergency never. 0: no limit.",
    )
    rate_burst: int = Field(
        20, ge=1, le=10000, description="As many may come at once before rate_limit_per_s counts."
    )
    part_timeout_s: float = Field(
        30.0,
        ge=1.0,
        le=3600.0,
        description="How long an announcement that comes in parts waits for its next one.",
    )
    quiet_hours: Annotated[str, Field(pattern=r"^(([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d)?$")] = (
        Field(
            "",
            description='Local time in which requests are answered `muted`, like "22:00-06:30". Empty: none.',
        )
    )
    emergency_overrides_mute: bool = Field(
        True, description="An emergency is spoken although the device is muted or the hours are quiet."
    )


class ThreadsConfig(_Section):
    """Who runs where. CPU sets look like `0-2` or `0,2`; empty: no restriction."""

    synth: int = Field(
        0,
        ge=0,
        le=64,
        description="OpenVINO threads; 0: as many as the cores left by the player. Never more than those.",
    )
    synth_cpus: CpuSet = Field("", description="CPUs of the synth process.")
    player_cpus: CpuSet = Field("", description="CPUs of the player process.")
    pin: bool = Field(
        False, description="Let OpenVINO pin its threads to cores (helps on otherwise idle boards only)."
    )


class ThermalConfig(_Section):
    """Heat: levels by the hottest CPU sensor. Boards without sensors stay nominal."""

    warm_c: float = Field(80.0, description="From here on: fewer threads between sentences.")
    hot_c: float = Field(90.0, description="From here on: no background work.")
    critical_c: float = Field(
        98.0, description="From here on: only `high` and `emergency` are spoken, the rest is `overheated`."
    )
    hysteresis_c: float = Field(
        5.0, ge=0.5, le=30.0, description="A level is left only this far below its threshold."
    )
    poll_s: float = Field(5.0, ge=0.1, le=300.0, description="How often the sensors are read.")

    @model_validator(mode="after")
    def _levels_rise(self) -> ThermalConfig:
        if not self.warm_c < self.hot_c < self.critical_c:
            raise ValueError(
                f"levels must rise: warm_c {self.warm_c}, hot_c {self.hot_c}, critical_c {self.critical_c}"
            )
        return self


class PathsConfig(_Section):
    """Where things are kept. Relative paths start at the configuration file's folder."""

    models_dir: Path = Field(Path("/var/lib/edged/models"), description="Installed models.")
    voices_dir: Path = Field(
        Path("/var/lib/edged/voices"),
        description="Cloned voices for the Base models of Qwen3-TTS: a speaker embedding each, NAME.npy.",
    )
    state_dir: Path = Field(
        Path("/var/lib/edged"), description="The journal: what was accepted and answered."
    )
    cache_dir: Path = Field(
        Path("/var/cache/edged"),
        description="Compiled networks and spoken phrases; may be deleted at any time.",
    )
    clips_dir: Path = Field(
        Path("/var/lib/edged/clips"), description="WAV files that announcements may contain, by name."
    )
    templates_dir: Path = Field(
        Path("/etc/edged/templates"), description="Announcement templates of this site (*.yaml)."
    )
    lexicon: Path = Field(
        Path("/etc/edged/lexicon.yaml"),
        description="Words of this site and how they are said; read again when it changes.",
    )
    runtime_dir: Path = Field(Path("/run/edged"), description="The local status socket.")


class HomeAssistantConfig(_Section):
    """Home Assistant finds the device by itself (MQTT discovery)."""

    discovery: bool = Field(True, description="Publish the retained discovery record.")
    prefix: Annotated[str, Field(pattern=r"^[^#+\x00]+$")] = Field(
        "homeassistant",
        description="Home Assistant's discovery prefix; its birth message is <prefix>/status.",
    )


class LogConfig(_Section):
    """The log goes to standard error; systemd keeps it in the journal."""

    level: Literal["debug", "info", "warning", "error"] = Field("info", description="How much is told.")


class Config(_Section):
    """The whole configuration."""

    device: DeviceConfig = DeviceConfig()
    mqtt: MqttConfig = MqttConfig()
    audio: AudioConfig = AudioConfig()
    outputs: dict[Identifier, OutputConfig] = Field(
        {},
        description="Further outputs by name, each with the keys of audio but loudness_lufs; audio itself "
        "is the output main. A request chooses one: {hall: {device: 'plughw:CARD=Hall', preset: hall}}.",
    )
    speech: SpeechConfig = SpeechConfig()
    text: TextConfig = TextConfig()
    queue: QueueConfig = QueueConfig()
    threads: ThreadsConfig = ThreadsConfig()
    thermal: ThermalConfig = ThermalConfig()
    paths: PathsConfig = PathsConfig()
    homeassistant: HomeAssistantConfig = HomeAssistantConfig()
    log: LogConfig = LogConfig()

    @model_validator(mode="after")
    def _main_is_audio(self) -> Config:
        if MAIN_OUTPUT in self.outputs:
            raise ValueError(f"outputs.{MAIN_OUTPUT}: the output of this name is audio; choose another name")
        return self

    @property
    def all_outputs(self) -> dict[str, OutputConfig]:
        """Every output by its name, `main` first."""
        return {MAIN_OUTPUT: self.audio, **self.outputs}
