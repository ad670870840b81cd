import {
  MOST_VALUES,
  type QueryOptions,
  type TraceValues,
  VALUE_FIELDS,
  VALUED_TRACES,
  type ValueField,
} from "../store.js";
import { text } from "../stored-rows.js";
import { conditionOf } from "./conditions.js";
import { asBytes, type Connection } from "./database.js";
import { metadataSql } from "./dimensions.js";

const COLUMNS = {
  model: "model",
  provider: "provider",
  source: "source",
  principal: "principal",
  error_code: "error_code",
  effort: "effort",
  metadata_key: "unnest(json_keys(metadata))",
  metadata: `concat(length(key), ':', key, ${metadataSql("'/' || replace(replace(key, '~', '~0'), '/', '~1')")})`,
} satisfies Record<ValueField, string>;

/** Rows are chosen by their time, so that the other columns are read of the newest alone. */
export async function values(
  connection: Connection,
  _argument: undefined,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<TraceValues> {
  const { sql, parameters } = await conditionOf(connection, {}, { scope });
  const each = VALUE_FIELDS.map(
    (field) =>
      `SELECT '${field}' AS field, ${COLUMNS[field]} AS value FROM ` +
      (field === "metadata" ? "(SELECT metadata, unnest(json_keys(metadata)) AS key FROM recent)" : "recent"),
  );
  const rows = await connection.rows(
    "WITH recent AS MATERIALIZED (SELECT model, provider, source, principal, error_code, effort, metadata FROM traces WHERE rowid IN " +
      `(SELECT rowid FROM traces WHERE ${sql} ORDER BY created_at DESC LIMIT ${VALUED_TRACES})), ` +
      `given AS (${each.join(" UNION ALL ")}), ` +
      "counted AS (SELECT field, value, count(*) AS requests FROM given WHERE value IS NOT NULL GROUP BY field, value " +
      `QUALIFY row_number() OVER (PARTITION BY field ORDER BY requests DESC, value) <= ${MOST_VALUES}) ` +
      `SELECT field, ${asBytes("value")} AS value FROM counted ORDER BY counted.requests DESC, counted.value`,
    parameters,
  );
  const of = (field: ValueField) =>
    rows.filter((row) => text(row.field) === field).map(({ value }) => text(value));
  return Object.fromEntries(VALUE_FIELDS.map((field) => [field, of(field)])) as unknown as TraceValues;
}
