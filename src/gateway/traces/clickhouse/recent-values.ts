import {
  MOST_VALUES,
  type QueryOptions,
  type TraceScope,
  type TraceValues,
  VALUE_FIELDS,
  VALUED_TRACES,
  type ValueField,
  type ValuesQuestion,
  valueFields,
} from "../store.js";
import { text } from "../stored-rows.js";
import type { QuerySession } from "./queries.js";
import { NOTHING, type Sql, sql } from "./sql.js";

const COLUMNS: Readonly<Record<ValueField, Sql>> = {
  model: sql`model`,
  provider: sql`provider`,
  source: sql`source`,
  principal: sql`principal`,
  error_code: sql`error_code`,
  effort: sql`effort`,
  metadata_key: sql`metadata.key`,
  request_id: sql`request_id`,
  metadata: sql`arrayMap((name, text) -> concat(toString(lengthUTF8(name)), ':', name, text), metadata.key, metadata.value)`,
};

export async function values(
  session: QuerySession,
  question: ValuesQuestion,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<TraceValues> {
  const none = VALUE_FIELDS.map((field) => [field, []]);
  const found = valueFields(question).map(async (field) => {
    return [field, await valuesOf(session, field, { ...question, scope })];
  });
  return Object.fromEntries([...none, ...(await Promise.all(found))]) as TraceValues;
}

async function valuesOf(
  session: QuerySession,
  field: ValueField,
  { containing: part, scope }: ValuesQuestion & { readonly scope: TraceScope },
): Promise<readonly string[]> {
  const isIt = sql`positionCaseInsensitiveUTF8(text, ${part ?? ""}) > 0`;
  const [given, isRow] =
    part === undefined
      ? [COLUMNS[field], NOTHING]
      : field === "metadata"
        ? [
            sql`arrayFilter((pair, text) -> ${isIt}, ${COLUMNS.metadata}, metadata.value)`,
            sql` AND arrayExists(text -> ${isIt}, metadata.value)`,
          ]
        : [COLUMNS[field], sql` AND endsWith(lower(request_id), lower(${part}))`];
  const one = field.startsWith("metadata") ? sql`arrayJoin(given)` : sql`given`;
  const { rows } = await session.query(
    sql`SELECT ${one} AS value, count() AS requests FROM (
        SELECT ${given} AS given FROM ${session.tables.traces} WHERE ${session.conditionOf({}, scope)}${isRow}
        ORDER BY created_at_ms DESC LIMIT ${VALUED_TRACES})
      GROUP BY value HAVING isNotNull(value) ORDER BY requests DESC, value LIMIT ${MOST_VALUES}`,
  );
  return rows.map(({ value }) => text(value));
}
