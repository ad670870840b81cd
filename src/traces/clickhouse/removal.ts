import type { Timers } from "../../foundation/timers.js";
import { ClickHouseFault } from "./fault.js";
import type { Desk } from "./queries.js";
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
  desk: Desk,
  { ms, timers }: { readonly ms: number; readonly timers: Timers },
): Promise<number> {
  const removed = await countBefore(desk, ms);
  if (removed === 0) return 0;
  for (const month of await monthsBefore(desk, ms)) {
    await command(desk, sql`ALTER TABLE ${desk.tables.traces} DROP PARTITION ${month}`);
  }
  if ((await countBefore(desk, ms)) === 0) return removed;
  await command(desk, sql`ALTER TABLE ${desk.tables.traces} DELETE WHERE created_at_ms < ${ms}`);
  for (let looks = 0; await isBeingRewritten(desk); looks++) {
    if (looks === MOST_LOOKS)
      throw new ClickHouseFault("takes too long to remove old traces; it goes on by itself");
    await new Promise<void>((resolve) => timers.after(LOOK_MS, resolve));
  }
  return removed;
}

const command = (desk: Desk, statement: Sql): Promise<void> => desk.client.command(statement, desk.options);

async function countBefore(desk: Desk, ms: number): Promise<number> {
  const { rows } = await desk.ask(
    sql`SELECT count() AS before FROM ${desk.tables.traces} WHERE created_at_ms < ${ms}`,
  );
  return Number(rows[0]?.before);
}

/** The months that end before that time, as numbers such as 202601: the names of the partitions. */
async function monthsBefore(desk: Desk, ms: number): Promise<readonly number[]> {
  const { rows } = await desk.ask(
    sql`SELECT DISTINCT partition FROM system.parts WHERE ${desk.tables.ofTraces} AND active`,
  );
  const date = new Date(ms);
  const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
  return rows.map(({ partition }) => Number(text(partition))).filter((name) => name < month);
}

async function isBeingRewritten(desk: Desk): Promise<boolean> {
  const { rows } = await desk.ask(
    sql`SELECT count() AS unfinished FROM system.mutations WHERE ${desk.tables.ofTraces} AND NOT is_done`,
  );
  return Number(rows[0]?.unfinished) > 0;
}
