import { pipeline, Readable } from "node:stream";
import { CsvError, type Info, type InfoRecord, type Options, parse } from "csv-parse";
import type { RawRow } from "./jsonl.js";
import { OutcomeDataError } from "./outcome-data-error.js";
import type { TextLine } from "./text-lines.js";

export interface CsvRecord {
  /** Line the record begins on, counted from 1. */
  readonly row: number;
  readonly cells: readonly string[];
}

const CSV_PROBLEMS: Readonly<Partial<Record<CsvError["code"], string>>> = {
  CSV_QUOTE_NOT_CLOSED: "a quoted cell is never closed; end it with a double quote",
  CSV_MAX_RECORD_SIZE:
    "the record is longer than 1 MiB: perhaps a quoted cell is never closed; end it with a double quote",
  CSV_INVALID_CLOSING_QUOTE: "text follows a closing quote; write a quote within a cell twice",
  INVALID_OPENING_QUOTE: "a quote stands within an unquoted cell; quote the whole cell",
};

/** An open quote would take the rest of the file for one cell (guess: prompts of a million characters are in no table). */
const MAX_RECORD_CHARACTERS = 1024 * 1024;

/**
 * CSV after RFC 4180: comma, double quotes, `""` for a quote, line feeds within quotes, LF or CRLF between records.
 * Blank lines are skipped.
 *
 * @throws OutcomeDataError on a quote that does not open or close a cell, or is never closed
 */
export async function* parseCsv(lines: AsyncIterable<TextLine>, file: string): AsyncGenerator<CsvRecord> {
  let [linesBefore, blankBefore] = [0, 0];
  const firstLine = (blank: number): number => linesBefore + 1 + blank - blankBefore;
  const withRow = (cells: string[], { lines: read, empty_lines: blank }: InfoRecord): CsvRecord => {
    const record = { row: firstLine(blank), cells };
    [linesBefore, blankBefore] = [read, blank];
    return record;
  };
  const parser = parse({
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_RECORD_CHARACTERS,
    // Its type knows no other record than the one that came in; any value is passed on.
    on_record: withRow as unknown as NonNullable<Options["on_record"]>,
  });
  try {
    yield* pipeline(Readable.from(withLineFeeds(lines)), parser, () => {});
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    const { code, empty_lines: blank, lines: read } = cause as CsvError & Info;
    const isUnfinished = code === "CSV_QUOTE_NOT_CLOSED" || code === "CSV_MAX_RECORD_SIZE";
    const row = isUnfinished ? firstLine(blank) : read;
    throw new OutcomeDataError({ file, row }, CSV_PROBLEMS[code] ?? cause.message, { cause });
  }
}

async function* withLineFeeds(lines: AsyncIterable<TextLine>): AsyncGenerator<string> {
  for await (const { text } of lines) yield `${text}\n`;
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
