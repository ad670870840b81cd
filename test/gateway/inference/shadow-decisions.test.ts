import { describe, expect, it } from "vitest";
import type { RouteRequest } from "../../../src/engine/router/decision.js";
import type { Router } from "../../../src/engine/router/router.js";
import { type RoutingBody, routingBody } from "../../../src/engine/router/routing-body.js";
import { SextantError } from "../../../src/foundation/errors.js";
import {
  QueuedShadowDecisions,
  type ShadowDecisions,
} from "../../../src/gateway/inference/shadow-decisions.js";
import { deploymentOf } from "../../fakes/deployments.js";
import { ManualTime, quiet } from "../../fakes/manual-time.js";
import { answers, FakeProvider, fails, type Script } from "../../fakes/provider.js";
import { FakeRouter } from "../../fakes/router.js";
import { named, routed, startInference } from "./harness.js";

const SHADOW = [
  { model: "medium", provider: "anthropic", quality: 0.95, costUsd: 0.002 },
  { model: "large", provider: "openai", quality: 0.85, costUsd: 0.02 },
];
const EXPECTED = {
  profile_version: "fake-1",
  selected_model: "medium",
  expected_quality: 0.95,
  expected_cost_usd: 0.002,
  live_model: { expected_quality: 0.85, expected_cost_usd: 0.02 },
};
const messages = [{ role: "user" as const, content: "hello" }];

function shadowOf(router: Pick<Router, "route" | "profileVersion">, ready = Promise.resolve()) {
  const time = new ManualTime();
  return {
    time,
    decisions: new QueuedShadowDecisions({ router, ready, timers: time.timers, yieldThread: quiet }),
  };
}

const live = async (): Promise<RoutingBody> => routingBody(await new FakeRouter().route({ messages }));

describe("Shadow decisions", () => {
  it("say what the other sets choose, and what they expect of the live choice", async () => {
    const router = new FakeRouter(SHADOW);
    const { decisions, time } = shadowOf(router);
    const exploration = { share: 0.5, maxCostRatio: 5, draw: 0 };
    expect(await decisions.decide({ messages, exploration }, await live())).toEqual(EXPECTED);
    expect(router.requests).toEqual([{ messages }]);
    expect(time.running).toBe(0);
  });

  it("compare with the decision, not with the model that was drawn instead", async () => {
    const { decisions } = shadowOf(new FakeRouter(SHADOW));
    const drawn = { ...(await live()), selected_model: "small" };
    const exploration = { explored: true, probability: 0.01, preferred_model: "large" };
    expect(await decisions.decide({ messages }, { ...drawn, exploration })).toEqual(EXPECTED);
  });

  it("are made one at a time, and none before the sets are ready", async () => {
    let [running, most, begin] = [0, 0, () => {}];
    const ready = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const router = new FakeRouter(SHADOW);
    const slow = {
      profileVersion: "slow",
      async route(request: RouteRequest) {
        most = Math.max(most, ++running);
        await quiet();
        running -= 1;
        return router.route(request);
      },
    };
    const { decisions } = shadowOf(slow, ready);
    const routing = await live();
    const all = Array.from({ length: 5 }, () => decisions.decide({ messages }, routing));
    await quiet();
    expect(router.requests).toEqual([]);
    begin();
    expect(await Promise.all(all)).toEqual(Array.from({ length: 5 }, () => EXPECTED));
    expect(most).toBe(1);
  });

  it("are left out beyond 256 that wait, and given up after five seconds", async () => {
    const stuck = { profileVersion: "stuck", route: () => new Promise<never>(() => {}) };
    const { decisions, time } = shadowOf(stuck);
    const routing = await live();
    const waiting = Array.from({ length: 256 }, () => decisions.decide({ messages }, routing));
    expect(await decisions.decide({ messages }, routing)).toEqual({
      ...{ profile_version: "stuck", error: "overloaded" },
    });
    await time.advance(5000);
    expect(new Set((await Promise.all(waiting)).map((body) => JSON.stringify(body)))).toEqual(
      new Set([JSON.stringify({ profile_version: "stuck", error: "timeout" })]),
    );
  });

  it.each([
    [new SextantError("missing_profiles", "No."), "missing_profiles"],
    [new TypeError("a bug"), "internal_error"],
  ])("that fail say why, and the next one is made", async (fault, error) => {
    const router = new FakeRouter(SHADOW);
    const faults = [fault];
    const failing = {
      profileVersion: "fake-1",
      async route(request: RouteRequest) {
        const next = faults.pop();
        if (next !== undefined) throw next;
        return router.route(request);
      },
    };
    const { decisions } = shadowOf(failing);
    const routing = await live();
    expect(await decisions.decide({ messages }, routing)).toEqual({ profile_version: "fake-1", error });
    expect(await decisions.decide({ messages }, routing)).toEqual(EXPECTED);
  });
});

describe("A request with a shadow set", () => {
  const deployments = [deploymentOf("lab", "large"), deploymentOf("lab", "medium")];
  const start = (shadow: ShadowDecisions, script: Script = answers("hi")) =>
    startInference([new FakeProvider("lab", script)], { deployments, shadow });
  const request = { choice: routed() };

  it("has its decision in the trace and not in the reply, executed or not", async () => {
    const { decisions } = shadowOf(new FakeRouter(SHADOW));
    const [executed, alone] = [start(decisions), start(decisions)];
    for (const { routing } of [await executed.run(request), await alone.decide()])
      expect(routing).not.toHaveProperty("shadow");
    for (const { traced } of [executed, alone]) expect((await traced()).routing?.shadow).toEqual(EXPECTED);
  });

  it("is answered while the shadow decision takes its time", async () => {
    let finish = () => {};
    const late = { profile_version: "late", error: "timeout" } as const;
    const decided = new Promise<typeof late>((resolve) => {
      finish = () => resolve(late);
    });
    const { inference, run, decide, sink } = start({ decide: () => decided });
    await run(request);
    await decide();
    expect(sink.traces).toEqual([]);
    finish();
    await inference.settled();
    expect(sink.traces.map(({ routing }) => routing?.shadow)).toEqual([late, late]);
  });

  it("has it in the trace when every provider failed, and none when it named its model", async () => {
    const { decisions } = shadowOf(new FakeRouter(SHADOW));
    const broken = start(decisions, fails("server_error"));
    await broken.run(request).catch(() => {});
    expect(await broken.traced()).toMatchObject({ status: "error", routing: { shadow: EXPECTED } });
    const direct = start(decisions);
    await direct.run({ choice: named("large") });
    expect((await direct.traced()).routing).toBeNull();
  });
});
