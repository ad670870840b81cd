/** The worker thread that makes the report of a profile set in use: some seconds, which no request should wait for. */

import { loadProfileSet } from "../../engine/index.js";
import type { ModelFacts } from "../../engine/router/candidate.js";
import { SextantError } from "../../foundation/errors.js";
import { serveThread } from "../../foundation/workers/thread-entry.js";
import { type ReportApi, type ReportQuestion, reportSet } from "./set-report.js";

const UNKNOWN: ModelFacts = {
  provider: null,
  price: null,
  contextTokens: null,
  capabilities: { images: null, tools: null },
};

await serveThread<ReportApi>(() => ({ methods: { report } }));

async function report({ folder, version, embedder, models, seed, maxPoints }: ReportQuestion) {
  const loaded = await loadProfileSet(folder, {
    embedder,
    includes: (model) => models.has(model),
  });
  if (loaded.set.version !== version) {
    throw new SextantError(
      "profiles_rejected",
      `The files in ${folder} have changed since they were loaded (version ${loaded.set.version}, in use is ${version}). Load them with POST /admin/reload.`,
    );
  }
  return reportSet(loaded, { seed, maxPoints, lookup: (model) => models.get(model) ?? UNKNOWN });
}
