import { identifier, type Sql, sql } from "./sql.js";

/** The names that queries need. */
export interface Tables {
  readonly database: Sql;
  readonly traces: Sql;
  readonly schema: Sql;
  /** Condition on the server's own tables about parts and mutations: those of `traces`. */
  readonly ofTraces: Sql;
}

const TRACES = "sextant_traces";
const SCHEMA = "sextant_schema";

export function tablesIn(database: string): Tables {
  const within = (table: string): Sql => sql`${identifier(database)}.${identifier(table)}`;
  return {
    database: identifier(database),
    traces: within(TRACES),
    schema: within(SCHEMA),
    ofTraces: sql`database = ${database} AND table = ${TRACES}`,
  };
}
