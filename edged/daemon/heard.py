"""The last announcements that were heard to their end, for `replay`. In memory only: they are texts."""

from __future__ import annotations

from collections import OrderedDict

from edged.core.events import AddText, Command, Publish, StartJob
from edged.protocol.request import Request
from edged.protocol.result import Status

_KEPT = 20  # what somebody standing there may have missed


class Heard:
    """Follows the scheduler's commands."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, Request] = OrderedDict()
        self._current: StartJob | None = None
        self._more: list[str] = []

    def note(self, command: Command) -> None:
        """The scheduler has said this."""
        match command:
            case StartJob():
                self._current, self._more = command, list(command.more)
            case AddText(text=text):
                self._more.append(text)
            case Publish(result=result) if self._current and self._current.id == result.id:
                if result.status is Status.FINISHED:
                    self._keep(result.id, _once_more(self._current.request, self._more))
                self._current = None

    def find(self, request_id: str | None) -> Request | None:
        """The announcement to be said again: this one, or the last one."""
        if request_id is None:
            return next(reversed(self._last.values()), None)
        return self._last.get(request_id)

    def _keep(self, request_id: str, request: Request) -> None:
        self._last[request_id] = request
        self._last.move_to_end(request_id)
        if len(self._last) > _KEPT:
            self._last.popitem(last=False)


def _once_more(request: Request, more: list[str]) -> Request:
    """The same words in the same way, as a new announcement that waits for its turn and replaces nothing."""
    text = None if request.text is None else "".join([request.text, *more])
    anew = {"id": None, "part": None, "last": False, "key": None, "on_busy": "queue", "ttl_ms": None}
    return request.model_copy(update={**anew, "text": text})
