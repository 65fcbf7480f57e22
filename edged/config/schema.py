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


class AudioConfig(_Section):
    """Where the sound goes."""

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
    channels: int = Field(
        2, ge=1, le=8, description="Channels asked of the device; speech is sent to all of them."
    )
    period_ms: int = Field(20, ge=5, le=200, description="ALSA period: how often the device wants data.")
    buffer_ms: int = Field(
        240,
        ge=20,
        le=2000,
        description="ALSA buffer: how long playback survives a stall of the player (240 ms: twelve periods).",
    )

    @model_validator(mode="after")
    def _buffer_holds_two_periods(self) -> AudioConfig:
        if self.buffer_ms < 2 * self.period_ms:
            raise ValueError(
                f"buffer_ms = {self.buffer_ms} holds less than two periods of {self.period_ms} ms"
            )
        return self


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
    max_text_chars: int = Field(
        4000, ge=1, le=20000, description="Longer texts are rejected as too_long (4000: about 15 minutes)."
    )
    max_ahead_s: float = Field(
        30.0,
        ge=2.0,
        le=600.0,
        description="Synthesis stays at most this far ahead of playback, so that a stop wastes little.",
    )


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
        Path("/var/cache/edged"), description="Compiled networks; may be deleted at any time."
    )
    clips_dir: Path = Field(
        Path("/var/lib/edged/clips"), description="WAV files that announcements may contain, by name."
    )
    templates_dir: Path = Field(
        Path("/etc/edged/templates"), description="Announcement templates of this site (*.yaml)."
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
    speech: SpeechConfig = SpeechConfig()
    queue: QueueConfig = QueueConfig()
    threads: ThreadsConfig = ThreadsConfig()
    thermal: ThermalConfig = ThermalConfig()
    paths: PathsConfig = PathsConfig()
    homeassistant: HomeAssistantConfig = HomeAssistantConfig()
    log: LogConfig = LogConfig()
