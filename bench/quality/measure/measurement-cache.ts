import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { SeedMeasurement } from "./measure-seed.js";

/** Everything that determines a measurement; any change invalidates it. */
export interface MeasurementKey {
  readonly set: string;
  readonly seed: number;
  /** SHA-256 of the outcome files. */
  readonly data: string;
  /** SHA-256 of the sources that measure and route. */
  readonly code: string;
  /** Fingerprint. */
  readonly embedder: string;
  /** Whatever else: options by name. */
  readonly options: Readonly<Record<string, unknown>>;
}

const ARRAYS = { Int16Array, Int32Array, Float32Array } as const;

/** Measurements by their keys, one gzipped JSON file each, so that an interrupted run resumes. */
export function openMeasurementCache(folder: string): {
  read(key: MeasurementKey): Promise<SeedMeasurement | undefined>;
  write(key: MeasurementKey, measurement: SeedMeasurement): Promise<void>;
} {
  const pathOf = (key: MeasurementKey): string => {
    const digest = createHash("sha256").update(JSON.stringify(key)).digest("hex").slice(0, 16);
    return join(folder, `${key.set}-seed${key.seed}-${digest}.json.gz`);
  };
  return {
    async read(key) {
      try {
        const packed = await readFile(pathOf(key));
        return decodeMeasurement(gunzipSync(packed).toString("utf8"));
      } catch {
        // Absent, or cut by a crash: measured anew either way.
        return undefined;
      }
    },
    async write(key, measurement) {
      await mkdir(folder, { recursive: true });
      const path = pathOf(key);
      await writeFile(`${path}.partial`, gzipSync(encodeMeasurement(measurement)));
      await rename(`${path}.partial`, path);
    },
  };
}

/** JSON in which typed arrays are their bytes in base64. */
export function encodeMeasurement(measurement: SeedMeasurement): string {
  return JSON.stringify(measurement, (_, value: unknown) => {
    for (const [type, ArrayType] of Object.entries(ARRAYS)) {
      if (!(value instanceof ArrayType)) continue;
      const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      return { $array: type, bytes: bytes.toString("base64") };
    }
    return typeof value === "number" && Number.isNaN(value) ? { $nan: true } : value;
  });
}

export function decodeMeasurement(json: string): SeedMeasurement {
  return JSON.parse(json, (_, value: unknown) => {
    if (typeof value !== "object" || value === null) return value;
    if ("$nan" in value) return Number.NaN;
    if (!("$array" in value && "bytes" in value)) return value;
    const bytes = Buffer.from(String(value.bytes), "base64");
    const copy = new Uint8Array(bytes).buffer;
    return new ARRAYS[value.$array as keyof typeof ARRAYS](copy);
  }) as SeedMeasurement;
}
