import type { TraceScope } from "../store.js";
import type { Feedback } from "../trace.js";
import { arrivalOf, type QuerySession } from "./queries.js";
import { RowBinary } from "./row-binary.js";
import { sql } from "./sql.js";

export interface FeedbackToKeep {
  readonly requestId: string;
  readonly feedback: Feedback;
  readonly scope: TraceScope;
}

/** Adds feedback, which counts in the place of an earlier one. @returns whether there is such a trace within the scope */
export async function keepFeedback(
  session: QuerySession,
  { requestId, feedback: { score, comment, givenAtMs }, scope }: FeedbackToKeep,
): Promise<boolean> {
  const createdAtMs = await arrivalOf(session, requestId, { scope });
  if (createdAtMs === undefined) return false;
  const row = new RowBinary();
  row.string(requestId);
  row.int64(createdAtMs);
  row.float64(score);
  row.nullable(comment, (value) => row.string(value));
  row.int64(givenAtMs);
  await session.client.insert(
    sql`INSERT INTO ${session.tables.feedback} (request_id, created_at_ms, score, comment, given_at_ms) FORMAT RowBinary`,
    row.bytes(),
    session.options,
  );
  return true;
}
