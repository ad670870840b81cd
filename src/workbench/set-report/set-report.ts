import { basisOf } from "../../estimation/basis.js";
import { sampleWithoutReplacement, seededRandom } from "../../profiles/build/random.js";
import type { LoadedSet } from "../../profiles/load.js";
import type { ModelLookup } from "../../router/candidate.js";
import { type AnchorDecision, decideAnchors } from "./anchor-decisions.js";
import { expectationsOf } from "./expectations.js";
import { neighbourLayout } from "./neighbour-layout.js";
import type { MapPoint, ReportedModel, SetReport, ThinSpot } from "./report-data.js";

export interface SetReportOptions {
  readonly seed: number;
  /** Most anchors to draw. Default 3,000. */
  readonly mostPoints?: number;
  /** Prices. */
  readonly lookup: ModelLookup;
}

const MOST_POINTS = 3000;
const BEST_SHOWN = 5;
const TOPICS_NEAR = 3;
const NEIGHBOURS_NEAR = 20;
const MOST_TOPICS = 40;
/** Quality that labels would bring to a prompt: below, the best models are told apart. */
const LEAST_AT_STAKE = 0.0005;
const MOST_THIN_SPOTS = 10;
/** Topics with fewer drawn anchors are too small to be called thin. */
const FEWEST_OF_A_TOPIC = 3;

/** Some seconds, most of them for the map; of a large set a sample is decided and drawn. */
export function reportSet(
  loaded: LoadedSet,
  { seed, mostPoints = MOST_POINTS, lookup }: SetReportOptions,
): SetReport {
  const { set, manifest, profiles } = loaded;
  const drawn = [
    ...sampleWithoutReplacement(manifest.anchors, { count: mostPoints, random: seededRandom(seed) }),
  ];
  const decisions = decideAnchors(set, drawn);
  const models = modelsOf(loaded, decisions);
  const order = models.map(({ model }) => set.models.indexOf(model));
  const counts = countBy(set.topics.ofAnchor, set.topics.names.length);
  return {
    name: manifest.name,
    version: set.version,
    builtAt: manifest.built_at,
    embedder: manifest.embedder.id,
    anchors: manifest.anchors,
    sources: manifest.sources.map(({ name, licence, anchors }) => ({ name, licence, anchors })),
    models,
    topics: manifest.topics,
    map: { points: pointsOf(loaded, { decisions, order, seed }) },
    strengths: [...counts.keys()]
      .sort((a, b) => (counts[b] as number) - (counts[a] as number) || a - b)
      .slice(0, MOST_TOPICS)
      .map((topic) => ({
        topic: manifest.topics[topic] as string,
        anchors: counts[topic] as number,
        cells: models.map(({ model }) => {
          const profile = profiles.find(
            ({ facts }) => facts.model === model,
          ) as LoadedSet["profiles"][number];
          return strengthOf(profile, topic);
        }),
      })),
    thinSpots: thinSpotsOf(loaded, decisions, counts),
    ...expectationsOf(set, { seed, lookup }),
  };
}

function modelsOf({ set, profiles }: LoadedSet, decisions: readonly AnchorDecision[]): ReportedModel[] {
  return profiles
    .map(({ facts }): ReportedModel => {
      const column = set.models.indexOf(facts.model);
      const chosen = decisions.filter((decision) => decision.chosen === column).length;
      return {
        model: facts.model,
        basis: basisOf(facts),
        quality: facts.overall_quality,
        error: facts.overall_error,
        scored: facts.scored,
        chosen: decisions.length === 0 ? 0 : chosen / decisions.length,
      };
    })
    .sort((a, b) => b.quality - a.quality || (a.model < b.model ? -1 : 1));
}

interface Drawing {
  readonly decisions: readonly AnchorDecision[];
  /** Columns of the set in the order of the reported models. */
  readonly order: readonly number[];
  readonly seed: number;
}

function pointsOf({ set }: LoadedSet, { decisions, order, seed }: Drawing): MapPoint[] {
  const place = new Map(order.map((column, position) => [column, position]));
  const vectors = decisions.map(({ anchor }) => set.vectorOf(anchor).slice());
  const layout = neighbourLayout(vectors, { seed });
  return decisions.map(({ anchor, chosen, quality, stderr }, point) => ({
    x: layout.x[point] as number,
    y: layout.y[point] as number,
    topic: set.topics.ofAnchor[anchor] as number,
    chosen: place.get(chosen) as number,
    best: [...quality.keys()]
      .sort((a, b) => (quality[b] as number) - (quality[a] as number) || a - b)
      .slice(0, BEST_SHOWN)
      .map((column) => ({
        model: place.get(column) as number,
        quality: quality[column] as number,
        error: stderr[column] as number,
      })),
    topicsNear: topicsNear(set, vectors[point] as Float32Array),
  }));
}

/** The topics of the nearest anchors. */
function topicsNear(set: LoadedSet["set"], vector: Float32Array): MapPoint["topicsNear"] {
  const { anchors } = set.index.search(vector, NEIGHBOURS_NEAR + 1);
  const counts = new Map<number, number>();
  for (const anchor of anchors.subarray(1)) {
    const topic = set.topics.ofAnchor[anchor] as number;
    counts.set(topic, (counts.get(topic) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, TOPICS_NEAR)
    .map(([topic, count]) => ({ topic, share: count / Math.max(1, anchors.length - 1) }));
}

/** As decisions estimate it: the variance of the skill where the topic was scored and where it was not. */
function strengthOf({ table, facts }: LoadedSet["profiles"][number], topic: number) {
  const firstTopic = table.quality.length - table.coverage.length;
  const quality = table.quality[firstTopic + topic] as number;
  const measured = table.coverage[topic] as number;
  const variance = measured * facts.measured_variance + (1 - measured) * facts.placed_variance;
  return { quality, measured, error: Math.max(quality * (1 - quality), 0.01) * Math.sqrt(variance) };
}

function thinSpotsOf(
  loaded: LoadedSet,
  decisions: readonly AnchorDecision[],
  counts: Uint32Array,
): ThinSpot[] {
  const { set, manifest, profiles } = loaded;
  const labelsOf = (column: number, topic: number): number => {
    const profile = profiles.find(({ facts }) => facts.model === set.models[column]);
    return Math.round((profile?.table.coverage[topic] ?? 0) * (counts[topic] as number));
  };
  const byTopic = manifest.topics.map((_, topic) =>
    decisions.filter(({ anchor }) => set.topics.ofAnchor[anchor] === topic),
  );
  return byTopic
    .flatMap((own, topic): (ThinSpot & { readonly weight: number })[] => {
      if (own.length < FEWEST_OF_A_TOPIC || set.models.length < 2) return [];
      const stake = own.reduce((sum, decision) => sum + decision.atStake, 0) / own.length;
      if (stake < LEAST_AT_STAKE) return [];
      const pair = mostFrequentPair(own);
      const [fewer] = [...pair].sort((a, b) => labelsOf(a, topic) - labelsOf(b, topic)) as [number];
      return [
        {
          topic: manifest.topics[topic] as string,
          anchors: counts[topic] as number,
          atStake: stake,
          between: [set.models[pair[0]] as string, set.models[pair[1]] as string],
          label: { model: set.models[fewer] as string, labels: labelsOf(fewer, topic) },
          weight: stake * own.length,
        },
      ];
    })
    .sort((a, b) => b.weight - a.weight || (a.topic < b.topic ? -1 : 1))
    .slice(0, MOST_THIN_SPOTS)
    .map(({ weight: _, ...spot }) => spot);
}

/** The two models that are first and second most often. */
function mostFrequentPair(decisions: readonly AnchorDecision[]): readonly [number, number] {
  const pairs = new Map<string, { readonly pair: [number, number]; count: number }>();
  for (const { quality } of decisions) {
    const [a, b] = [...quality.keys()].sort(
      (x, y) => (quality[y] as number) - (quality[x] as number) || x - y,
    );
    const pair: [number, number] = [a as number, b as number];
    const key = pair.toSorted((x, y) => x - y).join();
    const known = pairs.get(key) ?? { pair, count: 0 };
    known.count += 1;
    pairs.set(key, known);
  }
  return [...pairs.values()].reduce((most, found) => (found.count > most.count ? found : most)).pair;
}

function countBy(groups: Uint16Array, count: number): Uint32Array {
  const counts = new Uint32Array(count);
  for (const group of groups) counts[group] = (counts[group] as number) + 1;
  return counts;
}
