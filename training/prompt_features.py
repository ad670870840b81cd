"""Surface features of a prompt: what its difficulty is estimated from, beside its vector.

The same as ``src/engine/estimation/prompt-features.ts``, unit for unit: both read UTF-16 code units, know the same classes of
characters, and take the word stems from the same list: ``word-stems.json`` here, and its copy in the model file there.
``test/engine/estimation/expected-estimates.json``, which ``difficulty.py`` writes, holds both to the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log1p

import numpy as np
from asked_part import asked_part
from character_classes import (
    CLASS_COUNT,
    CLASSES,
    CODE,
    DENSE,
    DIGIT,
    LETTER,
    LINE_END,
    LOWER,
    QUESTION,
    SEPARATOR,
    SPACE,
    STOP,
)

MAX_UNITS, HEAD_UNITS, TAIL_UNITS = 4096, 3072, 1024
"""A text of more than ``MAX_UNITS`` UTF-16 units is read at its two ends, and a space stands for what is between them."""

STEM_HEAD_UNITS, STEM_TAIL_UNITS = 400, 200
"""Stems count this near to the two ends of what is asked: material may follow in the same line."""

MOST_LENGTH, MOST_WORDS = 1500, 270
"""Length and words past these add nothing."""

SURFACE = (
    "length",
    "words",
    "word_length",
    "digits",
    "code_characters",
    "uppercase",
    "non_ascii",
    "dense_script",
    "lines",
    "questions",
    "separators",
    "sentences",
    "list_items",
    "numbers",
    "code_fences",
    "ends_in_question",
    "is_cut",
    "asked_length",
    "asked_words",
    "asked_separators",
    "material",
)
"""Names of the features before those of the stems, in order."""


def units_of(text: str) -> list[int]:
    """UTF-16 code units."""
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype="<u2").tolist()


Trie = dict[int, "Trie | int"]
GROUP, WORD_END = -1, -2


def build_trie(stems: Mapping[str, Sequence[str]]) -> Trie:
    """Stems by unit; ``GROUP`` holds the number of the group. A stem that ends in ``$`` is a whole word."""
    root: Trie = {}
    for group, words in enumerate(stems.values()):
        for word in words:
            node = root
            for unit in units_of(word.removesuffix("$")):
                node = node.setdefault(unit, {})
            node[WORD_END if word.endswith("$") else GROUP] = group
    return root


class PromptFeatures:
    """Features of texts with the stems of one model."""

    def __init__(self, stems: Mapping[str, Sequence[str]]) -> None:
        self.names = (*SURFACE, *(f"stems_{group}" for group in stems))
        self._groups, self._trie = len(stems), build_trie(stems)

    def of(self, text: str) -> list[float]:
        """The features of one text, in the order of ``names``."""
        units = units_of(text)
        length = len(units)
        if length > MAX_UNITS:
            units = units[:HEAD_UNITS] + [0x20] + units[-TAIL_UNITS:]
        counts = [0] * CLASS_COUNT
        lines = sentences = items = numbers = words = letters = uppercase = non_ascii = fences = 0
        before, last, line_has_text = SPACE, SPACE, False
        for at, unit in enumerate(units):
            kind = CLASSES[unit]
            counts[kind] += 1
            non_ascii += unit >= 0x80
            if kind == LETTER or kind == DIGIT:
                in_word = before == LETTER or before == DIGIT
                if not in_word:
                    words += 1
                    numbers += kind == DIGIT
                letters += 1
                uppercase += 0x41 <= unit <= 0x5A
            elif kind == LINE_END:
                lines += line_has_text
                line_has_text = False
            elif kind == STOP or kind == QUESTION:
                sentences += self._ends_sentence(units, at)
            elif unit == 0x60 and at >= 2 and units[at - 1] == 0x60 and units[at - 2] == 0x60:
                fences += 1
            if not line_has_text and kind not in (SPACE, LINE_END):
                line_has_text = True
                items += self._begins_item(units, at)
            if kind not in (SPACE, LINE_END):
                last = kind
            before = kind
        lines += line_has_text
        size = max(1, len(units))
        dense = counts[DENSE]
        asked = asked_part(units)
        asked_words, asked_dense, asked_separators, groups = self._tally_asked(asked)
        return [
            log1p(min(length + 2 * dense * (length / size), MOST_LENGTH)),
            log1p(min(words + dense / 2, MOST_WORDS)),
            letters / words if words > 0 else 0.0,
            counts[DIGIT] / size,
            counts[CODE] / size,
            uppercase / size,
            non_ascii / size,
            dense / size,
            log1p(lines),
            log1p(counts[QUESTION]),
            log1p(counts[SEPARATOR]),
            log1p(sentences),
            log1p(items),
            log1p(numbers),
            log1p(fences),
            float(last == QUESTION),
            float(length > MAX_UNITS),
            log1p(min(len(asked) + 2 * asked_dense, MOST_LENGTH)),
            log1p(min(asked_words + asked_dense / 2, MOST_WORDS)),
            log1p(asked_separators),
            log1p(length - len(asked)),
            *(log1p(count) for count in groups),
        ]

    def matrix(self, texts: Sequence[str]) -> np.ndarray:
        """Features [texts, names], f64."""
        return np.array([self.of(text) for text in texts], dtype=np.float64).reshape(len(texts), len(self.names))

    def _tally_asked(self, units: list[int]) -> tuple[int, int, int, list[int]]:
        """Words, dense signs, separators and stems of what is asked."""
        groups = [0] * self._groups
        words = dense = separators = 0
        before = SPACE
        for at, unit in enumerate(units):
            kind = CLASSES[unit]
            begins_word = kind in (LETTER, DIGIT) and before not in (LETTER, DIGIT)
            words += begins_word
            dense += kind == DENSE
            separators += kind == SEPARATOR
            if begins_word or kind == DENSE:
                self._count_stem(units, at, groups)
            before = kind
        return words, dense, separators, groups

    def _count_stem(self, units: list[int], at: int, groups: list[int]) -> None:
        """Count the longest stem that begins here, near an end of the text."""
        if STEM_HEAD_UNITS <= at < len(units) - STEM_TAIL_UNITS:
            return
        node, found = self._trie, -1
        while True:
            group = node.get(GROUP, -1)
            if group >= 0:
                found = group
            is_end = at >= len(units) or CLASSES[units[at]] not in (LETTER, DIGIT)
            if is_end and node.get(WORD_END, -1) >= 0:
                found = node[WORD_END]
            if at >= len(units):
                break
            node = node.get(LOWER[units[at]])
            if node is None:
                break
            at += 1
        if found >= 0:
            groups[found] += 1

    @staticmethod
    def _ends_sentence(units: list[int], at: int) -> bool:
        """Whether a stop ends a sentence: before white space or the end, or, outside ASCII, as the last of several."""
        if at + 1 >= len(units):
            return True
        after = CLASSES[units[at + 1]]
        return after in (SPACE, LINE_END) or (units[at] >= 0x80 and after not in (STOP, QUESTION))

    @staticmethod
    def _begins_item(units: list[int], at: int) -> bool:
        """Whether the first character of a line marks an item of a list: ``-``, ``*``, ``•``, ``1.`` or ``1)``."""
        if at + 1 >= len(units):
            return False
        if units[at] in (0x2D, 0x2A, 0x2022):
            return CLASSES[units[at + 1]] == SPACE
        while at < len(units) and CLASSES[units[at]] == DIGIT:
            at += 1
            if at < len(units) and units[at] in (0x2E, 0x29):
                return True
        return False
