"""Files that somebody brought instead of having them fetched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from edged.errors import BadInputError, FetchError


@contextmanager
def brought() -> Iterator[None]:
    """Raise BadInputError for FetchError: a missing or wrong file is the folder's fault, not a network's."""
    try:
        yield
    except FetchError as error:
        raise BadInputError(error.what, error.hint) from error
