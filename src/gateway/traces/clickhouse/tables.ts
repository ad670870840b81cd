import { identifier, type Sql, sql } from "./sql.js";

/** The names that queries need. */
export interface Tables {
  readonly database: Sql;
  readonly traces: Sql;
  readonly feedback: Sql;
  readonly schema: Sql;
  /** Conditions on the server's own tables about parts and mutations: those of `traces`, and of `feedback`. */
  readonly ofTraces: Sql;
  readonly ofFeedback: Sql;
}

const TRACES = "sextant_traces";
const FEEDBACK = "sextant_feedback";
const SCHEMA = "sextant_schema";

export function tablesIn(database: string): Tables {
  const within = (table: string): Sql => sql`${identifier(database)}.${identifier(table)}`;
  return {
    database: identifier(database),
    traces: within(TRACES),
    feedback: within(FEEDBACK),
    schema: within(SCHEMA),
    ofTraces: sql`database = ${database} AND table = ${TRACES}`,
    ofFeedback: sql`database = ${database} AND table = ${FEEDBACK}`,
  };
}
