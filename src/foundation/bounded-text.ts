/** Texts that people read, of which only the beginning is kept when they are very long. */

/** What the end of a text says that was cut. Both figures are UTF-16 units, as `length` of a string has them. */
const notice = (kept: number, whole: number): string =>
  `\n[cut: ${kept} of ${whole} characters are kept (SEXTANT_TRACE_MAX_TEXT_CHARACTERS)]`;

/** The text, or its beginning and a note that it was cut. */
export function boundedText(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = wholeCharacters(text, most);
  return kept + notice(kept.length, text.length);
}

/** A text that is collected piece by piece, of which only the beginning is kept. */
export class TextAllowance {
  #left: number;
  #kept = 0;
  #whole = 0;

  /** Length of what was kept of all pieces. */
  get kept(): number {
    return this.#kept;
  }

  /** Length of all pieces. */
  get whole(): number {
    return this.#whole;
  }

  /** @param most UTF-16 units that are kept, of all pieces together */
  constructor(most: number) {
    this.#left = most;
  }

  /** What may be kept of the next piece: all of it, its beginning, or nothing. */
  take(piece: string): string {
    this.#whole += piece.length;
    const kept = piece.length <= this.#left ? piece : wholeCharacters(piece, this.#left);
    this.#left = kept.length < piece.length ? 0 : this.#left - kept.length;
    this.#kept += kept.length;
    return kept;
  }

  /** Of a text that shows what was kept. Empty when nothing was cut. */
  get notice(): string {
    return this.#whole === this.#kept ? "" : notice(this.#kept, this.#whole);
  }
}

/** Length of several texts ÷ length of what was kept of them: 1 when nothing was cut. */
export function lengthRatio(allowances: readonly Pick<TextAllowance, "kept" | "whole">[]): number {
  const kept = allowances.reduce((sum, allowance) => sum + allowance.kept, 0);
  const whole = allowances.reduce((sum, allowance) => sum + allowance.whole, 0);
  return whole === kept ? 1 : whole / Math.max(1, kept);
}

/** That many units of a longer text, or one fewer where that would cut a surrogate pair. */
function wholeCharacters(text: string, units: number): string {
  const isPair = units > 0 && (text.codePointAt(units - 1) ?? 0) > 0xffff;
  return text.slice(0, isPair ? units - 1 : units);
}
