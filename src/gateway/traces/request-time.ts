const ID_START = "req_";
const TIME_CHARACTERS = 10;
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Of a character by its code; every trace that is stored asks for ten. */
const DIGITS = new Int8Array(128).fill(-1);
for (const [digit, character] of [...ALPHABET].entries()) DIGITS[character.charCodeAt(0)] = digit;

/**
 * Milliseconds since the epoch at which a request id was made, read from the ULID in it; 0 when it holds none.
 *
 * It is usually the trace's time of arrival, but not when the clock was set back: ids never run backwards.
 */
export function timeOfRequestId(requestId: string): number {
  if (!requestId.startsWith(ID_START) || requestId.length < ID_START.length + TIME_CHARACTERS) return 0;
  let ms = 0;
  for (let at = ID_START.length; at < ID_START.length + TIME_CHARACTERS; at++) {
    const digit = DIGITS[requestId.charCodeAt(at)] ?? -1;
    if (digit < 0) return 0;
    ms = ms * ALPHABET.length + digit;
  }
  return ms;
}
