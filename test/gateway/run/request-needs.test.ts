import { describe, expect, it } from "vitest";
import type { CatalogProvider, Deployment } from "../../../src/engine/catalog/deployments/deployment.js";
import type { ChatBody } from "../../../src/gateway/providers/chat.js";
import { abilitiesFor, nativePlan, takesFunctionsOnly } from "../../../src/gateway/run/request-needs.js";
import { deploymentOf, ListedDeployments } from "../../fakes/deployments.js";

const messages = [{ role: "user", content: "hello" }];
const at = (model: string, provider: string, changes: Partial<Deployment> = {}): Deployment =>
  deploymentOf(provider, model, changes);

class Catalog extends ListedDeployments {
  override providers(): readonly CatalogProvider[] {
    return super.providers().map((each) => (each.id === "anthropic" ? { ...each, type: "anthropic" } : each));
  }
}
const catalog = new Catalog([
  at("gpt", "openai", { api: "responses", chatToo: true, refuses: ["logprobs", "stop"] }),
  at("gpt-pro", "openai", { api: "responses", refuses: ["logprobs", "stop"] }),
  at("gpt-4o-audio", "openai"),
  at("gpt-4o-search", "openai"),
  at("claude", "anthropic"),
  at("claude", "openrouter", { enabled: false }),
  at("gemini", "google"),
  at("mistral", "mistral"),
  at("deepseek", "deepseek"),
]);
const MODELS = "gpt gpt-pro gpt-4o-audio gpt-4o-search claude gemini mistral deepseek".split(" ");
const allBut = (one: string) => MODELS.filter((model) => model !== one).join(" ");
const providers = new Map([["openai", { natives: new Set(["responses"] as const) }]]);

/** The models that cannot, and the field that they cannot do. */
function unable(fields: Partial<ChatBody>): Record<string, string | undefined> {
  const { cannotDo = () => undefined } = abilitiesFor(
    { body: { messages, ...fields } },
    { catalog, providers },
  );
  return Object.fromEntries(MODELS.flatMap((model) => (cannotDo(model) ? [[model, cannotDo(model)]] : [])));
}
const unableModels = (fields: Partial<ChatBody>): string => Object.keys(unable(fields)).join(" ");
const part = (type: string) => ({ messages: [{ role: "user", content: [{ type }] }] });

describe("Candidates for a request", () => {
  it("are not asked when it needs nothing that only some models do", () => {
    const plain = { temperature: 0.3, tools: [{ type: "function" }], n: 1, logprobs: false, stop: [] };
    expect(abilitiesFor({ body: { messages, ...plain } }, { catalog, providers })).toEqual({});
  });

  it.each([
    ["several answers", { n: 2 }, "gpt-pro claude"],
    ["functions of the old form", { functions: [{ name: "f" }] }, "gpt-pro claude"],
    ["logprobs", { logprobs: true }, "gpt gpt-pro claude"],
    ["custom tools", { tools: [{ type: "custom", custom: { name: "c" } }] }, MODELS.slice(2).join(" ")],
    ["a web search", { web_search_options: {} }, allBut("gpt-4o-search")],
    ["spoken answers", { modalities: ["text", "audio"] }, allBut("gpt-4o-audio")],
    ["sound in messages", part("input_audio"), "gpt gpt-pro gpt-4o-search claude mistral deepseek"],
    ["files in messages", part("file"), "mistral deepseek"],
    ["a text that ends the answer", { stop: "END" }, "gpt gpt-pro"],
    ["texts that end the answer", { stop: ["END"] }, "gpt gpt-pro"],
    ["a schema", { response_format: { type: "json_schema" } }, "deepseek"],
  ])("with %s leave out those that cannot", (_, fields, expected) => {
    expect(unableModels(fields as Partial<ChatBody>)).toBe(expected);
  });

  it("leave out models with the field that they cannot do", () => {
    expect(unable({ n: 2, response_format: { type: "json_schema" } })).toEqual({
      "gpt-pro": "n",
      claude: "n",
      deepseek: "response_format",
    });
  });

  it("are all, where custom tools can stand as functions", () => {
    const body = { messages, tools: [{ type: "custom", custom: { name: "c" } }] };
    const functionsOnly = { body: { messages, tools: [{ type: "function" }] }, leftOut: [] };
    expect(abilitiesFor({ body, functionsOnly }, { catalog, providers })).toEqual({});
  });

  it("are those of a provider that has the API, where nothing can be translated", () => {
    const request = { api: "responses", body: {}, headers: {}, replaceable: false } as const;
    const native = { request, use: "required", need: { param: "tools[0]", what: "a search" } } as const;
    const { cannotDo } = abilitiesFor({ body: { messages }, native }, { catalog, providers });
    expect(MODELS.filter((model) => cannotDo?.(model) === "tools[0]")).toEqual(MODELS.slice(4));
  });
});

describe("What OpenAI encrypted", () => {
  const natives = new Set(["responses"] as const);
  const both = new Map(["openai", "x-ai"].map((id) => [id, { natives }]));
  const places = [at("gpt", "openai"), at("grok", "x-ai")];
  const request = { api: "responses", body: {}, headers: {}, replaceable: false } as const;
  const need = { param: "input[0].type", what: "it", notBy: new Set(["x-ai"]) };
  const native = { request, use: "required", need } as const;

  it("goes to no other vendor that has the API", () => {
    const listed = new ListedDeployments(places);
    const { cannotDo } = abilitiesFor({ body: { messages }, native }, { catalog: listed, providers: both });
    expect(["gpt", "grok"].map((model) => cannotDo?.(model))).toEqual([undefined, "input[0].type"]);
    const plan = places.map((deployment) => ({ name: deployment.model, deployments: [deployment] }));
    expect(nativePlan(plan, native, both).map(({ name }) => name)).toEqual(["gpt"]);
    const refused = expect.objectContaining({ code: "invalid_request", param: "input[0].type" });
    expect(() => nativePlan(plan.slice(1), native, both)).toThrow(refused);
  });
});

describe("A translation with tools of OpenAI's", () => {
  const native = { api: "responses", body: {}, headers: {}, replaceable: true } as const;
  const responses = { api: "responses", chatToo: true } as const;

  it.each([
    ["a model at an effort, by Responses", at("gpt", "openai", responses), undefined, false],
    [
      "a request that goes as it came, should its server lack Responses",
      at("gpt", "openai", responses),
      native,
      true,
    ],
    ["a server that lacks Responses", at("gpt", "lab", responses), undefined, true],
    ["a model of chat completions", at("gpt-4o-audio", "openai"), undefined, true],
    ["another vendor's model", at("claude", "anthropic"), undefined, true],
  ])("for %s", (_, deployment, native, functionsOnly) => {
    expect(takesFunctionsOnly(deployment, { native, providers })).toBe(functionsOnly);
  });
});
