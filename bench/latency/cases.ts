import { join } from "node:path";
import type { AnchorSet } from "../../src/engine/estimation/anchor-set.js";
import { ANCHORS_FILE } from "../../src/engine/profiles/manifest.js";
import type { ModelFacts } from "../../src/engine/router/candidate.js";
import { tradeOffAt } from "../../src/engine/router/cost-weight.js";
import { decide } from "../../src/engine/router/decide.js";
import { EVERY_MODEL_AVAILABLE, watchLiveModels } from "../../src/engine/router/live-models.js";
import { createRouter } from "../../src/engine/router/router.js";
import { screenCandidates } from "../../src/engine/router/screening.js";
import { createSnapshot } from "../../src/engine/router/snapshot.js";
import { createExactIndex } from "../../src/engine/search/exact-index.js";
import { openKernel } from "../../src/engine/search/similarity.js";
import { readAnchors } from "./anchors.js";
import type { Dependencies } from "./dependencies.js";
import type { TimedCase } from "./interleave.js";
import { type SyntheticSetSize, syntheticSetFolder } from "./synthetic-set.js";

/** Tokens of the prompts whose searching and deciding is timed apart from embedding. */
export const USUAL_TOKENS = 50;
const NEIGHBOURS = [64, 400];
const COST_WEIGHT = 0.3;

const at = <Item>(items: readonly Item[], execution: number): Item => items[execution % items.length] as Item;
const count = (value: number): string => value.toLocaleString("en-US");

export function embeddingCases({ embedder, tokenizer, prompts }: Dependencies): TimedCase[] {
  return [...prompts].flatMap(([tokens, texts]) => {
    const scratch = new Int32Array(tokens);
    const of = `${count(tokens)} tokens`;
    return [
      {
        id: `latency/tokenise/t${tokens}`,
        label: `tokenise, ${of}`,
        run: (n) => tokenizer.encode(at(texts, n), scratch),
      },
      {
        id: `latency/embed/t${tokens}`,
        label: `embed, ${of}`,
        run: (n) => embedder.embed([at(texts, n)]),
      },
    ] satisfies TimedCase[];
  });
}

export async function searchCases(
  set: AnchorSet,
  size: SyntheticSetSize,
  dependencies: Dependencies,
): Promise<TimedCase[]> {
  const { embedder, prompts } = dependencies;
  const queries = await embedder.embed(prompts.get(USUAL_TOKENS) ?? []);
  const vectors = await readAnchors(join(syntheticSetFolder(size, embedder), ANCHORS_FILE), embedder);
  const kernel = openKernel(vectors);
  const exact = createExactIndex(vectors);
  const of = `${count(size.anchors)} anchors`;
  const path = `a${size.anchors}`;
  const scan = (execution: number) => {
    kernel.load(at(queries, execution));
    return kernel.all();
  };
  const indexes = set.index.kind === "exact" ? [exact] : [exact, set.index];
  return [
    { id: `latency/scan/${path}`, label: `bare scan, ${of}`, run: scan },
    ...indexes.flatMap((index) =>
      NEIGHBOURS.map((k) => ({
        id: `latency/search/${index.kind}/k${k}/${path}`,
        label: `${count(k)} nearest of ${of}, ${index.kind}`,
        run: (execution: number) => index.search(at(queries, execution), k),
      })),
    ),
  ];
}

/** Prices that differ by a factor of a thousand, so that the cost weight matters. */
const factsAmong =
  (models: number) =>
  (model: string): ModelFacts => {
    const price = 0.05 * 1_000 ** (Number(model.slice(-4)) / models);
    return {
      provider: "synthetic",
      price: { inputUsdPerMtok: price, outputUsdPerMtok: 4 * price },
      contextTokens: null,
      capabilities: { images: null, tools: null },
    };
  };

/** The two halves of a decision after embedding, and whole decisions at every length. */
export async function decisionCases(
  set: AnchorSet,
  { anchors, models }: SyntheticSetSize,
  { embedder, prompts }: Dependencies,
): Promise<TimedCase[]> {
  const lookup = factsAmong(models);
  const snapshot = createSnapshot([set], lookup);
  const router = createRouter({ embedder, sets: [set], lookup, clock: () => performance.now() });
  const live = watchLiveModels(EVERY_MODEL_AVAILABLE)(snapshot);
  const usual = prompts.get(USUAL_TOKENS) ?? [];
  const queries = await embedder.embed(usual);
  const messages = usual.map((content) => [{ role: "user" as const, content }]);
  const screening = screenCandidates({ messages: at(messages, 0) }, snapshot, live);
  const found = queries.map((query) => snapshot.search(query));
  const options = {
    tradeOff: tradeOffAt(COST_WEIGHT),
    pairedCorrelation: snapshot.pairedCorrelation,
  };
  const of = `${count(anchors)} anchors × ${count(models)} models`;
  const path = `a${anchors}/m${models}`;
  return [
    {
      id: `latency/evidence/${path}`,
      label: `search and evidence, ${of}`,
      run: (n) => snapshot.search(at(queries, n)),
    },
    {
      id: `latency/decide/${path}`,
      label: `score and decide, ${of}`,
      run: (n) => decide(snapshot.estimate(at(found, n), screening), options),
    },
    ...[...prompts].map(([tokens, texts]): TimedCase => {
      const requests = texts.map((content) => ({
        messages: [{ role: "user" as const, content }],
        costWeight: COST_WEIGHT,
      }));
      return {
        id: `latency/decision/t${tokens}/${path}`,
        label: `whole decision, ${count(tokens)} tokens, ${of}`,
        run: (execution) => router.route(at(requests, execution)),
      };
    }),
  ];
}
