import { feedbackIn, text } from "../stored-rows.js";
import type { Feedback } from "../trace.js";
import { asBytes, type Connection, type Row } from "./database.js";

/** Feedback for a trace that is stored. */
export interface GivenFeedback {
  readonly requestId: string;
  /** Arrival of the trace. */
  readonly createdAtMs: number;
  readonly feedback: Feedback;
}

/** Writes feedback in the place of an earlier one. To be called within a transaction. */
export async function writeFeedback(
  writer: Connection,
  { requestId, createdAtMs, feedback: { score, comment, givenAtMs } }: GivenFeedback,
): Promise<void> {
  await writer.rows("DELETE FROM feedback WHERE created_at = $1 AND request_id = $2", [
    new Date(createdAtMs),
    requestId,
  ]);
  const appender = await writer.appender("feedback");
  try {
    appender.append([[requestId, createdAtMs, score, comment, givenAtMs]]);
  } finally {
    appender.discard();
  }
}

/** The feedback for the traces of these rows, by request id. */
export async function feedbackOf(
  connection: Connection,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, Feedback>> {
  if (rows.length === 0) return new Map();
  const times = rows.map((row) => Number(row.created_at));
  const found = await connection.rows(
    `SELECT ${asBytes("request_id")} AS request_id, score, ${asBytes("comment")} AS comment, given_at FROM feedback ` +
      "WHERE created_at BETWEEN $1 AND $2 AND request_id IN (SELECT unnest($3))",
    [new Date(Math.min(...times)), new Date(Math.max(...times)), rows.map((row) => text(row.request_id))],
  );
  return feedbackIn(found);
}
