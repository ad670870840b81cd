/**
 * The worker thread that redacts. A pattern can need longer than the age of the universe for some texts, and no check of the
 * pattern finds all that can, so every trace has a time limit, which ends a match that is going on.
 */
import { serveThread } from "../../../foundation/workers/thread-entry.js";
import { redactAll } from "./redact-all.js";
import type { RedactionApi, RedactionOptions } from "./redaction-api.js";
import { createRedaction } from "./rules.js";

await serveThread<RedactionApi, RedactionOptions>(({ entries, limitMs }) => {
  const redact = createRedaction(entries);
  return { methods: { redact: (texts) => redactAll(texts, { redact, limitMs }) } };
});
