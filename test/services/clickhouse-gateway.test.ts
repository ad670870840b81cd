import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ComposedServer, composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { folderForTests } from "../support/folders.js";
import { ClickHouseServer } from "./clickhouse-server.js";

const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
const headers = { "x-api-key": KEY, "content-type": "application/json" };

let clickHouse: ClickHouseServer;
const servers: ComposedServer[] = [];
const addresses: string[] = [];

async function startGateway(folder: string): Promise<void> {
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_SANDBOX: "true",
    SEXTANT_TRACE_STORE: "clickhouse",
    SEXTANT_CLICKHOUSE_URL: clickHouse.url("default"),
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = pino({ level: "silent" });
  const server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  servers.push(server);
  addresses.push(await server.start());
}

const folders = [folderForTests(), folderForTests()];
beforeAll(async () => {
  clickHouse = await ClickHouseServer.start();
  for (const folder of folders) await startGateway(folder);
}, 60_000);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await clickHouse.stop();
});

describe("Two gateways on one ClickHouse", () => {
  it("find each other's traces, including content and metadata", async () => {
    const [one, other] = addresses;
    const body = JSON.stringify({
      model: "sandbox/gpt-4o-mini",
      messages: [{ role: "user", content: "a prompt that can be found" }],
      metadata: { ticket: "T-8" },
    });
    const answer = await fetch(`${one}/v1/chat/completions`, { method: "POST", headers, body });
    const id = answer.headers.get("x-request-id");
    expect(answer.status).toBe(200);
    const query = "?metadata.ticket=T-8&q=can%20be%20found";
    let found: { total: number; traces: { request_id: string }[] };
    do {
      found = (await (await fetch(`${other}/v1/traces${query}`, { headers })).json()) as typeof found;
    } while (found.total === 0);
    expect(found.traces.map(({ request_id }) => request_id)).toEqual([id]);
    const detail = await (await fetch(`${other}/v1/traces/${id}`, { headers })).json();
    expect(detail).toMatchObject({ input_text: "a prompt that can be found", metadata: { ticket: "T-8" } });
  });
});
