"""Character classes the passes share: what counts as Han and as a Latin letter."""

from __future__ import annotations

import re

# 〇 is read like an ideograph although Unicode files it elsewhere.
HAN = "\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

HAN_RUN = re.compile(f"[{HAN}]+")
LETTER = re.compile(f"[A-Za-z{HAN}]")
