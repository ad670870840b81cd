import type { Timers } from "../../foundation/timers.js";
import { ClickHouseFault } from "./fault.js";
import type { QuerySession } from "./queries.js";
import { text } from "./rows.js";
import { type Sql, sql } from "./sql.js";

/** How often it is looked whether the server is done: for half an hour. */
const LOOK_MS = 50;
const MOST_LOOKS = 36_000;

/**
 * Removes what arrived before that time: whole months at once, the rest by having the server write its month anew, and waits
 * until that is done. The files of both are deleted by the server some minutes later (`old_parts_lifetime`).
 *
 * @returns how many
 */
export async function removeBefore(
  session: QuerySession,
  { ms, timers }: { readonly ms: number; readonly timers: Timers },
): Promise<number> {
  const removed = await countBefore(session, ms);
  if (removed === 0) return 0;
  for (const month of await monthsBefore(session, ms)) {
    await command(session, sql`ALTER TABLE ${session.tables.traces} DROP PARTITION ${month}`);
  }
  if ((await countBefore(session, ms)) === 0) return removed;
  await command(session, sql`ALTER TABLE ${session.tables.traces} DELETE WHERE created_at_ms < ${ms}`);
  for (let looks = 0; await isBeingRewritten(session); looks++) {
    if (looks === MOST_LOOKS)
      throw new ClickHouseFault("takes too long to remove old traces; it goes on by itself");
    await new Promise<void>((resolve) => timers.after(LOOK_MS, resolve));
  }
  return removed;
}

const command = (session: QuerySession, statement: Sql): Promise<void> =>
  session.client.command(statement, session.options);

async function countBefore(session: QuerySession, ms: number): Promise<number> {
  const { rows } = await session.query(
    sql`SELECT count() AS before FROM ${session.tables.traces} WHERE created_at_ms < ${ms}`,
  );
  return Number(rows[0]?.before);
}

/** The months that end before that time, as numbers such as 202601: the names of the partitions. */
async function monthsBefore(session: QuerySession, ms: number): Promise<readonly number[]> {
  const { rows } = await session.query(
    sql`SELECT DISTINCT partition FROM system.parts WHERE ${session.tables.ofTraces} AND active`,
  );
  const date = new Date(ms);
  const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
  return rows.map(({ partition }) => Number(text(partition))).filter((name) => name < month);
}

async function isBeingRewritten(session: QuerySession): Promise<boolean> {
  const { rows } = await session.query(
    sql`SELECT count() AS unfinished FROM system.mutations WHERE ${session.tables.ofTraces} AND NOT is_done`,
  );
  return Number(rows[0]?.unfinished) > 0;
}
