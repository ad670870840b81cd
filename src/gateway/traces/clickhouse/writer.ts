import { randomUUID } from "node:crypto";
import { forEachCooperatively } from "../../../foundation/cooperative-batches.js";
import type { Timers } from "../../../foundation/timers.js";
import { timeOfRequestId } from "../request-time.js";
import { text } from "../stored-rows.js";
import type { Trace } from "../trace.js";
import type { ClickHouseClient } from "./client.js";
import { ClickHouseFault } from "./fault.js";
import { lineOf } from "./rows.js";
import type { Tables } from "./schema.js";
import { joined, sql } from "./sql.js";

/**
 * Traces, and about as many characters, that go to the server together: it adds each such part whole or not at all, by month. More
 * than the recorder hands over at once: a part costs as much as a thousand traces, however small it is.
 */
const PART_TRACES = 5000;
const PART_CHARACTERS = 8 * 1024 * 1024;

/** Waits before an insert is tried again, in milliseconds. Longer outages are left to the caller. */
const RETRY_WAITS_MS = [50, 200, 800];

export interface WriterOptions {
  readonly client: ClickHouseClient;
  readonly tables: Tables;
  /** Longest time for one try, in milliseconds. */
  readonly timeoutMs: number;
  readonly timers: Timers;
}

type Only = "all" | "missing";

/** Adds traces. */
export class Writer {
  readonly #options: WriterOptions;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /**
   * Resolves when they are stored. A try without a clear result is cancelled on the server before the next one, which then adds what
   * is missing: so that nothing is stored twice.
   */
  async add(traces: readonly Trace[], only: Only): Promise<void> {
    for (let at = 0; at < traces.length; at += PART_TRACES) {
      await this.#addPart(traces.slice(at, at + PART_TRACES), only);
    }
  }

  async #addPart(traces: readonly Trace[], only: Only): Promise<void> {
    for (let tries = 0; ; tries++) {
      const queryId = randomUUID();
      try {
        const toAdd = only === "all" && tries === 0 ? traces : await this.#missing(traces);
        return await this.#insert(toAdd, queryId);
      } catch (error) {
        const waitMs = RETRY_WAITS_MS[tries];
        if (!(error instanceof ClickHouseFault) || !error.mayPass || waitMs === undefined) throw error;
        await new Promise<void>((resolve) => this.#options.timers.after(waitMs, resolve));
        await this.#options.client.kill(queryId).catch(() => {});
      }
    }
  }

  async #insert(traces: readonly Trace[], queryId: string): Promise<void> {
    const parts: string[][] = [];
    let room = 0;
    await forEachCooperatively(traces, (trace) => {
      const line = lineOf(trace);
      if (line.length > room) {
        parts.push([]);
        room = PART_CHARACTERS;
      }
      parts.at(-1)?.push(line);
      room -= line.length;
    });
    const { client, tables, timeoutMs } = this.#options;
    const statement = sql`INSERT INTO ${tables.traces} FORMAT JSONEachRow`;
    for (const lines of parts) await client.insert(statement, lines, { timeoutMs, queryId });
  }

  /** Those that are not stored yet, each once. */
  async #missing(traces: readonly Trace[]): Promise<readonly Trace[]> {
    const byId = new Map(traces.map((trace) => [trace.requestId, trace]));
    if (byId.size === 0) return [];
    const { client, tables, timeoutMs } = this.#options;
    const arrivals = traces.map(({ createdAtMs }) => createdAtMs);
    const times = traces.map(({ requestId }) => timeOfRequestId(requestId));
    const ids = [...byId.keys()].map((id) => sql`${id}`);
    const { rows } = await client.query(
      sql`SELECT request_id FROM ${tables.traces}
        PREWHERE created_at_ms >= ${Math.min(...arrivals)} AND created_at_ms <= ${Math.max(...arrivals)}
          AND id_ms >= ${Math.min(...times)} AND id_ms <= ${Math.max(...times)}
        WHERE request_id IN (${joined(ids, ", ")})`,
      { timeoutMs },
    );
    for (const row of rows) byId.delete(text(row.request_id));
    return [...byId.values()];
  }
}
