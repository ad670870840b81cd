"""What a prompt asks, without the material that it is asked of. The same as ``src/engine/estimation/asked-part.ts``, unit for unit."""

from __future__ import annotations

from character_classes import CLASSES, DIGIT, LETTER, LINE_END, SPACE

FENCES = (0x22, 0x60)
"""Three of these begin and end a quotation of many lines."""
CLOSING = {
    0x22: (0x22,),
    0x27: (0x27,),
    0x60: (0x60,),
    0xAB: (0xBB,),
    0x2018: (0x2019,),
    0x201C: (0x201D,),
    0x201E: (0x201C, 0x201D),
    0x300C: (0x300D,),
}
"""Marks that begin a quotation within a line, and those that end it."""
LEAST_QUOTED = 12
"""Shorter quotations are names or words, which belong to what is asked."""


def asked_part(units: list[int]) -> list[int]:
    """What stands outside quotations; of several paragraphs the shorter one of the first and the last.

    Everything where nothing stands outside.
    """
    paragraphs = paragraphs_of(without_quotations(units))
    if not paragraphs:
        return units
    first, last = paragraphs[0], paragraphs[-1]
    return first if len(first) <= len(last) else last


def without_quotations(units: list[int]) -> list[int]:
    """The text with a space in place of each quotation."""
    kept: list[int] = []
    unclosed_until: dict[int, int] = {}
    at, size = 0, len(units)
    while at < size:
        mark = units[at]
        if mark in FENCES and units[at : at + 3] == [mark] * 3:
            end = next((to for to in range(at + 3, size - 2) if units[to : to + 3] == [mark] * 3), -1)
            kept += [mark] * 3 if end < 0 else [0x20]
            at = at + 3 if end < 0 else end + 3
            continue
        closing = CLOSING.get(mark)
        if closing and not (at > 0 and in_word(units[at - 1])) and at >= unclosed_until.get(mark, 0):
            to = at + 1
            while to < size and CLASSES[units[to]] != LINE_END:
                if to - at > LEAST_QUOTED and units[to] in closing and not (to + 1 < size and in_word(units[to + 1])):
                    break
                to += 1
            if to < size and CLASSES[units[to]] != LINE_END:
                kept.append(0x20)
                at = to + 1
                continue
            unclosed_until[mark] = to
        kept.append(mark)
        at += 1
    return kept


def in_word(unit: int) -> bool:
    """Whether a quotation neither begins after this unit nor ends before it."""
    return CLASSES[unit] in (LETTER, DIGIT)


def paragraphs_of(units: list[int]) -> list[list[int]]:
    """Runs of lines that have text, without the last line's end."""
    found: list[list[int]] = []
    start, end, line, line_has_text = -1, 0, 0, False
    for at in range(len(units) + 1):
        kind = LINE_END if at == len(units) else CLASSES[units[at]]
        if kind != LINE_END:
            line_has_text = line_has_text or kind != SPACE
            continue
        if line_has_text:
            start = line if start < 0 else start
            end = at
        elif start >= 0:
            found.append(units[start:end])
            start = -1
        line, line_has_text = at + 1, False
    return found if start < 0 else [*found, units[start:end]]
