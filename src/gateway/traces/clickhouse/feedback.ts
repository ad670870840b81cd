import type { TraceScope } from "../store.js";
import type { Feedback } from "../trace.js";
import { arrivalOf, type QuerySession } from "./queries.js";
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
  await session.client.command(
    sql`INSERT INTO ${session.tables.feedback} SELECT ${requestId}, ${createdAtMs}, ${score}, ${comment}, ${givenAtMs}`,
    session.options,
  );
  return true;
}
