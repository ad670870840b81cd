/** What callers of `sextant/workbench` pass: one shape for each function, whose faults are errors that name field, value and remedy. */
import { z } from "zod";
import { closedObject } from "../foundation/closed-object.js";
import { invalidRequest } from "../foundation/issue-text.js";
import { OptionError } from "../workbench/workbench-error.js";

const isFunction = (value: unknown): boolean => typeof value === "function";
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const text = (what: string) =>
  z.string({ error: `it must be ${what}` }).min(1, { error: `it must be ${what}` });
const texts = (what: string) =>
  z
    .array(text(what), { error: `it must be a list of ${what}` })
    .min(1, { error: `it must name at least one of ${what}` });
const wholeBetween = (least: number, most: number) => {
  const error = `it must be a whole number from ${least} to ${most}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
};
const between = (least: number, most: number, error = `it must be a number from ${least} to ${most}`) =>
  z.number({ error }).min(least, { error }).max(most, { error });
const atLeast = (least: number, error = `it must be a number of at least ${least}`) =>
  z.number({ error }).min(least, { error });
const count = z.int({ error: "it must be a whole number" }).min(1, { error: "it must be at least 1" });
const flag = z.boolean({ error: "it must be true or false" });
const object = (what: string) => z.custom<object>(isObject, { error: `it must be ${what}` });
const called = z.custom(isFunction, { error: "it must be a function" }).optional();

const folder = text("the path of a folder");
const files = texts("files or folders, such as `held-out`");
const seed = wholeBetween(0, 0xffff_ffff).optional();
const costWeight = between(0, 1);
const prompts = z
  .array(object("a prompt with `id` and `prompt`"), {
    error: "it must be a list of prompts, such as `readPrompts` reads",
  })
  .min(1, { error: "it must hold at least one prompt" });
const embedder = text("a folder or hub id").optional();
const A_DATE = { error: "it must be a date such as 2026-01-31T12:00:00Z" };
const builtAt = z
  .string(A_DATE)
  .refine((date) => !Number.isNaN(Date.parse(date)), A_DATE)
  .optional();
const cancellation = {
  signal: z.instanceof(AbortSignal, { error: "it must be an AbortSignal" }).optional(),
  onProgress: called,
};

export const collectOptions = {
  prompts,
  models: texts("model ids"),
  folder,
  grader: object("a grader, such as `exactGrader()`"),
  system: z.string({ error: "it must be a text" }).optional(),
  temperature: between(0, 2).optional(),
  maxTokens: count.optional(),
  maxUsd: atLeast(0).optional(),
  concurrency: wholeBetween(1, 1000).optional(),
  providerConcurrency: wholeBetween(1, 1000).optional(),
  lostCalls: z.enum(["ask", "skip"], { error: 'it must be "ask" or "skip"' }).optional(),
  confirm: called,
  ...cancellation,
};

/** What builds by other sources have, too. */
export const plannedSetOptions = {
  folder,
  replace: flag.optional(),
  keepNames: flag.optional(),
  seed,
  builtAt,
  embedder,
};

export const buildSetOptions = {
  ...plannedSetOptions,
  prompts: files,
  outcomes: files,
  name: text("a name").optional(),
  scores: z.array(text("a file"), { error: "it must be a list of files" }).optional(),
  ...cancellation,
};

const decideOptions = { set: folder.optional(), embedder, signal: cancellation.signal };

export const evaluateSetOptions = {
  ...decideOptions,
  ...cancellation,
  prompts: files,
  outcomes: files,
  costWeight: costWeight.optional(),
  per: z.enum(["call", "task"], { error: 'it must be "call" or "task"' }).optional(),
  includeKnown: flag.optional(),
  minCoverage: between(0, 1).optional(),
  candidates: flag.optional(),
  seed,
};

const SHARE = "it must be a share of quality from 0 to 1: 2 points are 0.02";
const GOAL = 'it must be `{ maxLoss }`, `{ maxCostUsd }` or "knee"';
const goal = z.union(
  [
    z.literal("knee"),
    closedObject(
      {
        maxLoss: between(0, 1, SHARE).optional(),
        maxCostUsd: atLeast(0, "it must be a number of dollars a prompt, at least 0").optional(),
      },
      GOAL,
    ).refine((limits) => Object.values(limits).filter((limit) => limit !== undefined).length === 1, {
      error: GOAL,
    }),
  ],
  { error: GOAL },
);

const { costWeight: _decidedByTheGoal, candidates: _ofDecisions, ...heldOut } = evaluateSetOptions;
export const tuneOptions = { ...heldOut, goal, save: flag.optional() };

export const labelNextOptions = {
  ...cancellation,
  set: folder,
  model: text("the id of a model"),
  pool: prompts,
  count,
  outcomes: z.array(text("a file or folder"), { error: "it must be a list of files or folders" }).optional(),
  seed,
  embedder,
};

const { set: _setOfTheReport, seed: _seedOfTheReport, ...heldOutOfReport } = evaluateSetOptions;
export const reportSetOptions = {
  set: folder,
  seed,
  maxPoints: count.optional(),
  heldOut: closedObject(heldOutOfReport, "it must be an object with `prompts` and `outcomes`").optional(),
};

export const replayOptions = {
  ...decideOptions,
  costWeights: z
    .array(costWeight, { error: "it must be a list of numbers from 0 to 1" })
    .min(1, { error: "it must hold at least one cost weight" }),
};

const number = (error: string) => z.number({ error }).nullish();
export const pastRequest = z.looseObject(
  {
    messages: z
      .array(object("an object with `role` and `content`"), { error: "it must be a list of messages" })
      .min(1, { error: "it must hold at least one message" }),
    model: text("the id of the model that answered"),
    costUsd: number("it must be a number of dollars, or null"),
    promptTokens: number("it must be a number of tokens, or null"),
    candidates: texts("ids of the models that the request may go to"),
    feedback: between(0, 1, "it must be a number from 0 to 1, or null").nullish(),
  },
  { error: "it must be an object with `messages`, `model` and `candidates`" },
);

export const fromTracesOptions = {
  ...cancellation,
  onNote: called,
  outcomes: folder,
  judge: closedObject(
    {
      grader: object("a grader, such as `judgeGrader(…)`"),
      sample: count.optional(),
      maxUsd: atLeast(0).optional(),
    },
    "it must be an object with `grader`",
  ).optional(),
  update: closedObject(
    {
      set: folder,
      folder,
      name: text("a name").optional(),
      replace: flag.optional(),
      seed,
      embedder,
      builtAt,
    },
    "it must be an object with `set` and `folder`",
  ).optional(),
};

export const setFolder = folder;
export const evaluation = z.looseObject(
  { decisions: z.array(z.unknown(), { error: "it must be a list of decisions" }) },
  { error: "it must be an evaluation, as `evaluateSet` makes it" },
);

/**
 * Has a schema for every option of the type.
 *
 * @throws WorkbenchError naming the option, its value and what it must be; of an unknown one the nearest that is known
 */
export function checkOptions<Options>(
  shape: { readonly [Name in keyof Required<Options>]: z.ZodType },
  options: Options,
): void {
  checkArgument("options", closedObject(shape, "it must be an object of options"), options);
}

/** @throws WorkbenchError naming the argument or its field, its value and what it must be */
export function checkArgument(name: string, schema: z.ZodType, value: unknown): void {
  const given = { [name]: value };
  const checked = z.object({ [name]: schema }).safeParse(given);
  if (!checked.success) throw new OptionError(invalidRequest(checked.error, given).message);
}
