"""Strings that are hard to distinguish or to prune by, and how SQL quotes them."""

from __future__ import annotations

import random

PREFIX = "the first sixty-four bytes are the same in all of these strings:"
ODD = ("", "a", "ab", "abc", "ä", "7", "07", "zz", "日本", "😀", "a b", "a%", "a_b", "\\", "'")
LAST = ("\uffff", "\U0010ffff", "a\U0010ffff", "a\ud7ff")  # about code points that end a range


def text(rng: random.Random) -> str:
    if rng.random() < 0.4:
        return rng.choice(ODD + LAST)
    if rng.random() < 0.2:
        return PREFIX + rng.choice(("", "a", "b", "z", str(rng.randint(0, 99))))
    return "".join(rng.choice("abcxyzäé😀019_%") for _ in range(rng.randint(1, 24)))


def quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def identifier(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
