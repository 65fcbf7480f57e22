"""What may be spoken at the moment: mute, quiet hours, pause and heat, by priority."""

from __future__ import annotations

from dataclasses import dataclass

from edged.core.governor import ThermalLevel
from edged.protocol.request import Priority


@dataclass(slots=True)
class Gate:
    """The state of the device as far as it decides who is heard."""

    emergency_overrides_mute: bool
    is_muted: bool = False
    is_quiet: bool = False
    is_paused: bool = False
    level: ThermalLevel = ThermalLevel.NOMINAL

    def is_silenced(self, priority: Priority) -> bool:
        """It is not to be heard: the device is muted or the hours are quiet."""
        is_exempt = priority is Priority.EMERGENCY and self.emergency_overrides_mute
        return (self.is_muted or self.is_quiet) and not is_exempt

    def is_too_hot(self, priority: Priority) -> bool:
        """It is not worth the heat."""
        return self.level >= ThermalLevel.CRITICAL and priority.rank < Priority.HIGH.rank

    def may_begin(self, priority: Priority) -> bool:
        """Its turn may come; if not, it waits until it may."""
        if self.is_paused:
            return priority is Priority.EMERGENCY
        return self.level < ThermalLevel.HOT or priority is not Priority.BACKGROUND
