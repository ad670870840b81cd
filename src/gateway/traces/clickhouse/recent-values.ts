import {
  MOST_VALUES,
  type QueryOptions,
  type TraceScope,
  type TraceValues,
  VALUE_FIELDS,
  VALUED_TRACES,
  type ValueField,
} from "../store.js";
import { text } from "../stored-rows.js";
import type { QuerySession } from "./queries.js";
import { type Sql, sql } from "./sql.js";

const COLUMNS: Readonly<Record<ValueField, Sql>> = {
  model: sql`model`,
  provider: sql`provider`,
  source: sql`source`,
  principal: sql`principal`,
  error_code: sql`error_code`,
  effort: sql`effort`,
  metadata_key: sql`metadata.key`,
  metadata: sql`arrayMap((name, text) -> concat(toString(lengthUTF8(name)), ':', name, text), metadata.key, metadata.value)`,
};

export async function values(
  session: QuerySession,
  _argument: undefined,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<TraceValues> {
  const found = VALUE_FIELDS.map(async (field) => [field, await valuesOf(session, scope, field)]);
  return Object.fromEntries(await Promise.all(found)) as TraceValues;
}

async function valuesOf(
  session: QuerySession,
  scope: TraceScope,
  field: ValueField,
): Promise<readonly string[]> {
  const one = field.startsWith("metadata") ? sql`arrayJoin(given)` : sql`given`;
  const { rows } = await session.query(
    sql`SELECT ${one} AS value, count() AS requests FROM (
        SELECT ${COLUMNS[field]} AS given FROM ${session.tables.traces} WHERE ${session.conditionOf({}, scope)}
        ORDER BY created_at_ms DESC LIMIT ${VALUED_TRACES})
      GROUP BY value HAVING isNotNull(value) ORDER BY requests DESC, value LIMIT ${MOST_VALUES}`,
  );
  return rows.map(({ value }) => text(value));
}
