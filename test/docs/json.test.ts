/** Every JSON example of the documentation: settings are loaded, answers are compared with the schema of their route. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveProviders } from "../../src/engine/catalog/deployments/provider-entries.js";
import { manifestSchema } from "../../src/engine/profiles/manifest.js";
import { traceSchema } from "../../src/gateway/features/traces/schema/trace.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { fileKeyOf } from "../../src/gateway/settings.js";
import { readPublishedScores } from "../../src/workbench/outcomes/published-scores.js";
import { KEY, startTestServer } from "../gateway/server.js";
import { folderForTests } from "../support/folders.js";
import { type Example, examplesIn } from "./examples.js";

const folder = folderForTests();
const { app } = startTestServer();
type Operation = {
  readonly responses: Readonly<Record<string, { content: { "application/json": { schema: object } } }>>;
};
let paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
beforeAll(async () => {
  paths = (await app.inject({ url: "/openapi.json" })).json().paths;
});
afterAll(() => app.close());

/** A settings file: it is loaded, and its providers are known to the catalog. */
function loadsAsSettings({ code }: Example): void {
  writeFileSync(join(folder, "sextant.config.json"), code);
  const variables = { OPS_WEBHOOK_URL: "https://hooks.example" };
  const settings = loadSettings(variables, { workingDirectory: folder });
  expect(resolveProviders(settings, {}).length).toBeGreaterThan(10);
  const byFileKey = Object.entries(settings).map(([name, value]) => [fileKeyOf(name), value]);
  expect(Object.fromEntries(byFileKey)).toMatchObject(JSON.parse(code));
}

function isASettingOrPartOfATrace(example: Example): void {
  const { savings } = JSON.parse(example.code);
  if (savings === undefined) loadsAsSettings(example);
  else expect(traceSchema.shape.savings.parse(savings)).toEqual(savings);
}

/** An answer of the route that is the heading. */
function fitsTheRoute({ heading, code }: Example): void {
  const [method = "", path = ""] = heading.split(" ");
  const operation = paths[path]?.[method.toLowerCase()];
  const success = operation?.responses[200] ?? operation?.responses[201];
  const schema = success?.content["application/json"].schema;
  expect(schema, `${heading} is no route`).toBeDefined();
  // An example with the member "…" leaves out some.
  const isWhole = !code.includes('"…"');
  const value = JSON.parse(code, (name, member) => (name === "…" ? undefined : member));
  const relaxed = JSON.stringify(schema, (name, member) =>
    name === "required" && !isWhole ? undefined : member,
  );
  const ajv = new Ajv({ strict: false, validateFormats: false });
  expect(ajv.validate(JSON.parse(relaxed), value), ajv.errorsText()).toBe(true);
}

/** The error of a request like the one that its message names. */
async function isTheServersError({ code }: Example): Promise<void> {
  const { error } = JSON.parse(code);
  const payload = { model: "gpt-4o-mini", messages: [{ role: "robot", content: "Hello" }] };
  const response = await app.inject({
    method: "POST",
    url: "/v1/chat/completions",
    headers: { "x-api-key": KEY },
    payload,
  });
  expect(response.json().error).toEqual(error);
}

/** A line of published scores. */
async function isAScore({ code }: Example): Promise<void> {
  const file = join(folder, "scores.jsonl");
  writeFileSync(file, code);
  for await (const score of readPublishedScores(file, { rename: (model) => model }))
    expect(score).toMatchObject(JSON.parse(code));
}

/** An entry of the manifest of a profile set. */
function isInTheManifest({ code }: Example): void {
  expect(manifestSchema.partial().parse(JSON.parse(code))).toEqual(expect.objectContaining(JSON.parse(code)));
}

const CHECKS: Readonly<Record<string, (example: Example) => void | Promise<void>>> = {
  "docs/settings.md": loadsAsSettings,
  "docs/providers.md": loadsAsSettings,
  "docs/access.md": loadsAsSettings,
  "docs/alerts.md": loadsAsSettings,
  "docs/comparisons.md": loadsAsSettings,
  "docs/tools.md": loadsAsSettings,
  "docs/savings.md": isASettingOrPartOfATrace,
  "docs/evaluation.md": isInTheManifest,
  "docs/api.md": fitsTheRoute,
  "docs/errors.md": isTheServersError,
  "datasets/README.md": isAScore,
};

describe("JSON examples in the documentation", () => {
  it.each(examplesIn("json").map((example) => [example.name, example] as const))(
    "match their schema: %s",
    async (_, example) => {
      const check = CHECKS[example.page];
      if (check === undefined)
        throw new Error(`say in CHECKS how the examples of ${example.page} are checked`);
      await check(example);
    },
  );
});
