import { expect, it } from "vitest";
import { openAlerts } from "../../src/compose/alerts.js";
import { alertsSchema } from "../../src/gateway/features/alerts/settings.js";
import { MemoryStore } from "../fakes/store.js";

it("A provider is down when as many of the models that were called there fail as its rule says", async () => {
  const { rules } = alertsSchema.parse({ rules: { provider_down: { share: 1 } } });
  const found = async (...states: readonly string[]) => {
    const models = states.map((state) => ({ provider: "lab", health: { state } }));
    const sources = {
      everyMs: 60_000,
      store: new MemoryStore(),
      access: { pauses: { list: () => [] } },
      traces: {},
      health: () => ({ models }),
    };
    const watch = openAlerts({ webhooks: [], rules }, sources as unknown as Parameters<typeof openAlerts>[1]);
    const { conditions } = await watch.conditions();
    await watch.close();
    return conditions.map(({ title }) => title);
  };
  expect(await found("open")).toEqual(["Provider lab is down"]);
  expect(await found("open", "open")).toEqual(["Provider lab is down"]);
  expect(await found("open", "closed")).toEqual([]);
});
