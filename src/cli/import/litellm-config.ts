/** LiteLLM's config.yaml, as far as it is read: https://docs.litellm.ai/docs/proxy/config_settings, read 2026-11-26. */
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { shortened } from "../../foundation/bounded-text.js";
import { CommandFailure } from "../context.js";

/** A YAML value that is a text here, also where it was written without quotes. */
const text = z.union([z.string(), z.number()]).transform(String);
const usd = z.coerce.number().min(0).nullish();
const section = z.record(z.string(), z.unknown()).nullish();
/** A list of objects with one member: a model, and what comes after it. */
const fallbackList = z.array(z.record(z.string(), z.array(text))).nullish();

const entrySchema = z.object({
  model_name: text,
  litellm_params: z.looseObject({
    model: text,
    api_base: text.nullish(),
    base_url: text.nullish(),
    api_key: text.nullish(),
    api_version: text.nullish(),
    input_cost_per_token: usd,
    output_cost_per_token: usd,
  }),
  model_info: z
    .looseObject({
      base_model: text.nullish(),
      mode: text.nullish(),
      max_input_tokens: z.coerce.number().int().positive().nullish(),
      input_cost_per_token: usd,
      output_cost_per_token: usd,
    })
    .nullish(),
});

const configSchema = z.looseObject({
  include: z.array(text).nullish(),
  model_list: z.array(entrySchema).nullish(),
  router_settings: z
    .looseObject({
      fallbacks: fallbackList,
      model_group_alias: z.record(z.string(), z.union([text, z.looseObject({ model: text })])).nullish(),
    })
    .nullish(),
  litellm_settings: z
    .looseObject({ fallbacks: fallbackList, default_fallbacks: z.array(text).nullish() })
    .nullish(),
  general_settings: section,
  environment_variables: section,
});

export type LiteLlmConfig = z.infer<typeof configSchema>;
export type LiteLlmEntry = z.infer<typeof entrySchema>;

/** With the models of the files that it includes. @throws CommandFailure that names the file, and the member that is wrong */
export async function readLiteLlmConfig(path: string, within: string[] = []): Promise<LiteLlmConfig> {
  if (within.includes(path)) throw new CommandFailure(`${path} includes itself. Remove it from \`include\`.`);
  const source = await readFile(path, "utf8").catch(({ message }) => {
    throw new CommandFailure(`${path} cannot be read: ${message}`);
  });
  const parsed = configSchema.safeParse(yamlOf(source, path));
  if (!parsed.success) {
    const { path: at, message } = parsed.error.issues[0] ?? { path: [], message: "" };
    const member = shortened(at.join(".")) || "the file";
    throw new CommandFailure(`${path}: ${member} is not of LiteLLM's form: ${message}. Correct it.`);
  }
  const { include, ...config } = parsed.data;
  const included = await Promise.all(
    (include ?? []).map((name) => readLiteLlmConfig(resolve(dirname(path), name), [...within, path])),
  );
  return { ...config, model_list: [config, ...included].flatMap(({ model_list }) => model_list ?? []) };
}

/** Says nothing of what the file holds: warnings, and the lines of a fault after its first, quote it. */
function yamlOf(source: string, path: string): unknown {
  try {
    return parse(source, { logLevel: "error" }) ?? {};
  } catch (error) {
    const [said = ""] = String(error instanceof Error ? error.message : error).split("\n");
    throw new CommandFailure(`${path} is not YAML: ${shortened(said.replace(/:$/, ""))}. Correct it.`);
  }
}
