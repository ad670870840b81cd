/** What the console works out of failures and events, without a browser. */
import { describe, expect, it } from "vitest";
import { nextItem } from "../../src/console/components/menu-keys.js";
import { causesWith, tracesOfCause } from "../../src/console/failures/cause-facts.js";
import { actorText, plainValue } from "../../src/console/keys/event-text.js";
import { choicesFor } from "../../src/console/pauses/pause-choices.js";
import { lastCauseAt, stateOf, variablesIn } from "../../src/console/providers/provider-health.js";
import type { PauseBody as Pause } from "../../src/gateway/features/pauses/schema.js";
import type { AdminProviderBody as Provider } from "../../src/gateway/features/providers/schema.js";
import type { CauseBody as Cause } from "../../src/gateway/features/traces/schema/causes.js";

const cause = (parts: Partial<Cause>): Cause => ({
  code: "server_error",
  provider: "openai",
  model: "gpt-5.5",
  status: 500,
  message: "Broke.",
  failed: 1,
  rescued: 0,
  failed_before: 0,
  rescued_before: 0,
  share: 0.1,
  series: [],
  first_seen: "2026-01-02T00:00:00.000Z",
  last_seen: "2026-01-02T00:00:00.000Z",
  last_request_id: "req_1",
  error_code: "upstream_error",
  ...parts,
});

describe("Causes", () => {
  const causes = [
    cause({ failed: 5, rescued: 1, share: 0.2 }),
    cause({ failed: 2, rescued: 9, share: null, model: null, code: "no_provider_available" }),
    cause({ failed: 2, share: 0.9, message: "Slow DOWN", last_seen: "2026-01-03T00:00:00.000Z" }),
  ];
  const found = (text: string) => causesWith(text, causes).map((one) => causes.indexOf(one));

  it("are found by a part of their code, words, model or provider, in any case", () => {
    expect(found(" slow down")).toEqual([2]);
    expect(found("NO_PROVIDER")).toEqual([1]);
    expect(found("5.5")).toEqual([0, 2]);
  });

  it("lead to the requests with such an attempt", () => {
    const filters = { start_date: "2026-01-01" };
    expect(`${tracesOfCause(cause({}), filters)}`).toBe(
      "start_date=2026-01-01&attempt_code=server_error&model_id=gpt-5.5&provider=openai",
    );
    expect(`${tracesOfCause(cause({ model: null, provider: null }), {})}`).toBe("attempt_code=server_error");
  });

  it("offer to pause the model, the model at its provider, and the provider", () => {
    expect(choicesFor("gpt-5.5", "openai").map(({ kind, target }) => `${kind} ${target}`)).toEqual([
      "model gpt-5.5",
      "model openai/gpt-5.5",
      "provider openai",
    ]);
    expect(choicesFor(null, null)).toEqual([]);
    expect(choicesFor("gpt-5.5", null)).toHaveLength(1);
  });

  it("have a last one at each provider", () => {
    expect(lastCauseAt("openai", causes)).toBe(causes[2]);
    expect(lastCauseAt("azure", causes)).toBeUndefined();
  });
});

describe("A provider", () => {
  const model = (error_rate: number | null, state = "closed") =>
    ({ health: { state, error_rate } }) as unknown as Provider["models"][number];
  const paused: Pick<Pause, "kind" | "target">[] = [{ kind: "provider", target: "lab" }];
  it.each<[string, ReturnType<typeof model>[], number | null, typeof paused]>([
    ["paused", [model(0.9, "open")], 0.9, paused],
    ["failing", [model(0), model(0.5)], 0, []],
    ["failing", [model(0)], 0.75, []],
    ["degraded", [model(0.05)], 0.01, []],
    ["not called", [model(1, "open")], 1, []],
    ["1 of 2 models not called", [model(0, "open"), model(0)], 0, []],
    ["healthy", [model(0.04)], null, []],
    ["not used yet", [model(null)], null, []],
    ["serves nothing", [], null, []],
  ])("is %s by pauses, calls and requests", (words, models, failed, pauses) => {
    expect(stateOf({ id: "lab", models }, { pauses, failed }).words).toBe(words);
  });

  it("is enabled by the variables that its remedy names", () => {
    expect(variablesIn("set LAB_A or LAB_B")).toEqual(["LAB_A", "LAB_B"]);
  });
});

it("A menu is used by arrows, Home, End and the first letters of its items", () => {
  const items = ["Edit…", "Rotate…", "Revoke…"].map((label) => ({ label }));
  const places = ["ArrowDown", "ArrowUp", "Home", "End", "r", "x", "Enter"].map((key) =>
    nextItem(items, 1, key),
  );
  expect(places).toEqual([2, 0, 0, 2, 2, undefined, undefined]);
});

it("An act is told by the name of who did it", () => {
  const actor = { id: "key_1", name: "on call", address: "192.0.2.1" };
  expect(actorText({ actor })).toBe("on call");
  expect(actorText({ actor: { ...actor, name: null } })).toBe("key_1");
  expect(actorText({ actor: { id: "server", name: null, address: null } })).toBe("the gateway");
});

it("What an act was about has no marks of JSON", () => {
  expect(plainValue({ requests_per_minute: 30, usd_per_month: null })).toBe(
    "requests_per_minute 30, usd_per_month none",
  );
  expect(plainValue(["inference", "traces:read"])).toBe("inference, traces:read");
  expect([plainValue({}), plainValue([]), plainValue(true)]).toEqual(["none", "none", "true"]);
});
