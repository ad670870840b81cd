import type { RawRow } from "./jsonl.js";
import { OutcomeDataError } from "./outcome-data-error.js";
import type { TextLine } from "./text-lines.js";

export interface CsvRecord {
  /** Line the record begins on, counted from 1. */
  readonly row: number;
  readonly cells: readonly string[];
}

/**
 * CSV after RFC 4180: comma, double quotes, `""` for a quote, line feeds within quotes, LF or CRLF between records.
 * Blank lines are skipped. Ours, because on top of `readLines` it is sixty lines and reports the line of every fault.
 *
 * @throws OutcomeDataError on a quote that does not open or close a cell, or is never closed
 */
export async function* parseCsv(lines: AsyncIterable<TextLine>, file: string): AsyncGenerator<CsvRecord> {
  let open: OpenRecord | undefined;
  for await (const { text, row } of lines) {
    if (open === undefined && (text === "" || text === "\r")) continue;
    open ??= { row, cells: [], quoted: undefined };
    readCells(text, open, { file, row });
    if (open.quoted !== undefined) continue;
    yield { row: open.row, cells: open.cells };
    open = undefined;
  }
  if (open !== undefined) {
    throw new OutcomeDataError(
      { file, row: open.row },
      "a quoted cell is never closed; end it with a double quote",
    );
  }
}

/** Turns records into rows by the names of the first one; an empty cell is null. */
export async function* nameCsvCells(records: AsyncIterable<CsvRecord>, file: string): AsyncGenerator<RawRow> {
  let names: readonly string[] | undefined;
  for await (const { row, cells } of records) {
    if (names === undefined) {
      names = cells.map((cell) => cell.trim());
      continue;
    }
    if (cells.length !== names.length) {
      const counts = `the record has ${cells.length} cells where the header has ${names.length}`;
      throw new OutcomeDataError({ file, row }, `${counts}; quote cells that hold commas`);
    }
    const entries = names.map((name, column) => [name, cells[column] === "" ? null : cells[column]]);
    yield { row, values: Object.fromEntries(entries) as Readonly<Record<string, unknown>> };
  }
}

interface OpenRecord {
  readonly row: number;
  readonly cells: string[];
  /** Text so far of a quoted cell that goes on in the next line. */
  quoted: string | undefined;
}

function readCells(
  text: string,
  record: OpenRecord,
  place: { readonly file: string; readonly row: number },
): void {
  const end = text.endsWith("\r") ? text.length - 1 : text.length;
  let position = 0;
  do {
    if (record.quoted !== undefined || text[position] === '"') {
      position = readQuotedCell(text, record, record.quoted === undefined ? position + 1 : position);
      if (record.quoted !== undefined) return;
      if (position < end && text[position] !== ",") {
        throw new OutcomeDataError(place, "text follows a closing quote; write a quote within a cell twice");
      }
    } else {
      position = readPlainCell(text, record, { position, end, place });
    }
    position += 1;
  } while (position <= end);
}

/** Reads on to the closing quote; returns the position after it, or leaves `record.quoted` set at the end of the line. */
function readQuotedCell(text: string, record: OpenRecord, start: number): number {
  let cell = record.quoted ?? "";
  let position = start;
  for (;;) {
    const quote = text.indexOf('"', position);
    if (quote === -1) {
      record.quoted = `${cell}${text.slice(position)}\n`;
      return text.length;
    }
    cell += text.slice(position, quote);
    if (text[quote + 1] !== '"') {
      record.cells.push(cell);
      record.quoted = undefined;
      return quote + 1;
    }
    cell += '"';
    position = quote + 2;
  }
}

function readPlainCell(
  text: string,
  record: OpenRecord,
  options: {
    readonly position: number;
    readonly end: number;
    readonly place: { readonly file: string; readonly row: number };
  },
): number {
  const comma = text.indexOf(",", options.position);
  const end = comma === -1 ? options.end : comma;
  const cell = text.slice(options.position, end);
  if (cell.includes('"')) {
    throw new OutcomeDataError(options.place, "a quote stands within an unquoted cell; quote the whole cell");
  }
  record.cells.push(cell);
  return end;
}
