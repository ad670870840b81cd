/** How many tokens models hide: `catalog/hidden-tokens.json`, which `npx tsx datasets/answer-lengths.ts` writes. */
import { once } from "../../foundation/once.js";
import { readCatalogFile } from "./catalog-file.js";

type Factors = Readonly<Record<string, number>>;

export interface HiddenTokens {
  /** Hidden reasoning tokens on a prompt of medium difficulty, by level of thinking. */
  readonly levels: Factors;
  /** Factor on them, by maker; 1 for others. */
  readonly makers: Factors;
  /** And by base model. */
  readonly models: Factors;
  /** Models that think although no dial of theirs is known. */
  readonly undeclared: readonly string[];
}

/** Read at the first use. @throws an Error that names the file when it cannot be read */
export const hiddenTokens = once(() => readCatalogFile("hidden-tokens.json") as HiddenTokens);
