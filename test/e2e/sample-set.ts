import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MAIN, newFolder } from "./server-process.js";

const SAMPLE = fileURLToPath(new URL("../../datasets/sample", import.meta.url));
export const SAMPLE_MODELS = ["sample-large", "sample-medium", "sample-small"] as const;

/** Builds a profile set of the sample, or of some of its models, with the command. */
export function buildSampleSet(folder: string, models: readonly string[] = SAMPLE_MODELS): void {
  const outcomes = `${folder}.jsonl`;
  const lines = readFileSync(join(SAMPLE, "outcomes.jsonl"), "utf8").trimEnd().split("\n");
  const wanted = lines.filter((line) => models.includes((JSON.parse(line) as { model: string }).model));
  writeFileSync(outcomes, wanted.join("\n"));
  const files = ["--prompts", join(SAMPLE, "prompts.jsonl"), "--outcomes", outcomes, "--out", folder];
  execFileSync(process.execPath, [MAIN, "profile", "build", ...files], { stdio: "ignore" });
  rmSync(outcomes);
}

let shared: string | undefined;

/** A set that all tests of this process share and none changes: a server loads it in a fraction of the time of the shipped one. */
export function sampleSet(): string {
  if (shared === undefined) {
    const folder = newFolder();
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    shared = join(folder, "sample");
    buildSampleSet(shared);
  }
  return shared;
}

/** A provider for the settings file that serves models of the sample, so that requests can be routed. */
export const sampleProvider = (baseUrl: string, models: readonly string[] = SAMPLE_MODELS) => ({
  id: "lab",
  type: "openai-compatible",
  base_url: baseUrl,
  models: models.map((id) => ({ id, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } })),
});
