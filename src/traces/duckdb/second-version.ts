import { METADATA_SLOTS, slotColumn } from "./metadata-slots.js";
import { KINDS, STATUSES } from "./trace-block.js";

const SLOTS = Array.from({ length: METADATA_SLOTS }, (_, slot) => slot);

/**
 * Version 2, in which a trace is what is searched, as numbers where there are few different values; one JSON text of all that
 * is read with a whole trace only (`detail.ts`); and its texts.
 *
 * `names` numbers models, providers and sources, 0 is none. `kind` and `status` are positions in lists (`trace-block.ts`).
 * `metadata_slots` has the metadata keys with a column of their own, `m0` to `m7`, for the hash of their value; the hashes of
 * all other pairs are in the list `metadata_hashes`. Long texts are in `text_pieces` (`text-pieces.ts`), and `in_pieces` is 1.
 * `id_ms` finds a request id without an index.
 */
const TABLES = `
  CREATE TABLE names (id UINTEGER NOT NULL, name VARCHAR NOT NULL);
  CREATE TABLE metadata_slots (slot UTINYINT NOT NULL, key VARCHAR NOT NULL);
  CREATE TABLE traces (
    request_id VARCHAR NOT NULL,
    id_ms BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    kind UTINYINT NOT NULL,
    status UTINYINT NOT NULL,
    model UINTEGER NOT NULL,
    provider UINTEGER NOT NULL,
    source UINTEGER NOT NULL,
    tokens_in BIGINT,
    tokens_out BIGINT,
    cost_usd DOUBLE,
    latency_ms DOUBLE NOT NULL,
    ttft_ms DOUBLE,
    ${SLOTS.map((slot) => `${slotColumn(slot)} BIGINT,`).join(" ")}
    metadata_hashes BIGINT[] NOT NULL,
    detail VARCHAR NOT NULL USING COMPRESSION zstd,
    input_text VARCHAR USING COMPRESSION zstd,
    output_text VARCHAR USING COMPRESSION zstd,
    in_pieces UTINYINT NOT NULL
  );
  CREATE TABLE text_pieces (
    request_id VARCHAR NOT NULL,
    id_ms BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    side UTINYINT NOT NULL,
    place UINTEGER NOT NULL,
    piece VARCHAR NOT NULL USING COMPRESSION zstd,
    after VARCHAR NOT NULL USING COMPRESSION zstd
  )`;

/** Keys that most traces have come first. */
const FILL_NAMES_AND_SLOTS = `
  INSERT INTO names SELECT row_number() OVER (ORDER BY name), name FROM (
    SELECT model AS name FROM traces_1 UNION SELECT provider FROM traces_1 UNION SELECT source FROM traces_1
  ) WHERE name IS NOT NULL;
  INSERT INTO metadata_slots SELECT row_number() OVER (ORDER BY count DESC, key) - 1, key FROM (
    SELECT key, count(*) AS count FROM (SELECT unnest(json_keys(metadata)) AS key FROM traces_1)
    GROUP BY key ORDER BY count DESC, key LIMIT ${METADATA_SLOTS}
  )`;

const positionIn = (states: readonly string[], column: string): string =>
  `list_position([${states.map((state) => `'${state}'`).join(", ")}], ${column}) - 1`;

/** Number of a slot's key among the keys of a row, from 1. The hashes are in the same order as the keys. */
const placeOf = (slot: number): string =>
  `list_position(keys, (SELECT key FROM metadata_slots WHERE slot = ${slot}))`;

const FILL_TRACES = `
  INSERT INTO traces
  SELECT request_id, id_ms, epoch_ms(created_at), ${positionIn(KINDS, "kind")}, ${positionIn(STATUSES, "status")},
    coalesce(models.id, 0), coalesce(providers.id, 0), sources.id, tokens_in, tokens_out, cost_usd, latency_ms, ttft_ms,
    ${SLOTS.map((slot) => `metadata_hashes[${placeOf(slot)}]`).join(", ")},
    list_filter(metadata_hashes, (hash, place) ->
      NOT list_contains(slotted, keys[place])),
    '[' || to_json(principal) || ',' || to_json(streamed) || ',' || coalesce(to_json(finish_reason), 'null') || ',' ||
      CASE WHEN error_code IS NULL THEN 'null'
        ELSE '{"code":' || to_json(error_code) || ',"message":' || to_json(error_message) || '}' END || ',' ||
      metadata || ',' || coalesce(usage, 'null') || ',' || attempts || ',' || coalesce(routing, 'null') || ']',
    input_text, output_text, (input_long IS NOT NULL OR output_long IS NOT NULL)::UTINYINT
  FROM (
    SELECT *, json_keys(metadata) AS keys, (SELECT list(key) FROM metadata_slots) AS slotted FROM traces_1
  )
  LEFT JOIN names AS models ON models.name = model
  LEFT JOIN names AS providers ON providers.name = provider
  JOIN names AS sources ON sources.name = source`;

/** Up to 768 characters are up to 3,072 bytes. */
const piecesOf = (column: string, side: number): string => `
  SELECT request_id, id_ms, epoch_ms(created_at) AS created_ms, ${side} AS side,
    regexp_extract_all(${column}, '(?s).{1,768}') AS pieces
  FROM traces_1 WHERE ${column} IS NOT NULL`;

const FILL_PIECES = `
  INSERT INTO text_pieces
  SELECT request_id, id_ms, created_ms, side, place - 1, pieces[place], coalesce(pieces[place + 1], '')
  FROM (
    SELECT *, unnest(range(1, len(pieces) + 1)) AS place
    FROM (${piecesOf("input_long", 0)} UNION ALL ${piecesOf("output_long", 1)})
  )`;

/** From version 1, with a column for each thing. It takes as long as writing the traces did, and room for them beside. */
export const SECOND_VERSION = [
  "ALTER TABLE traces RENAME TO traces_1",
  TABLES,
  FILL_NAMES_AND_SLOTS,
  FILL_TRACES,
  FILL_PIECES,
  "DROP TABLE traces_1",
].join("; ");
