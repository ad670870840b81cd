/** Facts about models as public lists give them, made into the fields of the catalog file. */
import { z } from "zod";
import type { Charge, ModelEntry } from "../../src/engine/catalog/catalog-file.js";

/** What one list says of one model at one provider. */
export interface SourceRecord {
  /** Id of the public provider that runs it under `name`; null for one who is none. */
  readonly provider: string | null;
  /** Name at that provider; of a record about the model itself, its maker's name for it. */
  readonly name: string;
  /** Whether it is about the model itself, and not about what a host makes of it. */
  readonly ofMaker: boolean;
  readonly facts: Pick<
    ModelEntry,
    | "maker"
    | "family"
    | "released"
    | "context"
    | "max_output"
    | "input"
    | "tools"
    | "structured_output"
    | "open_weights"
  >;
  /** Whether its facts only complete the file's, and do not replace them. */
  readonly completes: boolean;
  readonly price: Charge | null;
  readonly source: string;
  readonly asOf: string | undefined;
}

/** A list that is in none of the known forms; the message says what was expected. */
class SourceError extends Error {
  override readonly name = "SourceError";
}

/** Public providers by their ids in the lists of models.dev. */
const PROVIDERS: Readonly<Record<string, string>> = {
  openai: "openai",
  anthropic: "anthropic",
  google: "google",
  mistral: "mistral",
  deepseek: "deepseek",
  xai: "x-ai",
  groq: "groq",
  "fireworks-ai": "fireworks",
  togetherai: "together",
  openrouter: "openrouter",
};

/** Makers whose own API serves what they list, except weights that they leave to others. */
const SERVING_MAKERS = new Set(["openai", "anthropic", "google", "mistral", "xai"]);

const nullish = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);
const usd = nullish(z.number().min(0));
const costSchema = nullish(z.object({ input: usd, output: usd, cache_read: usd }));

const lineSchema = z.object({
  id: z.string().regex(/^[^/]+\/.+$/),
  maker: z.string(),
  family: nullish(z.string()),
  release_date: nullish(z.string()),
  release_date_suspect: nullish(z.boolean()),
  last_updated: nullish(z.string()),
  context: nullish(z.number()),
  max_output: nullish(z.number()),
  input_modalities: nullish(z.array(z.string())),
  tool_call: nullish(z.boolean()),
  structured_output: nullish(z.boolean()),
  open_weights: nullish(z.boolean()),
  cost: costSchema,
  cost_source: nullish(z.string()),
  repo: z.string(),
  repo_commit: z.string(),
  path: z.string(),
});

const apiModelSchema = z.object({
  id: z.string(),
  family: nullish(z.string()),
  release_date: nullish(z.string()),
  last_updated: nullish(z.string()),
  limit: nullish(z.object({ context: nullish(z.number()), output: nullish(z.number()) })),
  modalities: nullish(
    z.object({ input: nullish(z.array(z.string())), output: nullish(z.array(z.string())) }),
  ),
  tool_call: nullish(z.boolean()),
  structured_output: nullish(z.boolean()),
  open_weights: nullish(z.boolean()),
  cost: costSchema,
});

const apiSchema = z.record(z.string(), z.object({ models: z.record(z.string(), apiModelSchema) }));

const SERVED_HEADER = "model,id,created,input_usd_per_mtok,output_usd_per_mtok,context,source";

/**
 * The records of a list: models.dev's `api.json`, its model files as JSON Lines, or a host's list as CSV.
 *
 * @throws SourceError when it is none of these
 */
export function parseSource(text: string, from: string): readonly SourceRecord[] {
  if (text.startsWith(SERVED_HEADER)) return servedRecords(text);
  const first = text.slice(0, text.indexOf("\n") < 0 ? text.length : text.indexOf("\n"));
  try {
    return isModelLine(first) ? lineRecords(text) : apiRecords(JSON.parse(text), from);
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new SourceError(
      `${from} is neither models.dev's api.json, nor its models as JSON Lines, nor a CSV of served models: ${why}`,
      { cause },
    );
  }
}

function isModelLine(line: string): boolean {
  try {
    return lineSchema.safeParse(JSON.parse(line)).success;
  } catch {
    return false;
  }
}

function lineRecords(text: string): readonly SourceRecord[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => lineRecord(lineSchema.parse(JSON.parse(line))));
}

function lineRecord(line: z.infer<typeof lineSchema>): SourceRecord {
  const { maker, open_weights: openWeights = false } = line;
  const serves = SERVING_MAKERS.has(maker) && (!openWeights || maker === "mistral");
  // Of open weights, the price is the market's.
  const provider = serves
    ? (PROVIDERS[maker] ?? null)
    : /openrouter/i.test(line.cost_source ?? "")
      ? "openrouter"
      : null;
  return {
    provider,
    name: line.id.slice(line.id.indexOf("/") + 1),
    ofMaker: true,
    completes: false,
    facts: {
      maker,
      ...defined({
        family: line.family,
        released: line.release_date_suspect === true ? undefined : line.release_date,
        context: line.context,
        max_output: line.max_output,
        input: line.input_modalities,
        tools: line.tool_call,
        structured_output: line.structured_output,
        open_weights: line.open_weights,
      }),
    },
    price: priceOf(line.cost),
    source: `https://github.com/${line.repo}/blob/${line.repo_commit}/${line.path}`,
    asOf: dayOf(line.last_updated),
  };
}

function apiRecords(content: unknown, from: string): readonly SourceRecord[] {
  return Object.entries(apiSchema.parse(content)).flatMap(([listed, { models }]) => {
    const provider = PROVIDERS[listed];
    if (provider === undefined) return [];
    const ofMaker = SERVING_MAKERS.has(listed) || listed === "deepseek";
    return Object.values(models)
      .filter(({ modalities }) => modalities?.output?.includes("text") !== false)
      .map((model) => ({
        provider,
        name: model.id,
        ofMaker,
        completes: false,
        facts: {
          ...(ofMaker ? { maker: listed } : {}),
          ...defined({
            family: model.family,
            released: model.release_date,
            context: positive(model.limit?.context),
            max_output: positive(model.limit?.output),
            input: model.modalities?.input,
            tools: model.tool_call,
            structured_output: model.structured_output,
            open_weights: model.open_weights,
          }),
        },
        price: priceOf(model.cost),
        source: `${from} ${listed}`,
        asOf: dayOf(model.last_updated),
      }));
  });
}

function servedRecords(text: string): readonly SourceRecord[] {
  const rows = text.trim().split("\n").slice(1);
  return rows.flatMap((row) => {
    const [, name = "", , input = "", output = "", context = "", source = ""] = row.split(",");
    if (!name.includes("/")) return [];
    const price = priceOf({ input: Number(input), output: Number(output), cache_read: undefined });
    return [
      {
        provider: "openrouter",
        name,
        ofMaker: false,
        completes: false,
        price,
        source,
        asOf: undefined,
        facts: defined({ context: positive(Number(context)) }),
      },
    ];
  });
}

/** Null where it is not known, and for what costs nothing: that is an offer of the day, or another way of billing. */
function priceOf(cost: z.infer<typeof costSchema>): SourceRecord["price"] {
  const { input, output, cache_read: cached } = cost ?? {};
  if (input === undefined || output === undefined || input <= 0 || output <= 0) return null;
  return { input, ...(cached === undefined ? {} : { cached_input: cached }), output };
}

const positive = (count: number | undefined): number | undefined =>
  count !== undefined && count > 0 ? count : undefined;

const dayOf = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : undefined;

type Defined<Fields> = { [Field in keyof Fields]?: Exclude<Fields[Field], undefined> };

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Fields>;
}
