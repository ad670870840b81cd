import { basisOf, recommendedCostWeight, recommendedWeightOf } from "../../engine/index.js";
import type { LoadedSet } from "../../engine/profiles/load.js";
import type { SetReport } from "../../engine/profiles/set-report.js";
import type { ModelFacts, ModelLookup } from "../../engine/router/candidate.js";
import { sampleWithoutReplacement, seededRandom } from "../../foundation/random.js";
import { type AnchorDecision, decideAnchors } from "./anchor-decisions.js";
import { reportedExpectations, rounded } from "./expectations.js";
import { neighbourLayout } from "./neighbour-layout.js";
import { type ReportTopics, reportTopics } from "./report-topics.js";
import { type TopicStrength, topicStrengths } from "./topic-strengths.js";

/** What the thread that makes reports of profile sets does. */

/** A set that is in use, and all that reading it again takes. */
export interface ReportQuestion {
  readonly folder: string;
  /** Of the set as it is in use. */
  readonly version: string;
  readonly embedder: {
    readonly id: string;
    readonly fingerprint: string;
    readonly difficulty?: { readonly fingerprint: string } | undefined;
  };
  /** The models that are in use. */
  readonly models: ReadonlyMap<string, ModelFacts>;
  readonly seed: number;
  readonly maxPoints: number;
}

export type ReportApi = {
  /** @throws SextantError `profiles_rejected` when the files of the set are not those in use */
  report(question: ReportQuestion): SetReport;
};

export interface SetReportOptions {
  readonly seed: number;
  /** Most anchors to draw. Default 3,000. */
  readonly maxPoints?: number | undefined;
  /** Prices. */
  readonly lookup: ModelLookup;
}

const MOST_POINTS = 3000;
const BEST_SHOWN = 5;
const TOPICS_NEAR = 3;
const NEIGHBOURS_NEAR = 20;
const MOST_TOPICS = 40;
/** Models whose strengths are shown. */
const MOST_MODELS = 14;
/** Quality that labels would bring to a prompt: below, the best models are told apart. */
const LEAST_AT_STAKE = 0.0005;
const MOST_SPARSE_REGIONS = 10;
/** Topics with fewer drawn anchors are too small to be called sparse. */
const FEWEST_OF_A_TOPIC = 3;

/** Some seconds, most of them for the map; of a large set a sample is decided and drawn. */
export async function reportSet(
  loaded: LoadedSet,
  { seed, maxPoints = MOST_POINTS, lookup }: SetReportOptions,
): Promise<SetReport> {
  const { set, manifest } = loaded;
  const drawn = [
    ...sampleWithoutReplacement(manifest.anchors, { count: maxPoints, random: seededRandom(seed) }),
  ];
  const decisions = decideAnchors(set, drawn);
  const models = modelsOf(loaded, decisions);
  const order = models.map(({ model }) => set.models.indexOf(model));
  const topics = reportTopics(manifest, set.topics.ofAnchor);
  const strengths: Strengths = new Map(
    loaded.profiles.map((profile) => [profile.facts.model, topicStrengths(profile)]),
  );
  const recommended = recommendedWeightOf(loaded);
  return {
    name: manifest.name,
    version: set.version,
    built_at: manifest.built_at,
    embedder: manifest.embedder.id,
    anchors: manifest.anchors,
    sources: manifest.sources.map(({ name, licence, anchors }) => ({ name, licence, anchors })),
    models,
    recommended_cost_weight: recommended,
    topics: [...topics.names],
    clusters: [...topics.names.keys()].filter((topic) => topics.isCluster[topic]),
    map: pointsOf(loaded, { decisions, order, topics, seed }),
    strengths: [...topics.names.keys()]
      .sort((a, b) => (topics.counts[b] as number) - (topics.counts[a] as number) || a - b)
      .slice(0, MOST_TOPICS)
      .map((topic) => ({
        topic: topics.names[topic] as string,
        anchors: topics.counts[topic] as number,
        models: models.slice(0, MOST_MODELS).map(({ model }) => {
          const { quality, error, measured } = (strengths.get(model) as readonly TopicStrength[])[
            topic
          ] as TopicStrength;
          const samples = Math.round(measured * (topics.counts[topic] as number));
          return { quality: rounded(quality), stderr: rounded(error), samples };
        }),
      })),
    thin_spots: sparseRegionsOf(set, { decisions, topics, strengths }),
    ...reportedExpectations(set, { seed, lookup, recommended: recommendedCostWeight([recommended]) }),
  };
}

type Strengths = ReadonlyMap<string, readonly TopicStrength[]>;

function modelsOf({ set, profiles }: LoadedSet, decisions: readonly AnchorDecision[]): SetReport["models"] {
  return profiles
    .map(({ facts }) => {
      const column = set.models.indexOf(facts.model);
      const chosen = decisions.filter((decision) => decision.chosen === column).length;
      return {
        model: facts.model,
        basis: basisOf(facts),
        expected_quality: rounded(facts.overall_quality),
        quality_stderr: rounded(facts.overall_error),
        samples: facts.scored,
        chosen: decisions.length === 0 ? 0 : rounded(chosen / decisions.length),
      };
    })
    .sort((a, b) => b.expected_quality - a.expected_quality || (a.model < b.model ? -1 : 1));
}

interface Drawing {
  readonly decisions: readonly AnchorDecision[];
  /** Columns of the set in the order of the reported models. */
  readonly order: readonly number[];
  readonly topics: ReportTopics;
  readonly seed: number;
}

function pointsOf({ set }: LoadedSet, { decisions, order, topics, seed }: Drawing): SetReport["map"] {
  const place = new Map(order.map((column, position) => [column, position]));
  const vectors = decisions.map(({ anchor }) => set.vectorOf(anchor).slice());
  const layout = neighbourLayout(vectors, { seed });
  return decisions.map(({ anchor, chosen, quality, stderr }, point) => ({
    x: rounded(layout.x[point] as number),
    y: rounded(layout.y[point] as number),
    topic: topics.ofAnchor[anchor] as number,
    chosen: place.get(chosen) as number,
    best: [...quality.keys()]
      .sort((a, b) => (quality[b] as number) - (quality[a] as number) || a - b)
      .slice(0, BEST_SHOWN)
      .map((column) => ({
        model: place.get(column) as number,
        quality: rounded(quality[column] as number),
        stderr: rounded(stderr[column] as number),
      })),
    near: topicsNear(vectors[point] as Float32Array, { set, topics }),
  }));
}

/** The topics of the nearest anchors. */
function topicsNear(
  vector: Float32Array,
  { set, topics }: Pick<LoadedSet, "set"> & Pick<Drawing, "topics">,
): SetReport["map"][number]["near"] {
  const { anchors } = set.index.search(vector, NEIGHBOURS_NEAR + 1);
  const counts = new Map<number, number>();
  for (const anchor of anchors.subarray(1)) {
    const topic = topics.ofAnchor[anchor] as number;
    counts.set(topic, (counts.get(topic) ?? 0) + 1);
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, TOPICS_NEAR)
    .map(([topic, count]) => ({ topic, share: rounded(count / Math.max(1, anchors.length - 1)) }));
}

interface SparseRegionSources {
  readonly decisions: readonly AnchorDecision[];
  readonly topics: ReportTopics;
  readonly strengths: Strengths;
}

function sparseRegionsOf(
  set: LoadedSet["set"],
  { decisions, topics, strengths }: SparseRegionSources,
): SetReport["thin_spots"] {
  const { names, ofAnchor, counts } = topics;
  const labelsOf = (column: number, topic: number): number => {
    const measured = strengths.get(set.models[column] as string)?.[topic]?.measured ?? 0;
    return Math.round(measured * (counts[topic] as number));
  };
  const byTopic = names.map((_, topic) => decisions.filter(({ anchor }) => ofAnchor[anchor] === topic));
  return byTopic
    .flatMap((own, topic) => {
      if (own.length < FEWEST_OF_A_TOPIC || set.models.length < 2) return [];
      const stake = own.reduce((sum, decision) => sum + decision.atStake, 0) / own.length;
      if (stake < LEAST_AT_STAKE) return [];
      const pair = mostFrequentPair(own);
      const [fewer] = [...pair].sort((a, b) => labelsOf(a, topic) - labelsOf(b, topic)) as [number];
      return [
        {
          topic: names[topic] as string,
          anchors: counts[topic] as number,
          at_stake: stake,
          between: [set.models[pair[0]] as string, set.models[pair[1]] as string],
          label: { model: set.models[fewer] as string, samples: labelsOf(fewer, topic) },
          weight: stake * own.length,
        },
      ];
    })
    .sort((a, b) => b.weight - a.weight || (a.topic < b.topic ? -1 : 1))
    .slice(0, MOST_SPARSE_REGIONS)
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
