import { SextantError } from "../../../foundation/errors.js";
import { StoreDownError } from "../store-down.js";

/**
 * What went wrong with a request to ClickHouse. The message continues a sentence that begins with its name.
 *
 * It consists of this project's own words and the server's error code: the server's own message repeats parts of the
 * query, and so perhaps of a prompt.
 */
export class ClickHouseFault extends Error {
  override readonly name: string = "ClickHouseFault";
  /** The server's error code; undefined when it did not answer, or somebody else did. */
  readonly code: number | undefined;

  constructor(message: string, code?: number) {
    super(message);
    this.code = code;
  }

  /** Whether the same request may succeed when repeated. */
  get mayPass(): boolean {
    return this.code === undefined || !LASTING.has(this.code);
  }

  /** Whether the server is well and another query may succeed. */
  get isAboutTheQuery(): boolean {
    return this.code !== undefined && ABOUT_THE_QUERY.has(this.code);
  }
}

const UNKNOWN_TABLE = 60;
const UNKNOWN_DATABASE = 81;
const TOOK_TOO_LONG = [159, 160];
/** Of the server, and for an answer. */
const TOO_MUCH_MEMORY = [241, 396];
/** Unknown user, wrong password, database or table not allowed, read-only, and their newer names. */
const REFUSED = [164, 192, 193, 194, 195, 291, 497, 516];
const LASTING = new Set([UNKNOWN_TABLE, UNKNOWN_DATABASE, ...REFUSED]);
const ABOUT_THE_QUERY = new Set([...TOO_MUCH_MEMORY, ...TOOK_TOO_LONG]);

const REASONS: ReadonlyMap<number, string> = new Map([
  [202, "it has too many queries to do"],
  [243, "its disk is full"],
  [252, "it gets more batches than it can merge. Raise SEXTANT_TRACE_FLUSH_MS on all instances"],
  ...TOO_MUCH_MEMORY.map((code) => [code, "it has too little memory for that"] as const),
  ...TOOK_TOO_LONG.map((code) => [code, "it took too long"] as const),
  ...REFUSED.map(
    (code) =>
      [code, "it refuses the user of SEXTANT_CLICKHOUSE_URL, the password, or what is asked"] as const,
  ),
]);

/** The fault that an error of the driver stands for. Its message is not used: it may quote the query. */
export function faultOf(error: unknown): ClickHouseFault {
  const { code = "", message }: NodeJS.ErrnoException = error instanceof Error ? error : new Error();
  const reported = /^\d{1,5}$/.exec(code)?.[0] ?? /^\s*Code: (\d{1,5})\b/.exec(message)?.[1];
  if (reported !== undefined) {
    const reason = REASONS.get(Number(reported)) ?? "its log says more";
    return new ClickHouseFault(`reports error ${reported}: ${reason}`, Number(reported));
  }
  if (/^[A-Z_]{3,40}$/.test(code)) return new ClickHouseFault(`cannot be reached (${code})`);
  return new ClickHouseFault("answers as something else would. Check SEXTANT_CLICKHOUSE_URL");
}

/** The server did not answer in time: it is overloaded or unreachable. */
export class ClickHouseSilence extends ClickHouseFault {
  override readonly name = "ClickHouseSilence";
  /** False: the caller has already waited for the whole time limit. */
  override get mayPass(): boolean {
    return false;
  }

  constructor(timeoutMs: number) {
    super(`did not answer within ${timeoutMs} ms`);
  }
}

/** A fault as the caller of a query sees it; everything else, such as the reason of a signal, unchanged. */
export function asQueryError(error: unknown): unknown {
  const code = error instanceof ClickHouseFault ? error.code : undefined;
  if (isTooMuchMemory(error))
    return narrowIt("needs more memory than ClickHouse or SEXTANT_TRACE_MEMORY_BYTES allows");
  return code !== undefined && TOOK_TOO_LONG.includes(code) ? tookTooLong() : asStoreDown(error);
}

/** A fault as the other callers see it. */
export function asStoreDown(error: unknown): unknown {
  if (!(error instanceof ClickHouseFault)) return error;
  return new StoreDownError(`Traces cannot be used, for ClickHouse ${error.message}.`, error);
}

export const tookTooLong = (): SextantError =>
  narrowIt("took longer than SEXTANT_TRACE_QUERY_TIMEOUT_MS allows");

export const isTooMuchMemory = (error: unknown): boolean =>
  error instanceof ClickHouseFault && error.code !== undefined && TOO_MUCH_MEMORY.includes(error.code);

const narrowIt = (what: string): SextantError =>
  new SextantError(
    "query_timeout",
    `The search ${what}. Narrow it, for example with start_date and end_date.`,
  );

export const closed = (): SextantError =>
  new SextantError("store_down", "The server is stopping: traces are closed.");
