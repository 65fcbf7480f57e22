"""The library under ALSA, told to leave our standard error alone."""

from __future__ import annotations

import ctypes

_ERROR_HANDLER = ctypes.CFUNCTYPE(
    None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p
)
_say_nothing = _ERROR_HANDLER(lambda *_: None)


def silence_libasound() -> None:
    """libasound prints every failed look-up to stderr; what matters of it is in our own message."""
    ctypes.CDLL("libasound.so.2").snd_lib_error_set_handler(_say_nothing)
