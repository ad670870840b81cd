/** The whole gateway in this process, on upstreams that refuse what OpenAI, Anthropic and Google refuse, and answer anything else as told. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { composeServer } from "../../../src/compose/compose.js";
import { openRouterFromSettings } from "../../../src/compose/open-router.js";
import { loadSettings } from "../../../src/gateway/settings/load-settings.js";
import {
  CHAT_ONLY,
  eventReply,
  jsonReply,
  reply,
  type Script,
  UpstreamServer,
  type UpstreamServerOptions,
} from "../../fakes/upstream-server.js";
import type { Vendor } from "../../fakes/vendors/rule.js";
import { type BrokenRule, refusalsOf } from "../../fakes/vendors/vendor-server.js";

export const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";

export interface Gateway {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly openai: UpstreamServer;
  readonly anthropic: UpstreamServer;
  readonly google: UpstreamServer;
  /** Rules of vendors that calls broke: the call got the vendor's refusal in place of the script's answer. */
  readonly broken: readonly BrokenRule[];
  /** Rejects when calls broke rules. */
  stop(): Promise<void>;
}

/**
 * Rules whose first break at a model is repaired, and no later one: the schemas of Zod name theirs, instructions of Responses have
 * the role that OpenAI gave them, and one request has a temperature.
 */
export const isRepaired = (rule: string): boolean =>
  ["google.schema-words", "deepseek.developer", "openai.responses-temperature"].includes(rule);

/** Resolves when it listens. It tries no request twice. By default its OpenAI has no Responses. */
export async function startGateway(openaiOptions: UpstreamServerOptions = CHAT_ONLY): Promise<Gateway> {
  const folder = mkdtempSync(join(tmpdir(), "sextant-clients-"));
  const broken: BrokenRule[] = [];
  const start = (vendor: Vendor, options: UpstreamServerOptions = {}) =>
    UpstreamServer.start({ ...options, refuses: refusalsOf(vendor, broken) });
  const [openai, anthropic, google] = await Promise.all([
    start("openai", openaiOptions),
    start("anthropic"),
    start("google"),
  ]);
  const ofGoogle = {
    id: "google",
    type: "openai-compatible",
    base_url: `${google.origin}/v1beta/openai`,
    api_key_env: "GEMINI_API_KEY",
  };
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers: [ofGoogle] }));
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_RETRIES: "0",
    // In tests its thread compiles what it runs.
    SEXTANT_ROUTED_FILE_TIMEOUT_MS: "60000",
    OPENAI_API_KEY: "sk-of-this-test",
    OPENAI_BASE_URL: `${openai.origin}/v1`,
    ANTHROPIC_API_KEY: "sk-ant-of-this-test",
    ANTHROPIC_BASE_URL: anthropic.origin,
    GEMINI_API_KEY: "key-of-this-test",
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const server = await composeServer(settings, {
    logger: pino({ level: "silent" }),
    environment,
    openRouter: openRouterFromSettings,
  });
  return {
    address: await server.start(),
    openai,
    anthropic,
    google,
    broken,
    async stop() {
      await server.stop();
      await Promise.all([openai.close(), anthropic.close(), google.close()]);
      rmSync(folder, { recursive: true, force: true });
      // A refused call may have been repaired, which costs a call: what clients send is not to need it, but for those that are known.
      const refused = broken.map(({ rule: { id } }) => id).filter((id) => !isRepaired(id));
      if (refused.length > 0) throw new Error(`vendors refuse ${refused.join(", ")}`);
    },
  };
}

/** Each request takes the next script; one too many fails. */
export function answerInTurn(upstream: UpstreamServer, ...scripts: readonly Script[]): void {
  const left = [...scripts];
  upstream.answer((exchange) => (left.shift() ?? reply({ status: 500, body: "no script left" }))(exchange));
}

/** The body of the request that came last. */
export const bodySeen = ({ lastRequest }: UpstreamServer): Readonly<Record<string, unknown>> =>
  JSON.parse(lastRequest.body);

// OpenAI's replies

const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

/** A chat completion whose one choice is this message. */
export function chatReply(message: object, finish_reason = "stop"): Script {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
  return jsonReply({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o-mini",
    choices,
    usage,
  });
}

/** A streamed chat completion of these deltas. */
export function chatStream(deltas: readonly object[], finish_reason = "stop"): Script {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-4o-mini" };
  const chunk = (delta: object, finish: string | null) =>
    event({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
  return eventReply([
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, finish_reason),
    event({ ...head, choices: [], usage }),
    "data: [DONE]\n\n",
  ]);
}

// Anthropic's replies

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-haiku-4-5-20251001",
  stop_sequence: null,
};

/** A message of these blocks. */
export function messageReply(content: readonly object[], stop_reason = "end_turn"): Script {
  return jsonReply({ ...message, content, stop_reason, usage: { input_tokens: 1000, output_tokens: 200 } });
}

/** A block of a streamed message: how it begins, and the deltas that follow. */
export interface StreamedBlock {
  readonly start: object;
  readonly deltas: readonly object[];
}

/** A streamed message of these blocks. */
export function messageStream(blocks: readonly StreamedBlock[], stop_reason = "end_turn"): Script {
  const said = (data: { readonly type: string; readonly [member: string]: unknown }) =>
    `event: ${data.type}\n${event(data)}`;
  const begun = {
    ...message,
    content: [],
    stop_reason: null,
    usage: { input_tokens: 1000, output_tokens: 1 },
  };
  return eventReply([
    said({ type: "message_start", message: begun }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      said({ type: "content_block_start", index, content_block: start }),
      ...deltas.map((delta) => said({ type: "content_block_delta", index, delta })),
      said({ type: "content_block_stop", index }),
    ]),
    said({
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 200 },
    }),
    said({ type: "message_stop" }),
  ]);
}
