import { createHash } from "node:crypto";

/** First 8 bytes of SHA-256 of each prompt id, `[2 × ids]`: identify an anchor without revealing the prompt. */
export function promptKeys(ids: readonly string[]): Uint32Array {
  const keys = new Uint32Array(ids.length * 2);
  ids.forEach((id, anchor) => {
    const digest = createHash("sha256").update(id).digest();
    keys[anchor * 2] = digest.readUInt32LE(0);
    keys[anchor * 2 + 1] = digest.readUInt32LE(4);
  });
  return keys;
}

/** Finds anchors by the ids of their prompts. */
export class AnchorsByPrompt {
  readonly #anchors = new Map<string, number>();

  /** @param keys from `promptKeys` */
  constructor(keys: Uint32Array) {
    for (let anchor = 0; anchor < keys.length / 2; anchor++) {
      this.#anchors.set(`${keys[anchor * 2]}:${keys[anchor * 2 + 1]}`, anchor);
    }
  }

  /** @param id `source:id` */
  find(id: string): number | undefined {
    return this.#anchors.get(promptKeys([id]).join(":"));
  }
}
