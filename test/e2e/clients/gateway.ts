/** The whole gateway in this process, on upstreams that refuse what OpenAI, Anthropic and Google refuse, and answer anything else as told. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHAT_ONLY, UpstreamServer, type UpstreamServerOptions } from "../../fakes/upstream-server.js";
import type { Vendor } from "../../fakes/vendors/rule.js";
import { type BrokenRule, refusalsOf } from "../../fakes/vendors/vendor-server.js";
import { asOpenAi } from "../replies.js";
import { newFolder, removeFolder } from "../server-process.js";
import { startWholeGateway, type WholeGateway } from "../whole-gateway.js";

export interface Gateway extends WholeGateway {
  readonly openai: UpstreamServer;
  readonly anthropic: UpstreamServer;
  readonly google: UpstreamServer;
  /** Also rejects when calls broke rules of vendors: these got the vendor's refusal in place of the script's answer. */
  stop(): Promise<void>;
}

/**
 * Rules whose first break at a model is repaired, and no later one: the schemas of Zod name theirs, instructions of Responses have
 * the role that OpenAI gave them, one request has a temperature, @ai-sdk/anthropic forces a tool where it wants a schema, and the
 * calls of other models come without thinking.
 */
export const isRepaired = (rule: string): boolean =>
  [
    "google.schema-words",
    "deepseek.developer",
    "deepseek.forced-tool",
    "deepseek.reasoning-content",
    "openai.responses-temperature",
  ].includes(rule);

/** Resolves when it listens. By default its OpenAI has no Responses. */
export async function startGateway(openaiOptions: UpstreamServerOptions = CHAT_ONLY): Promise<Gateway> {
  const folder = newFolder();
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
  const gateway = await startWholeGateway(
    {
      ...asOpenAi(openai),
      ANTHROPIC_API_KEY: "sk-ant-of-this-test",
      ANTHROPIC_BASE_URL: anthropic.origin,
      GEMINI_API_KEY: "key-of-this-test",
    },
    { folder },
  );
  return {
    ...gateway,
    openai,
    anthropic,
    google,
    async stop() {
      await gateway.stop();
      await Promise.all([openai.close(), anthropic.close(), google.close()]);
      removeFolder(folder);
      // A refused call may have been repaired, which costs a call: what clients send is not to need it, but for those that are known.
      const refused = broken.map(({ rule: { id } }) => id).filter((id) => !isRepaired(id));
      if (refused.length > 0) throw new Error(`vendors refuse ${refused.join(", ")}`);
    },
  };
}
