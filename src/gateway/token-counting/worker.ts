/** The worker thread that counts tokens, yielding to other counts after every piece of a long text. */
import { serveThread } from "../../foundation/workers/thread-entry.js";
import { countTokens } from "./count-tokens.js";
import type { TokenCountingApi } from "./token-counter.js";

await serveThread<TokenCountingApi>(() => ({
  methods: { count: ({ texts, options }) => countTokens(texts, options) },
}));
