/** What the thread that counts tokens does. */
import type { CountOptions } from "./token-counter.js";

export type TokenCountingApi = {
  count(question: { readonly texts: readonly string[]; readonly options: CountOptions }): number;
};
