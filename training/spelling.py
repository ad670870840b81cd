"""Takes a mistyped word for a frequent one. The same as ``src/engine/embedding/static/frequent-words.ts``, unit for unit."""

from __future__ import annotations

import re

from tokenizers import Tokenizer

LEAST_LETTERS, MOST_LETTERS = 4, 24
"""Shorter words are too like each other, and longer ones are no words."""
LETTERS = re.compile(r"[a-z]+")


class FrequentWords:
    """Words of the letters a to z among the first pieces of a vocabulary, whose ids go by frequency."""

    def __init__(self, vocabulary: dict[str, int], count: int) -> None:
        self._vocabulary, self._near, self._known = vocabulary, {}, {}
        for word, number in vocabulary.items():
            if number < count and len(word) >= LEAST_LETTERS and LETTERS.fullmatch(word):
                for part in beginnings(word):
                    self._near.setdefault(part, []).append((number, word))

    def instead_of(self, word: str) -> str:
        """The most frequent word one slip away with the same first letter, for a word that is no piece; else the word itself."""
        if word in self._vocabulary or not LEAST_LETTERS <= len(word) <= MOST_LETTERS or not LETTERS.fullmatch(word):
            return word
        if word not in self._known:
            found = {entry for part in beginnings(word) for entry in self._near.get(part, ()) if one_slip(word, entry[1])}
            self._known[word] = min(found)[1] if found else word
        return self._known[word]


def beginnings(word: str) -> set[str]:
    """The word, and the word without each letter but the first: two words that are one slip apart share one of these."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(1, len(word)))}


def one_slip(left: str, right: str) -> bool:
    """Whether a letter after the first was left out, added, exchanged, or swapped with the next."""
    if left[0] != right[0]:
        return False
    same = 0
    while same < min(len(left), len(right)) and left[same] == right[same]:
        same += 1
    a, b = left[same:], right[same:]
    return a[1:] == b or a == b[1:] or a[1:] == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


class Encoder:
    """Token ids of texts, of at most ``most`` tokens. Without ``frequent_words`` no word is taken for another."""

    def __init__(self, tokenizer: Tokenizer, frequent_words: int = 0, most: int | None = None) -> None:
        tokenizer.no_padding()
        if most is not None:
            tokenizer.enable_truncation(most)
        self._tokenizer = tokenizer
        self._words = FrequentWords(tokenizer.get_vocab(), frequent_words) if frequent_words > 0 else None

    def encode(self, texts: list[str]) -> list[list[int]]:
        """Ids of each text."""
        spelt = texts if self._words is None else [self._spell(text) for text in texts]
        return [encoding.ids for encoding in self._tokenizer.encode_batch_fast(spelt)]

    def _spell(self, text: str) -> str:
        normal = self._tokenizer.normalizer.normalize_str(text)
        words = self._tokenizer.pre_tokenizer.pre_tokenize_str(normal)
        return " ".join(self._words.instead_of(word) for word, _ in words)
