import { readFile } from "node:fs/promises";
import { z } from "zod";

const file = z.object({
  /** Name on disk, within the mirror's or the download's folder of the set. */
  name: z.string(),
  url: z.url(),
  /** Hex; null until somebody has fetched it. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

const entry = z.object({
  name: z.string(),
  title: z.string(),
  url: z.url(),
  commit: z.string().nullable(),
  licence: z.string().nullable(),
  benchmarks: z.union([z.string(), z.array(z.string())]),
  score: z.string(),
  cost: z.string().nullable(),
  figures_may_ship: z.boolean(),
  note: z.string().optional(),
  /** What to fetch; absent where a set has no importer. */
  files: z.array(file).min(1).optional(),
});

const registry = z.object({ sets: z.array(entry) });

export type RegisteredSet = z.infer<typeof entry>;
export type RegisteredFile = z.infer<typeof file>;

/** @throws Error when the file does not have the registry's form */
export async function readRegistry(path: URL | string): Promise<readonly RegisteredSet[]> {
  const parsed = registry.safeParse(JSON.parse(await readFile(path, "utf8")));
  if (!parsed.success)
    throw new Error(`datasets/registry.json is not valid: ${z.prettifyError(parsed.error)}`);
  return parsed.data.sets;
}
