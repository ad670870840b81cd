import { type BatchClock, runCooperatively } from "./cooperative-batches.js";
import { withoutMarks } from "./exact-numbers.js";

/** UTF-16 units of a string that are written at once: a tenth of a millisecond. */
const PIECE_UNITS = 65_536;

/** Units of the strings of a plain value, and 8 for each number; any number from `most` on once there are as many. */
export function jsonLength(value: unknown, most: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let length = 0;
  for (const member of Object.values(value)) {
    length += jsonLength(member, most - length);
    if (length >= most) break;
  }
  return length;
}

/** What `JSON.stringify` makes of plain data, in UTF-8, made in steps between which other work of the thread runs. */
export async function jsonInSteps(value: object, clock?: BatchClock): Promise<Buffer> {
  const pieces = piecesOf(value);
  const made: Buffer[] = [];
  let text = "";
  await runCooperatively(() => {
    const { done, value: piece = "" } = pieces.next();
    text += piece;
    if (text.length < PIECE_UNITS && done !== true) return false;
    made.push(Buffer.from(withoutMarks(text)));
    text = "";
    return done === true;
  }, clock);
  return Buffer.concat(made);
}

function* piecesOf(value: unknown): Generator<string, undefined> {
  if (typeof value === "string" && value.length > PIECE_UNITS) yield* piecesOfString(value);
  // A list of numbers has thousands at most.
  else if (
    typeof value !== "object" ||
    value === null ||
    (Array.isArray(value) && typeof value[0] === "number")
  )
    yield JSON.stringify(value) ?? "null";
  else if (Array.isArray(value)) {
    let before = "[";
    for (const item of value) {
      yield before;
      yield* piecesOf(item);
      before = ",";
    }
    yield value.length === 0 ? "[]" : "]";
  } else {
    let before = "{";
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) continue;
      yield `${before}${JSON.stringify(name)}:`;
      yield* piecesOf(member);
      before = ",";
    }
    yield before === "{" ? "{}" : "}";
  }
}

function* piecesOfString(text: string): Generator<string, undefined> {
  yield '"';
  for (let start = 0; start < text.length; ) {
    const isPairCut = (text.codePointAt(start + PIECE_UNITS - 1) ?? 0) > 0xffff;
    const end = start + PIECE_UNITS + (isPairCut ? 1 : 0);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
  yield '"';
}
