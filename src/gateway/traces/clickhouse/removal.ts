import type { Timers } from "../../../foundation/timers.js";
import { text } from "../stored-rows.js";
import { ClickHouseFault } from "./fault.js";
import type { QuerySession } from "./queries.js";
import { type Sql, sql } from "./sql.js";

/** Polls of the server for the end of a removal: half an hour in all. */
const LOOK_MS = 50;
const MOST_LOOKS = 36_000;

/** A table whose rows lie by month of arrival. */
interface ByMonth {
  readonly name: Sql;
  /** Condition on the server's own tables about parts and mutations. */
  readonly own: Sql;
}

interface Removal {
  /** Milliseconds since the epoch. */
  readonly ms: number;
  readonly timers: Timers;
}

/**
 * Removes traces that arrived before that time, their feedback first, so that none is ever without its trace.
 *
 * @returns how many traces
 */
export async function removeBefore(session: QuerySession, removal: Removal): Promise<number> {
  const { feedback, ofFeedback, traces, ofTraces } = session.tables;
  await removeRows(session, { name: feedback, own: ofFeedback }, removal);
  return removeRows(session, { name: traces, own: ofTraces }, removal);
}

/**
 * Removes what arrived before that time: whole months at once, the rest by a mutation that rewrites their month, and waits
 * until that is done. The files of both are deleted by the server some minutes later (`old_parts_lifetime`).
 *
 * @returns how many
 */
async function removeRows(session: QuerySession, table: ByMonth, { ms, timers }: Removal): Promise<number> {
  const removed = await countBefore(session, table, ms);
  if (removed === 0) return 0;
  for (const month of await monthsBefore(session, table, ms)) {
    await command(session, sql`ALTER TABLE ${table.name} DROP PARTITION ${month}`);
  }
  if ((await countBefore(session, table, ms)) === 0) return removed;
  await command(session, sql`ALTER TABLE ${table.name} DELETE WHERE created_at_ms < ${ms}`);
  for (let looks = 0; await isBeingRewritten(session, table); looks++) {
    if (looks === MOST_LOOKS)
      throw new ClickHouseFault("takes too long to remove old traces; it continues in the background");
    await new Promise<void>((resolve) => timers.after(LOOK_MS, resolve));
  }
  return removed;
}

const command = (session: QuerySession, statement: Sql): Promise<void> =>
  session.client.command(statement, session.options);

async function countBefore(session: QuerySession, { name }: ByMonth, ms: number): Promise<number> {
  const { rows } = await session.query(
    sql`SELECT count() AS before FROM ${name} WHERE created_at_ms < ${ms}`,
  );
  return Number(rows[0]?.before);
}

/** The months that end before that time, as numbers such as 202601: the names of the partitions. */
async function monthsBefore(session: QuerySession, { own }: ByMonth, ms: number): Promise<readonly number[]> {
  const { rows } = await session.query(
    sql`SELECT DISTINCT partition FROM system.parts WHERE ${own} AND active`,
  );
  const date = new Date(ms);
  const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
  return rows.map(({ partition }) => Number(text(partition))).filter((name) => name < month);
}

async function isBeingRewritten(session: QuerySession, { own }: ByMonth): Promise<boolean> {
  const { rows } = await session.query(
    sql`SELECT count() AS unfinished FROM system.mutations WHERE ${own} AND NOT is_done`,
  );
  return Number(rows[0]?.unfinished) > 0;
}
