"""The models this version of edged can install."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from edged.errors import BadInputError
from edged.install import kokoro
from edged.install.checkpoints import CHECKPOINTS
from edged.install.recipe import Recipe

RECIPES = {recipe.name: recipe for recipe in (kokoro.RECIPE,)}
# voices the project has plans for, so that asking for one is answered better than by "unknown"
_PLANNED = ("hibari", "baker")


def installable() -> list[str]:
    """The names that `edged model install` takes."""
    return [*RECIPES, *CHECKPOINTS]


def find_recipe(name: str) -> Recipe:
    """The recipe of a model that is no checkpoint. Raises BadInputError that suggests the closest name."""
    if name in RECIPES:
        return RECIPES[name]
    if name in _PLANNED:
        known = ", ".join(installable())
        raise BadInputError(f"{name}: a later version of edged installs it", f"this one knows: {known}")
    raise unknown_model(name, installable())


def unknown_model(name: str, known: Iterable[str]) -> BadInputError:
    """The error for a name that is none of `known`."""
    known = list(known)
    close = [entry for entry in known if name and entry.startswith(name)] or difflib.get_close_matches(
        name, known, n=1
    )
    suggestion = f"did you mean {close[0]}? " if close else ""
    return BadInputError(f"no model is called {name!r}", f"{suggestion}known: {', '.join(known) or 'none'}")
