"""The generated configuration files."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel

from edged.config.loader import load_config
from edged.config.render import effective_yaml, reference_yaml
from edged.config.schema import Config

REFERENCE = Path(__file__).resolve().parents[2] / "config" / "edged.yaml"


def test_the_committed_reference_is_current() -> None:
    """config/edged.yaml is what the schema says (edged config show --reference > config/edged.yaml)."""
    assert REFERENCE.read_text(encoding="utf-8") == reference_yaml()


def test_the_reference_means_the_defaults() -> None:
    """A technician who copies the file whole changes nothing."""
    assert load_config(REFERENCE) == Config()


def test_every_key_is_commented() -> None:
    """No setting without a reason beside it."""
    for section in Config.model_fields.values():
        kind = section.annotation
        if section.description:
            continue
        assert isinstance(kind, type)
        assert issubclass(kind, BaseModel)
        assert kind.__doc__
        assert all(info.description for info in kind.model_fields.values()), kind


def test_the_effective_configuration_can_be_loaded_again(tmp_path: Path) -> None:
    """What `config show` prints is itself a configuration."""
    config = Config.model_validate({"audio": {"device": "hw:1"}, "device": {"groups": ["hall"]}})
    text = effective_yaml(config)
    assert yaml.safe_load(text)["device"]["groups"] == ["hall"]
    (tmp_path / "edged.yaml").write_text(text)
    assert load_config(tmp_path / "edged.yaml") == config
