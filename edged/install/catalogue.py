"""The models this version of edged can install."""

from __future__ import annotations

import difflib

from edged.errors import BadInputError
from edged.install import kokoro
from edged.install.recipe import Recipe

RECIPES = {recipe.name: recipe for recipe in (kokoro.RECIPE,)}
# voices the project has plans for, so that asking for one is answered better than by "unknown"
_PLANNED = ("qwen3", "hibari", "baker")


def find_recipe(name: str) -> Recipe:
    """The recipe of a model. Raises BadInputError that lists the known ones and suggests the closest."""
    if name in RECIPES:
        return RECIPES[name]
    known = ", ".join(RECIPES)
    if name in _PLANNED:
        raise BadInputError(f"{name}: a later version of edged installs it", f"this one knows: {known}")
    raise unknown_model(name, RECIPES)


def unknown_model(name: str, known: dict[str, Recipe] | list[str]) -> BadInputError:
    """The error for a name that is none of `known`."""
    close = difflib.get_close_matches(name, list(known), n=1)
    suggestion = f"did you mean {close[0]}? " if close else ""
    return BadInputError(f"no model is called {name!r}", f"{suggestion}known: {', '.join(known) or 'none'}")
