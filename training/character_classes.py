"""What one UTF-16 unit counts as. The same as ``src/engine/estimation/character-classes.ts``."""

from __future__ import annotations

CLASS_COUNT = 10
SPACE, LETTER, DIGIT, DENSE, CODE, QUESTION, SEPARATOR, STOP, OTHER, LINE_END = range(CLASS_COUNT)

CODE_CHARACTERS = "{}[]()<>=_\\/|&^%$#*~+@`"


def unit_class(unit: int) -> int:
    """The class of one UTF-16 unit."""
    character = chr(unit)
    if unit < 0x80:
        if character == "\n":
            return LINE_END
        if unit <= 0x20 or unit == 0x7F:
            return SPACE
        if character.isalpha():
            return LETTER
        if character.isdigit():
            return DIGIT
        if character in CODE_CHARACTERS:
            return CODE
        if character == "?":
            return QUESTION
        return SEPARATOR if character in ",;:" else STOP if character in ".!" else OTHER
    if unit in (0xA0, 0x1680, 0x202F, 0x205F, 0x3000) or 0x2000 <= unit <= 0x200A:
        return SPACE
    if unit in (0x2028, 0x2029):
        return LINE_END
    if unit in (0xFF1F, 0x061F, 0x037E):
        return QUESTION
    if unit in (0xFF0C, 0x3001, 0xFF1B, 0xFF1A, 0x060C, 0x061B):
        return SEPARATOR
    if unit in (0x3002, 0xFF01, 0x0964, 0x06D4):
        return STOP
    if (
        0x0E00 <= unit <= 0x0E7F
        or 0x1100 <= unit <= 0x11FF
        or 0x3040 <= unit <= 0x30FF
        or 0x3400 <= unit <= 0x4DBF
        or 0x4E00 <= unit <= 0x9FFF
        or 0xAC00 <= unit <= 0xD7A3
        or 0xF900 <= unit <= 0xFAFF
    ):
        return DENSE
    if unit < 0xC0 and unit not in (0xAA, 0xB5, 0xBA) or unit in (0xD7, 0xF7):
        return OTHER
    if 0x2000 <= unit <= 0x2BFF or 0x3000 <= unit <= 0x303F or 0xD800 <= unit <= 0xF8FF or unit >= 0xFE00:
        return OTHER
    return LETTER


def lowercase(unit: int) -> int:
    """Lower case of Latin (ASCII, Latin-1), Greek and Russian letters; any other unit as it is."""
    is_upper = (
        0x41 <= unit <= 0x5A
        or (0xC0 <= unit <= 0xDE and unit != 0xD7)
        or 0x391 <= unit <= 0x3A9
        or 0x410 <= unit <= 0x42F
    )
    return unit + 32 if is_upper else unit


CLASSES = [unit_class(unit) for unit in range(0x10000)]
LOWER = [lowercase(unit) for unit in range(0x10000)]
