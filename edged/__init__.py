"""edged: the local voice for machines (MQTT -> INT8 OpenVINO IR -> ALSA)."""

__version__ = "0.1.0"
