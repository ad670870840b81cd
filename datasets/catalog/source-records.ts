/** Facts about models as models.dev gives them, made into the fields of the catalog file. */
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

/** Makers whose own API serves what they list. */
const MAKERS = new Set(["openai", "anthropic", "google", "mistral", "xai", "deepseek"]);

const nullish = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);
const usd = nullish(z.number().min(0));
const costSchema = nullish(z.object({ input: usd, output: usd, cache_read: usd }));

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

/**
 * The records of `api.json` of models.dev.
 *
 * @param from where it is from
 * @throws Error when it has another form
 */
export function parseSource(text: string, from: string): readonly SourceRecord[] {
  const parsed = apiSchema.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new Error(`${from} is not api.json of models.dev: ${z.prettifyError(parsed.error)}`);
  return Object.entries(parsed.data).flatMap(([listed, { models }]) => {
    const provider = PROVIDERS[listed];
    if (provider === undefined) return [];
    const ofMaker = MAKERS.has(listed);
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
