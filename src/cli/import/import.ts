import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Command } from "commander";
import { resolveProviders } from "../../engine/index.js";
import { settingsOf } from "../../gateway/index.js";
import { type CliContext, CommandFailure, writeLine } from "../context.js";
import { fromLiteLlm } from "./from-litellm.js";
import { readLiteLlmConfig } from "./litellm-config.js";

/** `sextant import`: settings from the configuration of another gateway. */
export function importCommand(context: CliContext): Command {
  return new Command("import")
    .description("make settings from the configuration of another gateway")
    .addCommand(litellmCommand(context));
}

function litellmCommand(context: CliContext): Command {
  return new Command("litellm")
    .description("models, deployments, aliases and fallbacks of LiteLLM's config.yaml, and what has no equal")
    .argument("<file>", "config.yaml")
    .option("--out <file>", "settings file to write, such as sextant.config.json; default: print it")
    .action(async (file: string, { out }: { readonly out?: string }) => {
      const config = await readLiteLlmConfig(resolve(context.workingDirectory, file));
      const { settings, variables, notes } = fromLiteLlm(config, context.environment);
      // What no server would start with ends here, with the words of its start. Clouds may be named where it runs.
      const { model_limits: modelLimits = [], ...others } = settings;
      const given = { ...others, modelLimits };
      const clouds = { AWS_REGION: "us-east-1", GOOGLE_CLOUD_PROJECT: "any" };
      resolveProviders(settingsOf(given, Object.keys(given)), { ...clouds, ...context.environment });
      const text = JSON.stringify(settings, null, 2);
      if (out === undefined) await writeLine(context.stdout, text);
      else await create(resolve(context.workingDirectory, out), `${text}\n`);
      const report = [
        `${settings.providers.length} providers, ${settings.deployments.length} deployments.`,
        ...(variables.length === 0 ? [] : [`Keys come from ${variables.join(", ")}.`]),
        ...(notes.length === 0 ? [] : ["Not imported as it is:", ...notes.map((note) => `  ${note}`)]),
      ];
      await writeLine(context.stderr, report.join("\n"));
    })
    .addHelpText(
      "after",
      "\nExamples:\n  $ sextant import litellm config.yaml\n  $ sextant import litellm config.yaml --out sextant.config.json",
    );
}

async function create(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: "wx", mode: 0o600 }).catch((error) => {
    throw new CommandFailure(
      error.code === "EEXIST"
        ? `${path} is there already. Name another file, and merge the two.`
        : `${path} cannot be written: ${error.message}`,
    );
  });
}
