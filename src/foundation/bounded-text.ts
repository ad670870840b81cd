/** Texts that people read, of which only the beginning is kept when they are very long. */

/** What the end of a text says that was cut. Both figures are UTF-16 units, as `length` of a string has them. */
const notice = (kept: number, whole: number, setting = "SEXTANT_TRACE_MAX_TEXT_CHARACTERS"): string =>
  `\n[cut: ${kept} of ${whole} characters are kept (${setting})]`;

/** The beginning of a text, for one line of a message. @param most UTF-16 units */
export const shortened = (text: string, most = 80): string =>
  text.length > most ? `${wholeCharacters(text, most)}…` : text;

/** The text, or its beginning and a note that it was cut. */
export function boundedText(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = wholeCharacters(text, most);
  return kept + notice(kept.length, text.length);
}

/** Memory for all texts that are collected at one time. None takes more than it leaves, so that the others always find some. */
export interface TextRoom {
  freeBytes: number;
}

/** Memory that a piece takes beside its characters (guess). */
const PIECE_BYTES = 16;

/** A text that is collected piece by piece, of which only the beginning is kept. */
export class TextAllowance {
  #left: number;
  #takenBytes = 0;
  #isCrowded = false;
  /** Length of what was kept of all pieces. */
  kept = 0;
  /** Length of all pieces. */
  whole = 0;

  /** @param most UTF-16 units that are kept, of all pieces together, as far as `room` has a byte for each */
  constructor(
    most: number,
    private readonly room: TextRoom = { freeBytes: Number.POSITIVE_INFINITY },
  ) {
    this.#left = most;
  }

  /** What may be kept of the next piece: all of it, its beginning, or nothing. */
  take(piece: string): string {
    if (piece === "") return "";
    this.whole += piece.length;
    const free = Math.floor((this.room.freeBytes - this.#takenBytes) / 2) - PIECE_BYTES;
    const most = Math.max(0, Math.min(this.#left, free));
    const kept = piece.length <= most ? piece : wholeCharacters(piece, most);
    if (kept.length < piece.length) this.#isCrowded ||= free < this.#left;
    this.#left = kept.length < piece.length ? 0 : this.#left - kept.length;
    this.kept += kept.length;
    const bytes = kept === "" ? 0 : kept.length + PIECE_BYTES;
    this.#takenBytes += bytes;
    this.room.freeBytes -= bytes;
    return kept;
  }

  /** Gives back its part of the room. */
  release(): void {
    this.room.freeBytes += this.#takenBytes;
    this.#takenBytes = 0;
  }

  /** Of a text that shows what was kept. Empty when nothing was cut. */
  get notice(): string {
    if (this.whole === this.kept) return "";
    return notice(this.kept, this.whole, this.#isCrowded ? "SEXTANT_TRACE_BUFFER_BYTES" : undefined);
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
