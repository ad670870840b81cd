import { createHash } from "node:crypto";

/** Hashes that are remembered: the same few values come again and again. */
const REMEMBERED = 10_000;

/**
 * 64 bits that stand for a metadata key with a value as text. Among ten million traces with three values each, another value
 * has those of a given one with a probability of 2e-12.
 */
export function metadataHash(key: string, value: string): bigint {
  const digest = createHash("sha256")
    .update(JSON.stringify([key, value]))
    .digest();
  return digest.readBigInt64LE(0);
}

/** `metadataHash` of every entry, remembering the last ones. */
export function createMetadataHasher(): (metadata: Readonly<Record<string, unknown>>) => bigint[] {
  const remembered = new Map<string, bigint>();
  return (metadata) =>
    Object.entries(metadata).map(([key, value]) => {
      const text = String(value);
      const entry = `${key.length} ${key}${text}`;
      const known = remembered.get(entry);
      if (known !== undefined) return known;
      const hash = metadataHash(key, text);
      if (remembered.size >= REMEMBERED) remembered.clear();
      remembered.set(entry, hash);
      return hash;
    });
}
