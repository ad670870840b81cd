import {
  MOST_VALUES,
  type QueryOptions,
  type TraceValues,
  VALUE_FIELDS,
  VALUED_TRACES,
  type ValueField,
  type ValuesQuestion,
  valueFields,
} from "../store.js";
import { jsonOf, text } from "../stored-rows.js";
import { conditionOf } from "./conditions.js";
import { asBytes, type Connection } from "./database.js";
import { metadataSql } from "./dimensions.js";

const METADATA = metadataSql("'/' || replace(replace(key, '~', '~0'), '/', '~1')");

const COLUMNS = {
  model: "model",
  provider: "provider",
  source: "source",
  principal: "principal",
  error_code: "error_code",
  effort: "effort",
  metadata_key: "unnest(json_keys(metadata))",
  metadata: `concat(length(key), ':', key, ${METADATA})`,
  request_id: "request_id",
} satisfies Record<ValueField, string>;

/** Rows are chosen by their time, so that the other columns are read of the newest alone. */
export async function values(
  connection: Connection,
  question: ValuesQuestion,
  { scope }: Pick<QueryOptions, "scope">,
): Promise<TraceValues> {
  const { sql, parameters } = await conditionOf(connection, {}, { scope });
  const part = question.containing;
  const [asJson, asText] = [1, 2].map((at) => `lower($${parameters.length + at}::VARCHAR)`);
  const endsInIt = `ends_with(lower(request_id), ${asText})`;
  // What the object contains as a text is looked for first: a key may contain it, too.
  const isInValue =
    `contains(lower(metadata::VARCHAR), ${asJson}) AND ` +
    `len(list_filter(json_extract_string(metadata, '$.*'), lambda one: contains(lower(one), ${asText}))) > 0`;
  const isAny = part === undefined ? "" : ` AND (${isInValue} OR ${endsInIt})`;
  const isIt = (field: ValueField): string => {
    if (part === undefined) return "";
    return ` WHERE ${field === "metadata" ? `contains(lower(${METADATA}), ${asText})` : endsInIt}`;
  };
  const each = valueFields(question).map(
    (field) =>
      `SELECT '${field}' AS field, ${COLUMNS[field]} AS value FROM ` +
      (field === "metadata"
        ? "(SELECT metadata, unnest(json_keys(metadata)) AS key FROM recent)"
        : "recent") +
      isIt(field),
  );
  const rows = await connection.rows(
    "WITH recent AS MATERIALIZED (SELECT model, provider, source, principal, error_code, effort, metadata, request_id FROM traces WHERE rowid IN " +
      `(SELECT rowid FROM traces WHERE ${sql}${isAny} ORDER BY created_at DESC LIMIT ${VALUED_TRACES})), ` +
      `given AS (${each.join(" UNION ALL ")}), ` +
      "counted AS (SELECT field, value, count(*) AS requests FROM given WHERE value IS NOT NULL GROUP BY field, value " +
      `QUALIFY row_number() OVER (PARTITION BY field ORDER BY requests DESC, value) <= ${MOST_VALUES}) ` +
      `SELECT field, ${asBytes("value")} AS value FROM counted ORDER BY counted.requests DESC, counted.value`,
    part === undefined ? parameters : [...parameters, jsonOf(part).slice(1, -1), part],
  );
  const of = (field: ValueField) =>
    rows.filter((row) => text(row.field) === field).map(({ value }) => text(value));
  return Object.fromEntries(VALUE_FIELDS.map((field) => [field, of(field)])) as unknown as TraceValues;
}
