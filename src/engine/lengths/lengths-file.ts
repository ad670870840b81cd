import { join } from "node:path";
import { z } from "zod";
import { SharedFile } from "../../foundation/shared-file.js";
import type { LengthSums } from "./length-ratios.js";

const tokens = z.number().positive();

const fileSchema = z.object({
  version: z.literal(1),
  profile_version: z.string(),
  /** By model, the one that answered longest ago first. */
  models: z.array(
    z.object({
      model: z.string(),
      answers: z.int().positive(),
      expected_tokens: tokens,
      actual_tokens: tokens,
    }),
  ),
});

export interface StoredLengths {
  /** Version of the profile files by which the lengths were expected. */
  readonly profileVersion: string;
  readonly sums: ReadonlyMap<string, LengthSums>;
}

/** `lengths.json` in the data folder: what was learned about the lengths of answers. Of several writers the last one wins. */
export class LengthsFile {
  readonly #file: SharedFile;

  constructor(dataDir: string) {
    this.#file = new SharedFile(join(dataDir, "lengths.json"));
  }

  get path(): string {
    return this.#file.path;
  }

  /** @returns undefined while there is none. @throws whatever makes it unreadable, damage included */
  async read(): Promise<StoredLengths | undefined> {
    const { text } = await this.#file.read();
    if (text === undefined) return undefined;
    const { profile_version: profileVersion, models } = fileSchema.parse(JSON.parse(text));
    const sums = models.map(
      ({ model, answers, expected_tokens: expectedTokens, actual_tokens: actualTokens }) =>
        [model, { answers, expectedTokens, actualTokens }] as const,
    );
    return { profileVersion, sums: new Map(sums) };
  }

  /** @throws StorageError when it cannot be written; then it is as it was */
  async write({ profileVersion, sums }: StoredLengths): Promise<void> {
    const models = [...sums].map(([model, { answers, expectedTokens, actualTokens }]) => ({
      model,
      answers,
      expected_tokens: expectedTokens,
      actual_tokens: actualTokens,
    }));
    const content = { version: 1, profile_version: profileVersion, models };
    await this.#file.update(() => `${JSON.stringify(content)}\n`);
  }
}
