import { VENDOR_RULES, VENDORS } from "../../test/fakes/vendors/vendor-server.js";
import { type Fate, type Finding, type RuleFinding, WAYS, type Way } from "./measure.js";
import { SERVED_APIS, type ServedApi } from "./requests.js";

/** Words for a fate, in the order of the counts. */
export const FATE_WORDS: Readonly<Record<Fate, string>> = {
  passed: "passes",
  repaired: "repaired",
  refused_here: "refused by the gateway",
  refused_there: "refused by the vendor",
  text_lost: "refused, text lost",
  not_sayable: "–",
};

const NAMES: Readonly<Record<string, string>> = {
  openai: "OpenAI",
  anthropic: "Anthropic",
  google: "Gemini",
  mistral: "Mistral",
  deepseek: "DeepSeek",
  "x-ai": "xAI",
  openrouter: "OpenRouter",
  ollama: "Ollama",
  vllm: "vLLM",
};

/** The rules and how each of the gateway's APIs fares at each, as a page. */
export function vendorsPage(findings: readonly RuleFinding[]): string {
  const guesses = VENDOR_RULES.filter(({ source }) => source === "guess").length;
  const inOrder = VENDORS.flatMap((vendor) => findings.filter(({ rule }) => rule.vendor === vendor));
  return [
    "# Vendors' rules",
    "What do vendors refuse, and what happens when a client asks for it through the gateway? Each rule was reported or is documented " +
      `where it links, on the day beside it; the latest were read on 2026-11-28${guesses === 0 ? "" : "; a few are guesses"}. A named model ` +
      "stands for all with the same rule. Vendors change their rules, so some may no longer apply.",
    "Written by `npm run bench -- vendors --out docs/vendors.md`: a real gateway sends each request to servers that refuse as the vendors do " +
      "([`test/fakes/vendors`](../test/fakes/vendors)), whole and streamed. A cell says how both ended. Each request is the first that the " +
      "gateway sends to a model, so that it has learned nothing about the model yet.",
    [
      "- **passes**: the vendor's server answered the first call. The request was translated, sent to the vendor's other API, or left out what changes nothing.",
      "- **repaired**: the first call was refused; a later one, without what was refused, was answered. What a model refuses is remembered, so that later requests pass.",
      "- **refused by the gateway**: no call was made; the text names the field and the remedy.",
      "- **refused by the vendor**: the client gets the vendor's status and text.",
      "- **–**: the API cannot express it.",
    ].join("\n"),
    table(inOrder),
  ]
    .join("\n\n")
    .concat("\n");
}

/** How many rules ended how, by API and way. */
export function summary(findings: readonly RuleFinding[]): string {
  const columns = SERVED_APIS.flatMap((api) => WAYS.map((way) => [api, way] as const));
  const rows = (Object.keys(FATE_WORDS) as Fate[]).map((fate) => [
    FATE_WORDS[fate],
    ...columns.map(([api, way]) => String(countOf(findings, { api, way, fate }))),
  ]);
  const head = columns.map(([api, way]) => (way === "whole" ? API_NAMES[api] : "streamed"));
  return lines([["", ...head], ["---", ...head.map(() => "---:")], ...rows]);
}

interface Counted {
  readonly api: ServedApi;
  readonly way: Way;
  readonly fate: Fate;
}

export const countOf = (findings: readonly RuleFinding[], { api, way, fate }: Counted): number =>
  findings.filter(({ found }) => found[api][way].fate === fate).length;

const API_NAMES: Readonly<Record<ServedApi, string>> = {
  ...{ chat: "chat completions", responses: "Responses", messages: "Messages" },
};

function table(findings: readonly RuleFinding[]): string {
  const rows = findings.map(ruleCells);
  const head = ["vendor", "what it refuses", "reported", ...SERVED_APIS.map((api) => API_NAMES[api])];
  return lines([head, head.map(() => "---"), ...rows]);
}

/** The row of a rule. */
export const ruleCells = ({ rule, found }: RuleFinding): readonly string[] => [
  NAMES[rule.vendor] ?? rule.vendor,
  rule.refused,
  rule.source === "guess" ? "guess" : `[${rule.seen}](${rule.source})`,
  ...SERVED_APIS.map((api) => cell(found[api])),
];

function cell({ whole, streamed }: Readonly<Record<Way, Finding>>): string {
  const [one, other] = [words(whole), words(streamed)];
  return one === other ? one : `${one}; streamed: ${other}`;
}

const words = ({ fate, status }: Finding): string =>
  fate.startsWith("refused") || fate === "text_lost" ? `${FATE_WORDS[fate]} (${status})` : FATE_WORDS[fate];

const lines = (rows: readonly (readonly string[])[]): string =>
  rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
