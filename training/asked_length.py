"""A length that a prompt states, such as "in 200 words" or "three paragraphs", as tokens.

For expected lengths (``lengths.py``).
"""

from __future__ import annotations

import re

NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10,
    "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "une": 1, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5,
    "einem": 1, "zwei": 2, "drei": 3, "vier": 4,
}  # fmt: skip
UNITS = (
    ("words?|palabras|mots|wörter|worte|parole|palavras", 1.35, 5),
    ("characters|caracteres|zeichen", 0.25, 40),
    ("sentences?|oración|oraciones|frases|phrases|sätzen?|satz", 25, 1),
    ("paragraphs?|párrafos?|parrafos?|paragraphes?|absätzen?|absatz|stanzas?", 110, 1),
    ("pages?|páginas?|seiten", 650, 1),
)
"""Names of a unit, its tokens (guess; a word is 1.35 tokens of English), and the smallest number that is a length of an answer."""
PATTERNS = tuple(
    (
        re.compile(rf"(?<![\w.,$-])(\d{{1,4}}|{'|'.join(NUMBERS)})(?:\s?(?:-|–|to|or|a|y|bis|à)\s?(\d{{1,4}}))?[\s-](?:short |long |concise |brief |full )?(?:{names})(?!\w)"),
        tokens,
        least,
    )
    for names, tokens, least in UNITS
)


def asked_tokens(text: str) -> float:
    """The longest length that is stated; 0 when there is none."""
    longest = 0.0
    for pattern, tokens, least in PATTERNS:
        for match in pattern.finditer(text.lower()):
            count = NUMBERS.get(match[1]) or int(match[1])
            count = max(count, int(match[2] or 0))
            if count >= least:
                longest = max(longest, count * tokens)
    return longest
