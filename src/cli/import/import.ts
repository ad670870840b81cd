import { writeFile } from "node:fs/promises";
import { resolveProviders } from "../../engine/index.js";
import { settingsOf } from "../../gateway/index.js";
import { command, group, option } from "../command.js";
import { CommandFailure, writeLine } from "../context.js";
import { path } from "../options.js";
import { fromLiteLlm } from "./from-litellm.js";
import { readLiteLlmConfig } from "./litellm-config.js";

const litellmCommand = command("litellm", {
  about:
    "convert models, deployments, aliases and fallbacks of LiteLLM's config.yaml, and list what has no equivalent",
  operands: [{ name: "<file>", about: "config.yaml" }],
  options: {
    out: option("<file>", "settings file to write, such as sextant.config.json; default: print it", path),
  },
  examples: [
    "sextant import litellm config.yaml",
    "sextant import litellm config.yaml --out sextant.config.json",
  ],
  async run({ out }, context, file) {
    const config = await readLiteLlmConfig(path(file, context));
    const { settings, variables, notes } = fromLiteLlm(config, context.environment);
    // Settings that no server would start with are refused here, in the words of its start. The clouds' variables may be set elsewhere.
    const { model_limits: modelLimits = [], ...others } = settings;
    const given = { ...others, modelLimits };
    const clouds = { AWS_REGION: "us-east-1", GOOGLE_CLOUD_PROJECT: "any" };
    resolveProviders(settingsOf(given, Object.keys(given)), { ...clouds, ...context.environment });
    const text = JSON.stringify(settings, null, 2);
    if (out === undefined) await writeLine(context.stdout, text);
    else await create(out, `${text}\n`);
    const report = [
      `${settings.providers.length} providers, ${settings.deployments.length} deployments.`,
      ...(variables.length === 0 ? [] : [`Keys come from ${variables.join(", ")}.`]),
      ...(notes.length === 0 ? [] : ["Not imported as it is:", ...notes.map((note) => `  ${note}`)]),
    ];
    await writeLine(context.stderr, report.join("\n"));
  },
});

/** `sextant import`: settings from the configuration of another gateway. */
export const importCommand = group("import", "convert the configuration of another gateway into settings", {
  commands: [litellmCommand],
});

async function create(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: "wx", mode: 0o600 }).catch((error) => {
    throw new CommandFailure(
      error.code === "EEXIST"
        ? `${file} exists. Name another file, and merge the two.`
        : `${file} cannot be written: ${error.message}`,
    );
  });
}
