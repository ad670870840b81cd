"""Mistyped copies of training texts, so that a slip of a finger moves a text's vector as little as it can."""

from __future__ import annotations

import re
from random import Random

import numpy as np

LETTERS = 0.05
"""Share of the letters that are mistyped."""

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbours() -> dict[str, str]:
    """The keys beside each letter in its row, and the nearest one in the rows above and below."""
    near: dict[str, str] = {}
    for number, row in enumerate(ROWS):
        for place, letter in enumerate(row):
            beside = row[max(0, place - 1) : place] + row[place + 1 : place + 2]
            others = [ROWS[other][place] for other in (number - 1, number + 1) if 0 <= other < 3 and place < len(ROWS[other])]
            near[letter] = beside + "".join(others)
    return near


NEAR = _neighbours()


def mistype(text: str, rng: np.random.Generator) -> str:
    """Each letter, with the same probability, is left out, doubled, swapped with what follows, or hit beside."""
    typed: list[str] = []
    slips = rng.random(len(text)) < LETTERS
    place = 0
    while place < len(text):
        letter = text[place]
        place += 1
        if not slips[place - 1] or not letter.isalpha():
            typed.append(letter)
            continue
        kind = rng.integers(4)
        if kind == 1:
            typed.append(letter * 2)
        elif kind == 2 and place < len(text):
            typed.append(text[place] + letter)
            place += 1
        elif kind == 3:
            near = NEAR.get(letter.lower(), letter)
            typed.append(near[rng.integers(len(near))])
    return "".join(typed)


WORD = re.compile(r"[^\W\d_]{3,}")


def mistype_words(text: str, rng: Random, share: float) -> str:
    """A share of the words of three letters and more: a letter is left out, doubled, swapped with the next, or hit beside."""

    def slip(found: re.Match[str]) -> str:
        word = found.group()
        if rng.random() >= share:
            return word
        at, kind = rng.randrange(len(word)), rng.randrange(4)
        letter, rest = word[at], word[at + 1 :]
        if kind == 0:
            return word[:at] + rest
        if kind == 1:
            return word[:at] + letter + letter + rest
        if kind == 2 and rest:
            return word[:at] + rest[0] + letter + rest[1:]
        return word[:at] + rng.choice(NEAR.get(letter.lower(), letter)) + rest

    return WORD.sub(slip, text)
