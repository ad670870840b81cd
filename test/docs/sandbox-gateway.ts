/** The gateway that the documentation's examples are sent to: `npm start` with `SEXTANT_SANDBOX=true`, as the README says. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, vi } from "vitest";
import { newFolder, removeFolder, startServe } from "../e2e/server-process.js";
import { ROOT } from "./examples.js";

export interface SandboxGateway {
  /** `http://127.0.0.1:<port>` */
  readonly address: string;
  /** The line to paste that it printed. */
  readonly curlLine: string;
  /** What an example is run with: nothing else of the environment but the path. */
  readonly environment: Readonly<Record<string, string>>;
  /** The example, sent to this gateway instead of the usual address. */
  here(code: string): string;
  stop(): Promise<void>;
}

export async function startSandboxGateway(): Promise<SandboxGateway> {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(scripts.start).toBe("node --max-semi-space-size=8 --v8-pool-size=1 dist/cli/main.js serve");
  const folder = newFolder();
  const server = await startServe(folder, { SEXTANT_SANDBOX: "true" });
  // Only against hanging for ever, as the time limits of the tests.
  await vi.waitUntil(() => server.stdout().includes("curl -s"), { timeout: 240_000, interval: 20 });
  const { address } = server;
  const [key = ""] = /pk_live_[0-9A-Za-z]+/.exec(server.stdout()) ?? [];
  const [curlLine = ""] = /curl -s .*$/m.exec(server.stdout()) ?? [];
  return {
    address,
    curlLine,
    environment: { PATH: process.env.PATH ?? "", SEXTANT_API_KEY: key, SEXTANT_BASE_URL: `${address}/v1` },
    here: (code) => code.replaceAll("http://127.0.0.1:8080", address),
    async stop() {
      await server.stop();
      removeFolder(folder);
    },
  };
}
