import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, removeFolder, type ServerProcess, startServe } from "../e2e/server-process.js";
import { callerOf } from "../e2e/whole-gateway.js";
import { UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server.js";
import { LAB } from "./requests.js";

export interface FuzzedGateway {
  readonly server: ServerProcess;
  /** Answers as OpenAI and as Anthropic. */
  readonly upstream: UpstreamServer;
  post(route: string, body: object): Promise<{ readonly status: number; readonly text: string }>;
  stop(): Promise<void>;
}

/** A gateway whose only upstream is scripted, and asked once for each request. It lacks Responses as `openai`, and has them as `lab`. */
export async function startFuzzedGateway(): Promise<FuzzedGateway> {
  const folder = newFolder();
  const upstream = await UpstreamServer.start({ lacks: "/v1/responses" });
  const lab = {
    id: "lab",
    type: "openai-compatible",
    base_url: upstream.origin,
    like: "openai",
    models: [{ id: LAB, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }],
  };
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ providers: [lab] }));
  const server = await startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
    ANTHROPIC_API_KEY: "sk-ant-test",
    ANTHROPIC_BASE_URL: upstream.origin,
    SEXTANT_RETRY_MAX_WAIT_MS: "1",
    SEXTANT_MAX_ATTEMPTS: "1",
    SEXTANT_CIRCUIT_FAILURES: "1000",
  });
  return {
    server,
    upstream,
    post: (route, body) => callerOf(server.address)(route, { body }),
    async stop() {
      await server.stop();
      await upstream.close();
      removeFolder(folder);
    },
  };
}
