import type { Column, Connection, Parameter, Row } from "./database.js";
import type { FileReader } from "./file-reader.js";
import type { TraceBlock } from "./trace-block.js";
import { exactly, number, text } from "./values.js";

/** Bytes up to which a text is kept in the row of its trace. */
const LONG_TEXT_BYTES = 16_384;

/** Bytes of a piece, and of what follows it; both below the 4,096 from which on the library keeps each text by itself. */
const PIECE_BYTES = 3072;
const AFTER_BYTES = 1024;

/** Bytes of a part of a text that is found in a piece and what follows it, wherever it begins, in migrated files too. */
const FOUND_BYTES = 768;

/** Rows that the library takes at once. */
const CHUNK_ROWS = 2048;

const SIDES = { input: 0, output: 1 } as const;

export const isLong = (value: Uint8Array | null): value is Uint8Array =>
  value !== null && value.length > LONG_TEXT_BYTES;

/** The texts of a block, one for each trace. */
export interface BlockTexts {
  readonly request_id: readonly (Uint8Array | null)[];
  readonly input: readonly (Uint8Array | null)[];
  readonly output: readonly (Uint8Array | null)[];
}

interface Piece {
  readonly trace: number;
  readonly side: number;
  readonly place: number;
  readonly piece: Uint8Array;
  readonly after: Uint8Array;
}

/**
 * The columns of the table `text_pieces` for the long texts of a block, 2,048 rows at a time.
 *
 * Whoever reads one value has its 2,048 neighbours in memory: that is gigabytes with whole prompts of a megabyte, and eight
 * megabytes with pieces of them.
 */
export function pieceColumnsOf(block: TraceBlock, texts: BlockTexts): Column[][] {
  const pieces: Piece[] = [];
  for (const [name, side] of Object.entries(SIDES)) {
    for (const [trace, value] of texts[name as keyof typeof SIDES].entries()) {
      if (isLong(value)) pieces.push(...piecesOf(value).map((piece) => ({ trace, side, ...piece })));
    }
  }
  const chunks: Column[][] = [];
  for (let from = 0; from < pieces.length; from += CHUNK_ROWS) {
    chunks.push(columnsOf(pieces.slice(from, from + CHUNK_ROWS), block, texts));
  }
  return chunks;
}

function columnsOf(pieces: readonly Piece[], { traces, figures }: TraceBlock, texts: BlockTexts): Column[] {
  // The first two figures of a block (`FIGURES`).
  const figure = (at: number): Column => ({
    type: "BIGINT",
    values: pieces.map(({ trace }) => BigInt(figures[at * traces + trace] ?? 0)),
  });
  return [
    { type: "VARCHAR", values: pieces.map(({ trace }) => texts.request_id[trace] ?? null) },
    figure(0),
    figure(1),
    { type: "UTINYINT", values: pieces.map(({ side }) => side) },
    { type: "UINTEGER", values: pieces.map(({ place }) => place) },
    { type: "VARCHAR", values: pieces.map(({ piece }) => piece) },
    { type: "VARCHAR", values: pieces.map(({ after }) => after) },
  ];
}

function piecesOf(whole: Uint8Array): Pick<Piece, "place" | "piece" | "after">[] {
  const pieces: Pick<Piece, "place" | "piece" | "after">[] = [];
  for (let from = 0; from < whole.length; ) {
    const end = endOfCharacter(whole, from + PIECE_BYTES);
    const after = whole.subarray(end, endOfCharacter(whole, end + AFTER_BYTES));
    pieces.push({ place: pieces.length, piece: whole.subarray(from, end), after });
    from = end;
  }
  return pieces;
}

/** The last end of a character up to there. */
function endOfCharacter(utf8: Uint8Array, most: number): number {
  let end = Math.min(most, utf8.length);
  while (end < utf8.length && ((utf8[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

export interface LongTexts {
  readonly input: string | null;
  readonly output: string | null;
}

/** The long texts of those rows that have any, by request id. */
export async function longTextsOf(
  rows: readonly Row[],
  { connection }: FileReader,
): Promise<ReadonlyMap<string, LongTexts>> {
  const long = rows.filter((row) => number(row.in_pieces) !== 0);
  if (long.length === 0) return new Map();
  const found = await connection.rows(
    `SELECT ${exactly("request_id")} AS request_id, side, place, ${exactly("piece")} AS piece FROM text_pieces ` +
      `WHERE ${OF_ROWS} ORDER BY place`,
    valuesOfRows(long),
  );
  const parts = new Map<string, string[][]>();
  for (const row of found) {
    const id = text(row.request_id);
    const ofTrace = parts.get(id) ?? [[], []];
    const ofSide = ofTrace[number(row.side)];
    // A trace that was stored twice has each piece twice.
    if (ofSide !== undefined) ofSide[number(row.place)] = text(row.piece);
    parts.set(id, ofTrace);
  }
  const whole = (pieces: readonly string[] | undefined): string | null =>
    pieces === undefined || pieces.length === 0 ? null : pieces.join("");
  return new Map(
    [...parts].map(([id, [input, output]]) => [id, { input: whole(input), output: whole(output) }]),
  );
}

/** The first of the rows, at least one, whose long texts have no more than about that many bytes together. */
export async function firstWithin(
  bytes: number,
  rows: readonly Row[],
  { connection }: FileReader,
): Promise<readonly Row[]> {
  const long = rows.filter((row) => number(row.in_pieces) !== 0);
  if (long.length === 0) return rows;
  const found = await connection.rows(
    `SELECT ${exactly("request_id")} AS request_id, count(*) AS pieces FROM text_pieces WHERE ${OF_ROWS} GROUP BY ALL`,
    valuesOfRows(long),
  );
  const pieces = new Map(found.map((row) => [text(row.request_id), number(row.pieces)]));
  let sum = 0;
  const end = rows.findIndex((row) => {
    sum += PIECE_BYTES * (pieces.get(text(row.request_id)) ?? 0);
    return sum > bytes;
  });
  return end === -1 ? rows : rows.slice(0, Math.max(1, end));
}

/** The pieces of some rows: the time in their ids narrows it to few groups of rows. */
const OF_ROWS = "id_ms BETWEEN $1 AND $2 AND request_id IN (SELECT unnest($3))";

function valuesOfRows(rows: readonly Row[]): Parameter[] {
  const times = rows.map((row) => number(row.id_ms));
  return [BigInt(Math.min(...times)), BigInt(Math.max(...times)), rows.map((row) => text(row.request_id))];
}

/** Whether there are long texts at all: looking for them costs a search a sixth of its time. */
export async function hasPieces(connection: Connection): Promise<boolean> {
  return (await connection.rows("SELECT true FROM text_pieces LIMIT 1")).length > 0;
}

/**
 * The condition that a long text of a row contains a part.
 *
 * @param placeholder adds a parameter and names it
 */
export function longTextContains(part: string, placeholder: (value: string) => string): string {
  const isShort = Buffer.byteLength(part) <= FOUND_BYTES;
  const begun =
    "SELECT request_id FROM text_pieces WHERE " +
    `contains(piece || after, ${placeholder(isShort ? part : beginningOf(part))})`;
  if (isShort) return `in_pieces <> 0 AND request_id IN (${begun})`;
  // A part that may go over several pieces is looked for in whole texts, but only where it may begin.
  return (
    "in_pieces <> 0 AND request_id IN (SELECT request_id FROM text_pieces " +
    `WHERE request_id IN (${begun}) GROUP BY request_id, side ` +
    `HAVING contains(string_agg(piece, '' ORDER BY place), ${placeholder(part)}))`
  );
}

function beginningOf(part: string): string {
  const utf8 = Buffer.from(part);
  return utf8.subarray(0, endOfCharacter(utf8, FOUND_BYTES)).toString();
}
