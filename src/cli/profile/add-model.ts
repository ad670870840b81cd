import { openNamedEmbedder, textOfMessages } from "../../compose/workbench.js";
import type { Embedder } from "../../engine/embedding/embedder.js";
import { basisOf, catalogId, checkEmbedder, KNOWN_EFFORTS, readPromptTexts } from "../../engine/index.js";
import { type SnakeCased, snakeCased } from "../../foundation/snake-case.js";
import {
  isBuiltIn,
  noAnswers,
  openPlaceableSet,
  placeNewModel,
  priceProblem,
  readAnswersOf,
  readScoresOf,
  scoreProblem,
  writeAddedProfile,
} from "../../workbench/index.js";
import type { PlacedModel } from "../../workbench/placement/add-model.js";
import type { GivenFacts } from "../../workbench/placement/describe-new-model.js";
import type { EvidenceOptions, GivenScore } from "../../workbench/placement/given-evidence.js";
import type { OwnAnswer } from "../../workbench/placement/own-prompts.js";
import type { PlaceableSet } from "../../workbench/placement/placeable-set.js";
import type { EmbedTexts } from "../../workbench/placement/prompts-of-the-set.js";
import { flag, JSON_OPTION, type OptionsOf, option, writeResult } from "../command.js";
import { CommandFailure } from "../context.js";
import { path } from "../options.js";
import { profileSubcommand } from "./explained.js";

const OPTIONS = {
  set: option("<folder>", "profile set to add it to", path).required(),
  benchmark: option(
    "<name=score>",
    "published score in [0, 1], such as gpqa=0.84; may be repeated",
  ).repeated(),
  source: option("<text>", "who published the scores of --benchmark, such as an address"),
  scores: option(
    "<file>",
    'published scores: .json such as {"gpqa": 0.84}, .jsonl or .csv as for build; may be repeated',
    path,
  ).repeated(),
  outcomes: option(
    "<path>",
    "graded answers, as for build: to prompts of the set, by their id; may be repeated",
    path,
  ).repeated(),
  prompts: option(
    "<path>",
    "prompts that --outcomes grades answers to; those of the set count as such, by id and text; may be repeated",
    path,
  ).repeated(),
  like: option("<model>", "model of the set that it is a version or fine-tune of"),
  released: option("<date>", "day of its release, such as 2026-01-31; default: that of --like"),
  priceOutput: option("<usd>", "US dollars for a million tokens of output; default: that of --like"),
  effort: option("<effort>", "its reasoning effort, such as low; default: what follows : in its name"),
  embedder: option("<model>", "embedder of --prompts, a folder or hub id; default: SEXTANT_EMBEDDER"),
  force: flag("replace the profile of a model of that name"),
  dryRun: flag("print where it would be placed, and write nothing"),
  ...JSON_OPTION,
};

type AddModelOptions = OptionsOf<typeof OPTIONS>;

export const addModelCommand = profileSubcommand("add-model", {
  about: "place a model in a profile set by published scores, graded answers, or a model it is like",
  operands: [{ name: "<name>", about: "id of the model, as requests and providers name it" }],
  options: OPTIONS,
  help: `
Scores are of the published benchmarks that the set was built with, or means over its own benchmarks and topics. Graded
answers are rows {id, model, score 0..1, tokens_out?, cost_usd?}, where id is that of a prompt of the set, alone or as
source:id, or of a prompt in --prompts. What is expected of a prompt of your own is taken from the prompts of the set that
are like it; answers to others are left out and counted.`,
  examples: [
    "sextant profile add-model new-model --set profiles/default --benchmark gpqa=0.84 --benchmark hle=0.21 --released 2026-09-01",
    "sextant profile add-model our-fine-tune --set profiles/default --like gpt-4o-mini --outcomes graded.jsonl",
    "sextant profile add-model new-model --set profiles/default --scores scores.json --dry-run",
  ],
  async run(options, context, name) {
    const { signal } = context;
    const added = await addModel(name, options, {
      openEmbedder: () => openNamedEmbedder({ ...options, signal }, context),
      signal,
    });
    await writeResult(added, () => renderAddedModel(added, options.set), { json: options.json, context });
  },
});

interface AddModelDependencies {
  readonly openEmbedder: () => Promise<Embedder>;
  readonly signal: AbortSignal;
}

/** What `sextant profile add-model --json` prints. */
export type AddedModelReport = SnakeCased<ReturnType<typeof reportOf>>;

/**
 * Places a model in a set from scores, answers or a model that it is like, and writes its profile.
 *
 * @throws CommandFailure on wrong usage, WorkbenchError, OutcomeDataError, ProfileSetError
 */
async function addModel(
  model: string,
  options: AddModelOptions,
  dependencies: AddModelDependencies,
): Promise<AddedModelReport> {
  const facts = parseFacts(options);
  const typed = (options.benchmark ?? []).map((text) => parseScore(text, options.source ?? "unnamed"));
  requireEvidence(options);
  const set = await openPlaceableSet(options.set);
  requireFreeName(model, { set, options });
  const reading: EvidenceOptions = {
    model,
    textOfMessages,
    signal: dependencies.signal,
    rename: (name, { effort, modelSource }) => catalogId(name, effort, { sourceName: modelSource }),
  };
  const scores = [...typed];
  for (const file of options.scores ?? []) scores.push(...(await readScoresOf(file, reading)));
  const { outcomes = [], prompts = [] } = options;
  const embedding = openWhenNeeded(set, dependencies);
  try {
    const { embed } = embedding;
    const answers =
      outcomes.length === 0
        ? noAnswers(model)
        : await readAnswersOf({ outcomes, prompts }, set, { ...reading, embed });
    const own = await embedOwn(answers.own, embed);
    const placed = placeNewModel(set, { model, scores, outcomes: answers.outcomes, own, facts });
    const { bytes } = placed;
    const written = options.dryRun
      ? null
      : await writeAddedProfile(options.set, set.manifest, { model, bytes });
    return snakeCased(reportOf(placed, { set, scores, path: written, like: options.like ?? null }));
  } finally {
    await embedding.close();
  }
}

function requireEvidence({ benchmark, scores, outcomes, prompts, like }: AddModelOptions): void {
  if (prompts !== undefined && outcomes === undefined) {
    throw new CommandFailure("--prompts needs --outcomes: the graded answers to these prompts", 2);
  }
  if (benchmark ?? scores ?? outcomes ?? like) return;
  throw new CommandFailure(
    "say what to place the model by: --benchmark NAME=SCORE, --scores FILE, --outcomes FILE or --like MODEL",
    2,
  );
}

function requireFreeName(
  model: string,
  { set, options }: { readonly set: PlaceableSet; readonly options: AddModelOptions },
): void {
  if (options.force || !set.profiles.some(({ profile }) => profile.facts.model === model)) return;
  const since = isBuiltIn(set.manifest, model) ? "came with" : "was added to";
  throw new CommandFailure(
    `"${model}" ${since} set "${set.manifest.name}" already; use --force to replace its profile`,
    2,
  );
}

/** Reads `gpqa=.84`. */
function parseScore(text: string, source: string): GivenScore {
  const split = text.lastIndexOf("=");
  const [benchmark, value] = [text.slice(0, split).trim(), text.slice(split + 1).trim()];
  const score = Number(value.replace(/%$/, ""));
  if (split < 1 || benchmark === "" || value === "" || Number.isNaN(score)) {
    throw new CommandFailure(`--benchmark is "${text}"; write a name and a score such as gpqa=0.84`, 2);
  }
  if (value.endsWith("%")) {
    throw new CommandFailure(
      `--benchmark ${benchmark} is ${value}; write it as ${Number((score / 100).toPrecision(6))}`,
      2,
    );
  }
  const problem = scoreProblem(score);
  if (problem === undefined) return { benchmark, score, source, date: null };
  throw new CommandFailure(`--benchmark ${benchmark} ${problem}`, 2);
}

function parseFacts({ like, released, priceOutput, effort }: AddModelOptions): GivenFacts {
  if (
    released !== undefined &&
    (!/^\d{4}-\d{2}-\d{2}$/.test(released) || Number.isNaN(Date.parse(released)))
  ) {
    throw new CommandFailure(`--released is "${released}"; write a date such as 2026-01-31`, 2);
  }
  const price = priceOutput === undefined ? undefined : Number(priceOutput);
  const problem = price === undefined ? undefined : priceProblem(price);
  if (problem !== undefined) throw new CommandFailure(`--price-output ${problem}`, 2);
  if (effort !== undefined && !KNOWN_EFFORTS.includes(effort)) {
    throw new CommandFailure(`--effort is "${effort}"; write one of ${KNOWN_EFFORTS.join(", ")}`, 2);
  }
  return {
    ...(like === undefined ? {} : { like }),
    ...(released === undefined ? {} : { released }),
    ...(price === undefined ? {} : { outputUsdPerMtok: price }),
    ...(effort === undefined ? {} : { effort }),
  };
}

const PROMPTS_AT_ONCE = 64;

/** The embedder takes a second to open: most placements need none. */
function openWhenNeeded(
  set: PlaceableSet,
  { openEmbedder, signal }: AddModelDependencies,
): { readonly embed: EmbedTexts; readonly close: () => Promise<void> } {
  let opened: Embedder | undefined;
  return {
    embed: async (texts) => {
      if (texts.length === 0) return [];
      opened ??= await openEmbedder();
      checkEmbedder(set.folder, set.manifest, opened);
      const vectors: Float32Array[] = [];
      for (let start = 0; start < texts.length; start += PROMPTS_AT_ONCE)
        for (const { vector } of await readPromptTexts(opened, texts.slice(start, start + PROMPTS_AT_ONCE), {
          signal,
        }))
          vectors.push(vector);
      return vectors;
    },
    close: async () => opened?.close(),
  };
}

async function embedOwn(
  own: readonly { readonly text: string; readonly score: number }[],
  embed: EmbedTexts,
): Promise<OwnAnswer[]> {
  const vectors = await embed(own.map(({ text }) => text));
  return own.map(({ score }, row) => ({ score, vector: vectors[row] as Float32Array }));
}

interface Placing {
  readonly set: PlaceableSet;
  readonly scores: readonly GivenScore[];
  /** Null with `--dry-run`. */
  readonly path: string | null;
  readonly like: string | null;
}

function reportOf({ profile, betterModels, ownLeftOut }: PlacedModel, { set, scores, path, like }: Placing) {
  const { facts } = profile;
  return {
    model: facts.model,
    set: set.manifest.name,
    path,
    basis: basisOf(facts),
    expectedQuality: facts.overall_quality,
    /** Standard error. */
    expectedError: facts.overall_error,
    betterModels,
    otherModels: set.profiles.filter((other) => other.profile.facts.model !== facts.model).length,
    restsOn: {
      scores,
      /** Graded answers to prompts of the set, and to prompts of one's own. */
      answers: facts.scored,
      ownAnswers: facts.own_answers ?? 0,
      /** Answers to prompts unlike every prompt of the set, which tell it nothing. */
      ownAnswersLeftOut: ownLeftOut,
      like,
    },
  };
}

/** The same for a person. */
function renderAddedModel(added: AddedModelReport, folder: string): string {
  const { rests_on: evidence } = added;
  const rank = `${ordinal(added.better_models + 1)} of ${added.other_models + 1} models`;
  const lines = [
    `${added.path === null ? "Would place" : "Placed"} ${added.model} in profile set "${added.set}": ` +
      `expected quality ${plusMinus(added)} over all topics (${rank}).`,
    `It rests on ${restsOn(evidence)}.`,
    ...(evidence.own_answers_left_out === 0
      ? []
      : [
          `${evidence.own_answers_left_out} answers are to prompts unlike every prompt of the set and were not used: ` +
            "build a set with these prompts.",
        ]),
  ];
  if (added.path !== null) {
    lines.push(
      `Wrote ${added.path}; undo: sextant profile drop-model ${added.model} --set ${folder}`,
      "A running server takes it within seconds (SEXTANT_WATCH_MS).",
    );
  }
  return lines.join("\n");
}

const plusMinus = (figure: { readonly expected_quality: number; readonly expected_error: number }): string =>
  `${figure.expected_quality.toFixed(3)} ± ${figure.expected_error.toFixed(3)}`;

function restsOn({ scores, answers, own_answers, like }: AddedModelReport["rests_on"]): string {
  const names = [...new Set(scores.map(({ benchmark }) => benchmark))];
  const reasons = [
    names.length === 0 ? "" : `${counted(names.length, "published score")} (${names.join(", ")})`,
    answers === 0 ? "" : `${counted(answers, "graded answer")} to prompts of the set`,
    own_answers === 0 ? "" : `${counted(own_answers, "graded answer")} to prompts of your own`,
  ].filter((part) => part !== "");
  const prior = like === null ? "what is known of its family, date and price" : `what is known of ${like}`;
  return [...reasons, prior].join(" and ");
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

function ordinal(position: number): string {
  const ending =
    position % 100 >= 11 && position % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][position % 10] ?? "th");
  return `${position}${ending}`;
}
