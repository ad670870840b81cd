import type { Connection } from "./database.js";
import { SECOND_VERSION } from "./second-version.js";

/**
 * How a file of each version becomes one of the next: the statements that make version 1, then 2, and so on. What has been
 * released is never changed, only added to.
 *
 * Version 1. Texts longer than 16,384 units go to the columns `…_long`: compression makes short ones a third as large,
 * but to read one value 2,048 neighbours are unpacked, which takes a second when they are long. `metadata_hashes` answers
 * filters by metadata in a fifth of the time that reading the JSON text takes; `id_ms` finds a request id without an index.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE traces (
    request_id VARCHAR NOT NULL,
    id_ms BIGINT NOT NULL,
    created_at TIMESTAMP NOT NULL,
    kind VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    model VARCHAR,
    provider VARCHAR,
    source VARCHAR NOT NULL,
    principal VARCHAR NOT NULL,
    streamed BOOLEAN NOT NULL,
    latency_ms DOUBLE NOT NULL,
    ttft_ms DOUBLE,
    finish_reason VARCHAR,
    tokens_in BIGINT,
    tokens_out BIGINT,
    cost_usd DOUBLE,
    error_code VARCHAR,
    error_message VARCHAR,
    metadata VARCHAR NOT NULL,
    metadata_hashes BIGINT[] NOT NULL,
    usage VARCHAR,
    attempts VARCHAR NOT NULL,
    routing VARCHAR USING COMPRESSION zstd,
    input_text VARCHAR USING COMPRESSION zstd,
    output_text VARCHAR USING COMPRESSION zstd,
    input_long VARCHAR USING COMPRESSION uncompressed,
    output_long VARCHAR USING COMPRESSION uncompressed
  )`,
  SECOND_VERSION,
];

/** A file that this version cannot use. The message says why and what to do. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/**
 * Brings a file to the newest version, each step whole or not at all.
 *
 * @throws SchemaError when the file is of a newer version than this one knows
 */
export async function migrate(
  connection: Connection,
  migrations: readonly string[] = MIGRATIONS,
): Promise<void> {
  await connection.run("CREATE TABLE IF NOT EXISTS sextant_schema (version BIGINT, applied_at TIMESTAMP)");
  const [row] = await connection.rows("SELECT coalesce(max(version), 0) AS version FROM sextant_schema");
  const version = Number(row?.version ?? 0);
  if (version > migrations.length) {
    throw new SchemaError(
      `it was written by a newer version of Sextant (its schema is ${version}, this one knows ${migrations.length}). ` +
        "Use that version, or move the file away",
    );
  }
  for (const [at, statements] of migrations.entries()) {
    if (at < version) continue;
    await connection.run(
      `BEGIN; ${statements}; INSERT INTO sextant_schema VALUES (${at + 1}, now()::TIMESTAMP); COMMIT`,
    );
  }
}
