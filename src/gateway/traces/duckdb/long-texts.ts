/**
 * Texts too long for the row of their trace, in parts.
 *
 * Whoever reads or compresses one value of a column has its 2,048 neighbours in memory. With prompts of a megabyte in one
 * column a checkpoint needs gigabytes, and fails for good (decision 10).
 */
import { number, text } from "../stored-rows.js";
import { asBytes, type Connection, type Row } from "./database.js";

/** Bytes up to which a text is in the row of its trace: 2,048 prompts and answers have 64 MiB at most. */
const LONG_TEXT_BYTES = 16_384;

/** UTF-16 units of a part, and of what it has of the next one. */
const PART_UNITS = 4096;
const FOLLOWING_UNITS = 1024;

const isLong = (bytes: number): boolean => bytes > LONG_TEXT_BYTES;

/** Columns whose texts can be long, each with the column of its size. */
export const LONG_TEXT_FIELDS = {
  input_text: "input_bytes",
  output_text: "output_bytes",
  reasoning_text: "reasoning_bytes",
  context_text: "context_bytes",
  messages: "messages_bytes",
} as const;

export type LongTextField = keyof typeof LONG_TEXT_FIELDS;

/** Bytes of those texts of a row of `traces` that are long. */
export const longBytesOf = (row: Row): number =>
  Object.values(LONG_TEXT_FIELDS)
    .map((column) => number(row[column]))
    .filter(isLong)
    .reduce((sum, bytes) => sum + bytes, 0);

/** The long texts of a trace. */
export type LongTexts = Readonly<Partial<Record<LongTextField, string>>>;

/** The last columns of `long_texts` for the parts of a text; none when it is not long. */
export function partsOf(whole: string): [part: number, text: string, following: string][] {
  const parts: [number, string, string][] = [];
  if (whole.length * 3 <= LONG_TEXT_BYTES || !isLong(Buffer.byteLength(whole))) return parts;
  for (let from = 0; from < whole.length; ) {
    const end = endOfCharacter(whole, from + PART_UNITS);
    const following = whole.slice(end, endOfCharacter(whole, end + FOLLOWING_UNITS));
    parts.push([parts.length, whole.slice(from, end), following]);
    from = end;
  }
  return parts;
}

/** There, or one further where that would cut a surrogate pair. */
function endOfCharacter(whole: string, at: number): number {
  const isPair = (whole.codePointAt(at - 1) ?? 0) > 0xffff;
  return isPair ? at + 1 : at;
}

/** The long texts of those rows that have any, by request id. */
export async function longTextsOf(
  connection: Connection,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, LongTexts>> {
  const long = rows.filter((row) => longBytesOf(row) > 0);
  if (long.length === 0) return new Map();
  const times = long.map((row) => Number(row.created_at));
  const parts = await connection.rows(
    `SELECT ${asBytes("request_id")} AS request_id, field, part, ${asBytes("text")} AS text FROM long_texts ` +
      "WHERE created_at BETWEEN $1 AND $2 AND request_id IN (SELECT unnest($3)) ORDER BY part",
    [new Date(Math.min(...times)), new Date(Math.max(...times)), long.map((row) => text(row.request_id))],
  );
  const found = new Map<string, Map<string, string[]>>();
  for (const row of parts) {
    const [id, field] = [text(row.request_id), text(row.field)];
    const fields = found.get(id) ?? new Map<string, string[]>();
    found.set(id, fields);
    const ofField = fields.get(field) ?? [];
    fields.set(field, ofField);
    // A trace that was stored twice has each part twice.
    ofField[Number(row.part)] = text(row.text);
  }
  return new Map(
    [...found].map(([id, fields]): [string, LongTexts] => [
      id,
      Object.fromEntries([...fields].map(([field, parts]) => [field, parts.join("")])),
    ]),
  );
}

/** As in the rows of traces, searches are for prompts and answers. */
const IS_SEARCHED = "field NOT IN ('reasoning_text', 'messages')";

/** Ids of the traces with a long prompt or answer that contains that text, in any case. */
export async function idsWithLongText(connection: Connection, part: string): Promise<string[]> {
  const isShort = part.length <= FOLLOWING_UNITS;
  const beginning = isShort ? part : part.slice(0, endOfCharacter(part, FOLLOWING_UNITS - 1));
  const started = `SELECT request_id, field, part FROM long_texts WHERE ${IS_SEARCHED} AND contains(lower(text || following), lower($1))`;
  // What may go over several parts is looked for in as many as it can touch, from where its beginning was found.
  const touched = `part BETWEEN started.part AND started.part + ${Math.ceil(part.length / PART_UNITS)}`;
  const sql = isShort
    ? started
    : `SELECT started.request_id FROM (${started}) AS started JOIN long_texts AS later USING (request_id, field) ` +
      `WHERE later.${touched} GROUP BY started.request_id, started.field, started.part ` +
      "HAVING contains(lower(string_agg(later.text, '' ORDER BY later.part)), lower($2))";
  const rows = await connection.rows(
    `SELECT DISTINCT ${asBytes("request_id")} AS request_id FROM (${sql})`,
    isShort ? [part] : [beginning, part],
  );
  return rows.map((row) => text(row.request_id));
}
