"""The record by which Home Assistant finds the device and all it can do (MQTT device discovery).

Keys are Home Assistant's own abbreviations: `cmd_t` command_topic, `stat_t` state_topic, `val_tpl`
value_template, `p` platform, `uniq_id` unique_id and so on. Templates read the records of `state`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from edged.protocol.state import Info, VoiceEntry
from edged.protocol.topics import Topics

BIRTH = b"online"
_Component = dict[str, Any]


def encode_discovery(info: Info, topics: Topics) -> bytes:
    """What is retained on the discovery topic; with `info.voices` known it lets the user choose one.

    Nothing in it changes while the device speaks, so Home Assistant builds the entities once.
    """
    components = {
        **_controls(topics),
        **_voice_selects(info.voices, topics),
        **_sensors(topics),
    }
    for key, component in components.items():
        component["uniq_id"] = f"edged_{info.device}_{key}"
    record = {
        "dev": {
            "ids": [f"edged_{info.device}"],
            "name": info.device,
            "mf": "edged",
            "mdl": "speech daemon",
            "sw": info.version,
        },
        "o": {"name": "edged", "sw": info.version},
        "avty_t": topics.state,
        "avty_tpl": "{{ 'offline' if value_json.state == 'offline' else 'online' }}",
        "cmps": components,
    }
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def _controls(topics: Topics) -> dict[str, _Component]:
    return {
        # the message as it is: text, or a whole request as JSON
        "speak": {"p": "notify", "name": "Speak", "cmd_t": topics.speak, "qos": 1},
        "stop": _button("Stop", "mdi:stop", topics.command("stop")),
        "replay": _button("Replay", "mdi:replay", topics.command("replay")),
        "test": _button("Test", "mdi:bullhorn", topics.command("test")) | {"ent_cat": "diagnostic"},
        "volume": {
            "p": "number",
            "name": "Volume",
            "ic": "mdi:volume-high",
            "cmd_t": topics.command("volume"),
            "stat_t": topics.state,
            "val_tpl": "{{ value_json.volume }}",
            "min": 0,
            "max": 100,
            "step": 1,
            "mode": "slider",
            "unit_of_meas": "%",
            "qos": 1,
        },
        "mute": {
            "p": "switch",
            "name": "Mute",
            "ic": "mdi:volume-mute",
            "cmd_t": topics.command("mute"),
            "pl_on": "on",
            "pl_off": "off",
            "stat_t": topics.state,
            "val_tpl": "{{ 'on' if value_json.muted else 'off' }}",
            "qos": 1,
        },
    }


def _button(name: str, icon: str, topic: str) -> _Component:
    return {"p": "button", "name": name, "ic": icon, "cmd_t": topic, "pl_prs": "", "qos": 1}


def _voice_selects(voices: Sequence[VoiceEntry], topics: Topics) -> dict[str, _Component]:
    """One per language; a voice of both languages is set for both by either."""
    languages = dict.fromkeys(lang for voice in voices for lang in voice.langs)
    # the state names the voices in the order of their languages, and once if it is the same
    place = dict(zip(languages, ("first", "last"), strict=False))
    return {
        f"voice_{lang}": {
            "p": "select",
            "name": f"Voice ({lang})",
            "ic": "mdi:account-voice",
            "cmd_t": topics.command("voices"),
            "ops": [voice.name for voice in voices if lang in voice.langs],
            "stat_t": topics.state,
            "val_tpl": f"{{{{ (value_json.voice or 'none').split('+') | {place[lang]} }}}}",
            "ent_cat": "config",
            "qos": 1,
        }
        for lang in languages
    }


def _sensors(topics: Topics) -> dict[str, _Component]:
    return {
        "temperature": {
            "p": "sensor",
            "name": "Temperature",
            "stat_t": topics.health,
            "val_tpl": "{{ value_json.temperature_c }}",
            "dev_cla": "temperature",
            "unit_of_meas": "°C",
            "stat_cla": "measurement",
            "ent_cat": "diagnostic",
        },
        "queue": {
            "p": "sensor",
            "name": "Queue",
            "ic": "mdi:tray-full",
            "stat_t": topics.state,
            "val_tpl": "{{ value_json.queue }}",
            "stat_cla": "measurement",
        },
        # which one and how it ended: what was said is nobody's business who reads a dashboard
        "last": {
            "p": "sensor",
            "name": "Last spoken",
            "ic": "mdi:message-text-clock",
            "stat_t": topics.state,
            "val_tpl": "{{ value_json.last.id if value_json.last else None }}",
            "json_attr_t": topics.state,
            "json_attr_tpl": "{{ (value_json.last or {}) | to_json }}",
        },
        "problem": {
            "p": "binary_sensor",
            "name": "Problem",
            "dev_cla": "problem",
            "stat_t": topics.state,
            "val_tpl": "{{ 'ON' if value_json.state == 'degraded' else 'OFF' }}",
            "json_attr_t": topics.state,
            "json_attr_tpl": "{{ {'reason': value_json.reason} | to_json }}",
            "ent_cat": "diagnostic",
        },
        # shows the version; edged is updated by the board's own means, so there is nothing to install
        "update": {
            "p": "update",
            "name": "Version",
            "stat_t": topics.state,
            "val_tpl": "{{ {'installed_version': value_json.version, 'latest_version': value_json.version}"
            " | to_json }}",
            "ent_cat": "diagnostic",
        },
    }
