import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, removeFolder } from "../../e2e/server-process.js";
import { startWholeGateway } from "../../e2e/whole-gateway.js";
import type { Vendor } from "./rule.js";
import { VENDORS, VendorServer } from "./vendor-server.js";

export interface VendorGateway {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  readonly servers: readonly VendorServer[];
  stop(): Promise<void>;
}

/** A model by a name of its own, so that nothing that was learned from requests to others is known of it. */
export interface NamedModel {
  readonly name: string;
  readonly vendor: Vendor;
  readonly model: string;
}

/** Key variable and end of the address of each vendor. */
export const VENDOR_ACCESS: Readonly<
  Record<Vendor, { readonly key: string; readonly address: string; readonly path: string }>
> = {
  openai: { key: "OPENAI_API_KEY", address: "OPENAI_BASE_URL", path: "/v1" },
  anthropic: { key: "ANTHROPIC_API_KEY", address: "ANTHROPIC_BASE_URL", path: "" },
  google: { key: "GEMINI_API_KEY", address: "GEMINI_BASE_URL", path: "/v1beta/openai" },
  mistral: { key: "MISTRAL_API_KEY", address: "MISTRAL_BASE_URL", path: "/v1" },
  deepseek: { key: "DEEPSEEK_API_KEY", address: "DEEPSEEK_BASE_URL", path: "" },
  "x-ai": { key: "XAI_API_KEY", address: "XAI_BASE_URL", path: "/v1" },
  openrouter: { key: "OPENROUTER_API_KEY", address: "OPENROUTER_BASE_URL", path: "/api/v1" },
  ollama: { key: "OLLAMA_API_KEY", address: "OLLAMA_BASE_URL", path: "/v1" },
  vllm: { key: "VLLM_API_KEY", address: "VLLM_BASE_URL", path: "/v1" },
};

/** The whole gateway in this process, on a server for each vendor that refuses as the vendor does. It tries no request twice. */
export async function startVendorGateway(models: readonly NamedModel[] = []): Promise<VendorGateway> {
  const folder = newFolder();
  const servers = await Promise.all(VENDORS.map((vendor) => VendorServer.start(vendor)));
  const deployments = models.map(({ name, vendor: provider, model }) => ({
    name,
    provider,
    upstream_model: model,
    profile: model,
  }));
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ deployments }));
  const environment: Record<string, string> = { SEXTANT_REQUESTS_PER_MINUTE: "1000000" };
  for (const { vendor, upstream } of servers) {
    const { key, address, path } = VENDOR_ACCESS[vendor];
    environment[key] = "sk-of-this-test";
    environment[address] = `${upstream.origin}${path}`;
  }
  const gateway = await startWholeGateway(environment, { folder });
  return {
    address: gateway.address,
    servers,
    async stop() {
      await gateway.stop();
      await Promise.all(servers.map(({ upstream }) => upstream.close()));
      removeFolder(folder);
    },
  };
}
