/** What every index promises of the shipped set: the decisions and the neighbours of exact search. */
import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createCatalog } from "../../src/engine/catalog/catalog.js";
import { openEmbedder } from "../../src/engine/embedding/open-embedder.js";
import type { AnchorSet } from "../../src/engine/estimation/anchor-set.js";
import { loadProfileSets } from "../../src/engine/profiles/load.js";
import { createRouter, type Router } from "../../src/engine/router/router.js";
import type { AnchorIndex, IndexKind } from "../../src/engine/search/anchor-index.js";
import { SHIPPED_EMBEDDER } from "../../src/engine/shipped.js";
import { PACKAGE_ROOT } from "../../src/foundation/package.js";
import { unit } from "./clustered-vectors.js";

const WEIGHTS = [0, 0.3, 0.6];
const MIDPOINTS = 400;

interface Opened {
  readonly set: AnchorSet;
  readonly router: Router;
}

async function openShipped(options: {
  readonly index?: "exact";
  readonly replace?: (set: AnchorSet) => Promise<AnchorIndex>;
}): Promise<Opened> {
  const catalog = createCatalog(
    { providers: [], deployments: [], prices: {} },
    { at: new Date("2026-11-22") },
  );
  const { lookup } = catalog;
  const embedder = await openEmbedder(SHIPPED_EMBEDDER, { cacheDir: tmpdir() });
  // As the product loads them: only models that somebody serves.
  const [loaded] = await loadProfileSets(join(PACKAGE_ROOT, "profiles"), {
    embedder,
    includes: (model) => catalog.isServed(model),
    ...(options.index === undefined ? {} : { index: options.index }),
  });
  const shipped = loaded?.set as AnchorSet;
  const set = options.replace ? { ...shipped, index: await options.replace(shipped) } : shipped;
  const router = createRouter({ embedder, sets: [set], lookup, availability: catalog, clock: () => 0 });
  return { set, router };
}

/** @param make the index over the shipped set's vectors; the one it ships with when absent */
export function indexDecisionsContract(
  kind: IndexKind,
  make?: (set: AnchorSet) => Promise<AnchorIndex>,
): void {
  describe(`The ${kind} index, compared with exact search on the shipped set,`, () => {
    let exact: Opened;
    let other: Opened;
    beforeAll(async () => {
      [exact, other] = await Promise.all([
        openShipped({ index: "exact" }),
        openShipped(make === undefined ? {} : { replace: make }),
      ]);
      expect([exact.set.index.kind, other.set.index.kind]).toEqual(["exact", kind]);
    }, 600_000);

    it("leads to the same decision on at least 99 % of test prompts, at three cost weights", async () => {
      const sample = readFileSync(join(PACKAGE_ROOT, "datasets/sample/prompts.jsonl"), "utf8");
      const prompts = sample.trim().split("\n");
      let same = 0;
      for (const costWeight of WEIGHTS) {
        const requests = prompts.map((line) => ({
          messages: [{ role: "user" as const, content: JSON.parse(line).prompt as string }],
          costWeight,
        }));
        const [a, b] = [await exact.router.routeMany(requests), await other.router.routeMany(requests)];
        same += a.filter((decision, index) => decision.selectedModel === b[index]?.selectedModel).length;
      }
      expect(same / (prompts.length * WEIGHTS.length)).toBeGreaterThanOrEqual(0.99);
    });

    it("finds at least 98 % of the same neighbours for vectors between anchors", () => {
      const { set } = exact;
      const k = set.parameters.neighbours;
      let found = 0;
      for (let sample = 0; sample < MIDPOINTS; sample++) {
        const a = set.vectorOf((sample * 61) % set.index.size);
        const b = set.vectorOf((sample * 67 + 13) % set.index.size);
        const middle = unit(a.map((value, d) => 0.7 * value + 0.3 * (b[d] as number)));
        const wanted = new Set(set.index.search(middle, k).anchors);
        found += other.set.index.search(middle, k).anchors.filter((anchor) => wanted.has(anchor)).length;
      }
      expect(found / (MIDPOINTS * k)).toBeGreaterThanOrEqual(0.98);
    });
  });
}
