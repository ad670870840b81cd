import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SextantError } from "../../src/foundation/errors.js";
import {
  accountOf,
  type BudgetEntry,
  budgetSchema,
  type RequestTags,
} from "../../src/gateway/access/limits/budget.js";
import type { CountingLimiter } from "../../src/gateway/access/limits/limiter.js";
import type { Limiter, Reservation, UsageEstimate } from "../../src/gateway/access/limits/limits.js";
import { type Principal, type PrincipalLimits, UNLIMITED } from "../../src/gateway/access/principal.js";
import { FakeClock } from "../fakes/clock.js";
import { LimitModel } from "./limit-model.js";

/** A limiter with fresh counters, on the given clock. */
export type MakeLimiter = (clock: FakeClock) => Promise<CountingLimiter>;

export interface LimiterContractOptions {
  /** Random sequences to try against the model. */
  readonly sequences: number;
}

export const principal = (id: string, limits: Partial<PrincipalLimits>): Principal => ({
  id,
  kind: "api_key",
  source: null,
  scopes: ["inference"],
  limits: { ...UNLIMITED, ...limits },
});

export const free: UsageEstimate = { tokens: 0, costUsd: 0 };
const tokens = (count: number): UsageEstimate => ({ tokens: count, costUsd: 0 });
const usd = (costUsd: number | null): UsageEstimate => ({ tokens: 0, costUsd });

/** Immediate and delayed refusals alike, as a value. */
export async function attempt(
  limiter: Limiter,
  who: Principal,
  ...[estimate, tags]: [UsageEstimate, RequestTags?]
): Promise<Reservation | SextantError> {
  try {
    return await limiter.reserve(who, estimate, tags);
  } catch (fault) {
    if (fault instanceof SextantError) return fault;
    throw fault;
  }
}

/** What every implementation of `Limiter` promises. */
export function limiterContract(
  name: string,
  make: MakeLimiter,
  { sequences }: LimiterContractOptions,
): void {
  describe(`${name}, as a limiter,`, () => {
    let clock: FakeClock;
    let limiter: CountingLimiter;
    beforeEach(async () => {
      clock = new FakeClock();
      limiter = await make(clock);
    });
    afterEach(() => limiter.close());

    const reserve = async (...request: [Principal, UsageEstimate, RequestTags?]): Promise<Reservation> => {
      const outcome = await attempt(limiter, ...request);
      if (outcome instanceof SextantError) throw outcome;
      return outcome;
    };
    const refused = async (...request: [Principal, UsageEstimate, RequestTags?]): Promise<SextantError> => {
      const outcome = await attempt(limiter, ...request);
      if (outcome instanceof SextantError) return outcome;
      throw new Error("The reservation was granted.");
    };

    describe("with a limit of requests per minute", () => {
      const ada = principal("key_ada", { requestsPerMinute: 3 });
      const headers = (remaining: string, reset: string) => ({
        "x-ratelimit-limit-requests": "3",
        "x-ratelimit-remaining-requests": remaining,
        "x-ratelimit-reset-requests": reset,
      });

      it("accepts exactly as many, and refuses the next until the minute ends that began with the first", async () => {
        for (const remaining of ["2", "1", "0"])
          expect((await reserve(ada, free)).headers).toEqual(headers(remaining, "1m0s"));
        clock.advance(12_345);
        const error = await refused(ada, free);
        expect(error).toMatchObject({
          code: "rate_limit_exceeded",
          status: 429,
          extra: { retry_after: 47.655 },
        });
        expect(error.message).toBe("All 3 requests a minute are used. Try again in 47.655 s.");
        expect(error.headers).toEqual(headers("0", "47.655s"));
        clock.advance(47_654);
        expect((await refused(ada, free)).extra).toEqual({ retry_after: 0.001 });
        clock.advance(1);
        await reserve(ada, free);
      });

      it("is exact when all requests arrive at once", async () => {
        const many = principal("key_many", { requestsPerMinute: 20, tokensPerMinute: 1e6, usdPerMonth: 1e3 });
        const outcomes = await Promise.all(
          Array.from({ length: 50 }, () => attempt(limiter, many, { tokens: 10, costUsd: 0.001 })),
        );
        expect(outcomes.filter((outcome) => outcome instanceof SextantError)).toHaveLength(30);
      });
    });

    it("with amounts too large to be counted exactly exhausts the limits of their principal, however often they occur", async () => {
      const ada = principal("key_ada", { tokensPerMinute: 100, usdPerMonth: 1 });
      const reservations = await Promise.all([1, 2, 3].map(() => reserve(ada, { tokens: 1, costUsd: 0.1 })));
      for (const reservation of reservations) reservation.settle({ tokens: 1e300, costUsd: 1e300 });
      expect((await refused(ada, usd(0.01))).code).toBe("budget_exceeded");
    });

    describe("with a limit of tokens per minute", () => {
      const ada = principal("key_ada", { tokensPerMinute: 100 });

      it("reserves the estimate and corrects it by the actual usage, also beyond the limit", async () => {
        const first = await reserve(ada, tokens(60));
        expect(first.headers).toEqual({
          "x-ratelimit-limit-tokens": "100",
          "x-ratelimit-remaining-tokens": "40",
          "x-ratelimit-reset-tokens": "1m0s",
        });
        expect((await refused(ada, tokens(41))).message).toBe(
          "The request may need 41 tokens, and 60 of the 100 tokens a minute are used. Try again in 60 s.",
        );
        first.settle(tokens(105));
        expect((await refused(ada, free)).headers["x-ratelimit-remaining-tokens"]).toBe("0");
      });

      it("refuses for good a request that exceeds the whole limit", async () => {
        expect(await refused(ada, tokens(101))).toMatchObject({
          code: "rate_limit_exceeded",
          message: expect.stringContaining("can never pass"),
          headers: {
            "x-should-retry": "false",
            "x-ratelimit-remaining-tokens": "100",
            "x-ratelimit-reset-tokens": "0ms",
          },
          extra: { retry_after: 60 },
        });
      });
    });

    describe("with a budget per month", () => {
      const ada = principal("key_ada", { usdPerMonth: 0.3 });
      const nextMonthMs = Date.UTC(2026, 1, 1);
      const toNextMonth = () => Math.ceil((nextMonthMs - clock.now()) / 1000);

      it("counts dollars exactly, to the billionth, and refuses for good what exceeds the whole budget", async () => {
        expect((await refused(ada, usd(0.31))).message).toContain("can never pass");
        for (let request = 0; request < 3; request++) await reserve(ada, usd(0.1));
        const { message } = await refused(ada, usd(0.000000001));
        expect(message).toContain("may cost 0.000000001 USD, and 0.3 of the 0.3 USD a month are used");
        await reserve(ada, usd(0));
      });

      it("refuses until the next month in UTC, when the budget is whole again", async () => {
        expect((await reserve(ada, usd(0.2))).headers).toEqual({});
        const error = await refused(ada, usd(0.11));
        expect(error).toMatchObject({
          code: "budget_exceeded",
          status: 429,
          extra: { retry_after: toNextMonth() },
        });
        expect(error.message).toBe(
          "The request may cost 0.11 USD, and 0.2 of the 0.3 USD a month are used. The budget starts again on 2026-02-01 (UTC).",
        );
        expect(error.headers).toEqual({ "x-should-retry": "false" });
        clock.advance(nextMonthMs - 1 - clock.now());
        await refused(ada, usd(0.11));
        clock.advance(1);
        await reserve(ada, usd(0.3));
        await refused(ada, usd(0.01));
      });

      it("reserves dollars later, when the cost is known, in the month in which it is", async () => {
        const [reservation, over] = [await reserve(ada, usd(null)), await reserve(ada, usd(0.3))];
        over.settle(usd(0));
        await reservation.reserveCost(0.25, "switch");
        await refused(ada, usd(0.1));
        reservation.settle(usd(0.05));
        const later = await reserve(ada, usd(0.25));
        await refused(ada, usd(0.01));
        clock.advance(31 * 86_400_000);
        await later.reserveCost(0.2, "switch");
        await refused(ada, usd(0.11));
        later.settle(usd(0.05));
        await reserve(ada, usd(0.25));
        await refused(ada, usd(0.01));
      });

      it("refuses a later reservation beyond the budget, and returns everything reserved", async () => {
        const eve = principal("key_eve", { requestsPerMinute: 2, tokensPerMinute: 100, usdPerMonth: 0.3 });
        const other = await reserve(eve, { tokens: 10, costUsd: 0.2 });
        const reservation = await reserve(eve, { tokens: 90, costUsd: null });
        const refusal = await reservation.reserveCost(0.11, "switch");
        expect(refusal).toMatchObject({
          code: "budget_exceeded",
          status: 429,
          extra: { retry_after: toNextMonth() },
          headers: { "x-ratelimit-remaining-tokens": "0", "x-should-retry": "false" },
        });
        if (refusal !== null) reservation.refuse(refusal);
        other.settle({ tokens: 10, costUsd: 0.2 });
        await reserve(eve, { tokens: 90, costUsd: 0.1 });
      });
    });

    it("raises what is reserved for a more expensive call, exactly when many do at one time, in all budgets or in none", async () => {
      const all = budgetSchema.parse({ name: "all", by: "all", period: "day", usd: 1.25 });
      limiter.useBudgets([all]);
      const ada = principal("key_ada", { requestsPerMinute: 100, usdPerMonth: 1 });
      const used = async () =>
        (await limiter.usedBy(["key_ada", accountOf(all, "")])).map((one) => one.nanoUsd);
      const reservations = await Promise.all(Array.from({ length: 50 }, () => reserve(ada, usd(0.01))));
      const raised = await Promise.all(
        reservations.map((reservation) => reservation.reserveCost(0.11, "refuse")),
      );
      const fits = raised.filter((refusal) => refusal === null).length;
      expect(raised.find((refusal) => refusal !== null)).toMatchObject({
        code: "budget_exceeded",
        message: expect.stringContaining("may cost 0.11 USD, and 0.99 of the 1 USD a month are used"),
      });
      // Once more of each: what is reserved counts.
      expect(await reservations[raised.indexOf(null)]?.reserveCost(0.11, "refuse")).toBeNull();
      await expect.poll(used).toEqual([1e9, 1e9]);
      expect(fits).toBe(5);
      await reserve(principal("key_eve", {}), usd(0.25));
      const [first] = reservations;
      clock.advance(86_400_000);
      // The day began again meanwhile, the month did not: all of it is reserved there.
      expect(await first?.reserveCost(0.01, "refuse")).toBeNull();
      await expect.poll(used).toEqual([1e9, 1e7]);
      for (const reservation of reservations) reservation.settle(usd(0.002));
      await expect.poll(used).toEqual([1e8, 2e6]);
    });

    it("remembers what was spent when the clock goes back over the end of a period", async () => {
      const ada = principal("key_ada", { usdPerMonth: 1 });
      const late = await reserve(ada, usd(0.5));
      await reserve(ada, usd(0.5));
      clock.advance(31 * 86_400_000);
      await reserve(ada, usd(0.75));
      late.settle(usd(0.25));
      clock.advance(-86_400_000);
      await refused(ada, usd(0.26));
      await reserve(ada, usd(0.25));
      clock.advance(86_400_000);
      await refused(ada, usd(0.26));
    });

    describe("with budgets", () => {
      const ada = principal("key_ada", {});
      const eve = { ...principal("key_eve", { usdPerMonth: 1 }), team: "search" };
      const search: RequestTags = { metadata: { team: "search" } };
      const billing: RequestTags = { metadata: { team: "billing" } };
      const budget = (given: Partial<BudgetEntry>): BudgetEntry =>
        budgetSchema.parse({ name: "teams", by: "team", period: "day", usd: 0.3, ...given });
      const NAMED = "search, named by callers";
      const economy = { at_limit: { preset: "economy" } };
      const instead = { budget: "teams", preset: "economy" };
      const spent = async (one: BudgetEntry, value: string) =>
        (await limiter.usedBy([accountOf(one, value)]))[0]?.nanoUsd;
      const messageOf = async (...request: Parameters<typeof refused>) => (await refused(...request)).message;

      it("gives each team one of its own, until its day ends", async () => {
        limiter.useBudgets([budget({ time_zone: "Asia/Kolkata" })]);
        (await reserve(ada, usd(0.3), billing)).settle(usd(0.25));
        await reserve(ada, usd(0.3), search);
        expect(await messageOf(ada, usd(0.06), billing)).toBe(
          'The request may cost 0.06 USD, and 0.25 of the 0.3 USD a day of the budget "teams" (team "billing, named by callers") are used. ' +
            "The budget starts again at 2026-01-02T18:30:00.000Z, when the day ends in Asia/Kolkata.",
        );
        clock.advance(Date.parse("2026-01-02T18:30:00Z") - 1 - clock.now());
        await refused(ada, usd(0.06), billing);
        clock.advance(1);
        await reserve(ada, usd(0.3), billing);
      });

      it("keeps the holder of a key in its team, which others do not spend for, and those without a team together", async () => {
        const teams = budget({});
        const only = budget({ name: "search", by: "metadata.team", value: "search" });
        const sources = budget({ name: "sources", by: "source" });
        limiter.useBudgets([teams, only, sources]);
        const bound = { ...eve, source: "app" };
        await reserve(ada, usd(0.3), { ...search, source: "app" });
        expect(await messageOf(ada, usd(0.1), search)).toContain('(team "search, named by callers")');
        await reserve(bound, usd(0.2), { ...billing, source: "app" });
        expect(await messageOf(bound, usd(0.2), {})).toContain('(team "search")');
        await reserve(ada, usd(0.2), {});
        expect(await messageOf(principal("key_bob", {}), usd(0.2), {})).toContain("(team not named)");
        const counted = [
          ...(await Promise.all([teams, only].map((one) => spent(one, "search")))),
          ...[await spent(sources, "app"), await spent(teams, "billing"), await spent(teams, NAMED)],
        ];
        expect(counted).toEqual([2e8, 2e8, 2e8, 0, 3e8]);
      });

      it("says what a budget refused, that could have granted it", async () => {
        const teams = budget({});
        limiter.useBudgets([teams]);
        await reserve(eve, usd(0.25));
        for (const costUsd of [0.1, 0.06, 0.4])
          await refused(eve, usd(costUsd), { requestId: `req_${costUsd}` });
        const refusals = async () =>
          (await limiter.budgetUse()).map(({ value, used, leastRefused }) => [
            value,
            used.nanoUsd,
            leastRefused,
          ]);
        await expect.poll(refusals).toEqual([["search", 25e7, 6e7]]);
        expect(await limiter.refusals("key_eve")).toMatchObject([
          { principal: "key_eve", refusedBy: "budget", budget: "teams", requests: 3 },
        ]);
        clock.advance(86_400_000);
        await expect.poll(refusals).toEqual([["search", 0, undefined]]);
      });

      it("counts a request in all that it belongs to, or in none", async () => {
        const all = budget({ name: "all", by: "all", period: "month", usd: 0.5, requests_per_minute: 9 });
        const source = budget({ name: "batch", by: "source", value: "batch", usd: 0.2 });
        limiter.useBudgets([all, source]);
        await reserve(eve, { tokens: 7, costUsd: 0.15 }, { source: "batch" });
        await refused(eve, usd(0.1), { source: "batch" });
        await reserve(eve, usd(0.3), { source: "app" });
        const counted = async () =>
          (await limiter.usedBy(["key_eve", accountOf(all, "")])).map((one) => [one.requests, one.nanoUsd]);
        await expect.poll(counted).toEqual([
          [0, 450_000_000],
          [2, 450_000_000],
        ]);
        expect([
          await spent(source, "batch, named by callers"),
          await spent(source, "app, named by callers"),
        ]).toEqual([150_000_000, 0]);
      });

      it("counts what the gateway asks by itself in budgets of all and its own, in no team's", async () => {
        const gateway: Principal = { ...principal("comparisons", {}), kind: "gateway" };
        const [teams, all] = [budget({}), budget({ name: "all", by: "all" })];
        const own = budget({ name: "sources", by: "source" });
        limiter.useBudgets([teams, all, own]);
        await reserve(gateway, usd(0.2), { source: "comparisons", metadata: { comparison: "cheaper" } });
        const counted = [await spent(teams, ""), await spent(all, ""), await spent(own, "comparisons")];
        expect(counted).toEqual([0, 200_000_000, 200_000_000]);
        expect(await messageOf(gateway, usd(0.2), {})).toContain('the budget "all"');
      });

      it("limits requests and tokens a minute, and names the tightest limit in the headers", async () => {
        limiter.useBudgets([
          budget({ usd: undefined, requests_per_minute: 2, tokens_per_minute: 100 }),
          budget({ name: "all", by: "all", requests_per_minute: 50 }),
        ]);
        const estimate = { tokens: 60, costUsd: 0 };
        expect((await reserve(ada, estimate, search)).headers).toMatchObject({
          "x-ratelimit-limit-requests": "2",
          "x-ratelimit-remaining-requests": "1",
          "x-ratelimit-remaining-tokens": "40",
        });
        expect(await messageOf(ada, estimate, search)).toContain(
          'of the 100 tokens a minute of the budget "teams" (team "search, named by callers") are used',
        );
        await reserve(ada, estimate, billing);
      });

      it("warns in a header from its share on", async () => {
        limiter.useBudgets([budget({ warn_at: 0.5 })]);
        expect((await reserve(ada, usd(0.14), search)).headers).toEqual({});
        expect((await reserve(ada, usd(0.06), search)).headers).toEqual({
          "x-sextant-budget": "teams;used=0.66;period=day;reset=2026-01-03T00:00:00.000Z",
        });
      });

      it("has a preset answer where it is used up, once, and goes on counting", async () => {
        const teams = budget(economy);
        const key = principal("key_ada", { usdPerMonth: 1 });
        limiter.useBudgets([teams]);
        const tags = { ...search, isSwitchable: () => true };
        (await reserve(key, usd(0.3), tags)).settle(usd(0.3));
        const named = await reserve(key, usd(0.5), tags);
        expect(named.instead).toEqual(instead);
        expect(named.headers["x-sextant-budget"]).toMatch(/^teams;used=1;period=day;.*;preset=economy/);
        await named.reserveCost(0.1, "switch");
        await expect.poll(() => spent(teams, NAMED)).toBe(400_000_000);
        const routed = await reserve(key, usd(null), tags);
        expect(routed.instead).toEqual(instead);
        named.settle(usd(0.04));
        routed.settle(usd(0.01));
        await expect.poll(() => spent(teams, NAMED)).toBe(350_000_000);
        // The key's own limit holds for what answers instead.
        const last = await reserve(key, usd(null), tags);
        expect(String(await last.reserveCost(0.7, "switch"))).toContain("the 1 USD a month are used");
        last.settle(free);
      });

      it("switches a routed request when its cost is known, and reserves nothing then", async () => {
        const teams = budget(economy);
        limiter.useBudgets([teams]);
        const routed = await reserve(ada, usd(null), { ...search, isSwitchable: () => true });
        await routed.reserveCost(0.4, "switch");
        expect([routed.instead, await spent(teams, NAMED)]).toEqual([instead, 0]);
        await routed.reserveCost(0.1, "switch");
        expect(await spent(teams, NAMED)).toBe(100_000_000);
        routed.settle(usd(0.02));
        await expect.poll(() => spent(teams, NAMED)).toBe(20_000_000);
      });

      it("refuses what cannot be switched, and lets pass what costs nothing", async () => {
        limiter.useBudgets([budget(economy)]);
        (await reserve(ada, usd(0.3), search)).settle(usd(0.4));
        expect(await messageOf(ada, usd(0.1), search)).toContain("0.4 of the 0.3 USD a day");
        expect((await reserve(ada, free, search)).instead).toBeUndefined();
      });

      it("lists what each value has used", async () => {
        limiter.useBudgets([budget({}), budget({ name: "batch", by: "source", value: "batch", usd: 5 })]);
        await reserve(ada, usd(0.1), { metadata: { team: "a [*] team" } });
        expect(await limiter.budgetUse()).toMatchObject([
          {
            budget: { name: "teams" },
            value: "a [*] team, named by callers",
            used: { nanoUsd: 100_000_000 },
          },
          { budget: { name: "batch" }, value: "batch", used: { nanoUsd: 0 } },
        ]);
      });
    });

    describe("with several limits", () => {
      const ada = principal("key_ada", { requestsPerMinute: 3, tokensPerMinute: 100, usdPerMonth: 1 });

      it("names the limit with the longest wait when several are exhausted, and counts each principal separately", async () => {
        for (let request = 0; request < 3; request++) await reserve(ada, { tokens: 30, costUsd: 0.3 });
        expect((await refused(ada, { tokens: 30, costUsd: 0.3 })).code).toBe("budget_exceeded");
        expect((await refused(ada, { tokens: 30, costUsd: 0 })).message).toContain("requests a minute");
        await reserve(principal("key_bob", ada.limits), { tokens: 100, costUsd: 1 });
      });

      it("accepts any principal id, including those of tokens, with every kind of character", async () => {
        const subjects = ["ada", "ada}:minute", "{ada}", "a b", "анна", "__proto__", "*"];
        for (const subject of subjects) {
          const one = principal(`jwt:${subject}`, { requestsPerMinute: 1, usdPerMonth: 1 });
          await reserve(one, usd(1));
          await refused(one, free);
        }
      });
    });

    describe("with a reservation", () => {
      const ada = principal("key_ada", { tokensPerMinute: 100, usdPerMonth: 1 });

      it("settles it once: a second settlement changes nothing", async () => {
        const reservation = await reserve(ada, { tokens: 100, costUsd: 1 });
        reservation.settle({ tokens: 90, costUsd: 0.9 });
        reservation.settle({ tokens: 0, costUsd: 0 });
        await refused(ada, { tokens: 11, costUsd: 0 });
        await refused(ada, { tokens: 0, costUsd: 0.11 });
        await reserve(ada, { tokens: 10, costUsd: 0.1 });
      });

      it("ignores settlements with invalid figures", async () => {
        for (const figure of [Number.NaN, -5, -Infinity]) {
          (await reserve(ada, tokens(figure))).settle({ tokens: figure, costUsd: figure });
          await reserve(ada, usd(figure));
        }
        (await reserve(ada, tokens(0.5))).settle(tokens(0.2));
        await reserve(ada, { tokens: 99, costUsd: 1 });
        await refused(ada, tokens(1));
        await refused(ada, usd(0.01));
      });

      it("grants every request of a principal without limits, and returns no limit headers", async () => {
        const reservation = await reserve(principal("key_free", {}), { tokens: 1e12, costUsd: 1e9 });
        expect(reservation.headers).toEqual({});
        reservation.settle({ tokens: 0, costUsd: null });
      });
    });

    it("tells what principals have used, in the order asked", async () => {
      const limits = { requestsPerMinute: 10, tokensPerMinute: 1000, usdPerMonth: 5 };
      const [ada, bob] = [principal("key_ada", limits), principal("key_bob", limits)];
      const reservation = await reserve(ada, { tokens: 100, costUsd: 2 });
      await reserve(ada, { tokens: 50, costUsd: 1 });
      reservation.settle({ tokens: 70, costUsd: 0.5 });
      const none = { requests: 0, tokens: 0, nanoUsd: 0 };
      const used = () => limiter.usedBy([bob.id, ada.id, "key_new"]);
      await expect.poll(used).toEqual([none, { requests: 2, tokens: 120, nanoUsd: 1.5e9 }, none]);
      clock.advance(60_000);
      expect((await used())[1]).toEqual({ requests: 0, tokens: 0, nanoUsd: 1.5e9 });
    });

    it("counts refused requests by principal, limit and minute for a day", async () => {
      const ada = principal("key_ada", { requestsPerMinute: 1, usdPerMonth: 1 });
      const startMs = clock.now() - (clock.now() % 60_000);
      await reserve(ada, free);
      for (let request = 0; request < 3; request++) await refused(ada, free);
      await refused(ada, usd(2));
      await refused(principal("key_bob", { tokensPerMinute: 5 }), tokens(6));
      const refusals = async (id?: string) =>
        (await limiter.refusals(id))
          .map((one) => `${one.principal} +${one.minuteMs - startMs} ${one.refusedBy} ${one.requests}`)
          .sort();
      const bobs = ["key_bob +0 tokens 1"];
      const adas = ["key_ada +0 budget 1", "key_ada +0 requests 3"];
      expect(await refusals("key_bob")).toEqual(bobs);
      expect(await refusals("key_new")).toEqual([]);
      expect(await refusals("key_ada")).toEqual(adas);
      expect(await refusals()).toEqual([...adas, ...bobs]);
      clock.advance(24 * 3_600_000);
      await refused(ada, usd(2));
      expect(await refusals("key_ada")).toEqual(["key_ada +86400000 budget 1"]);
    });

    it("agrees with plain arithmetic on any sequence of requests, settlements and time", async () => {
      let sequence = 0;
      const property = fc.asyncProperty(
        anyLimits,
        fc.array(anyStep, { maxLength: 60 }),
        async (limits, steps) => {
          const who = principal(`key_sequence_${sequence++}`, limits);
          const model = new LimitModel(limits, clock.now);
          const open: ((used: UsageEstimate) => void)[] = [];
          for (const step of steps) {
            if (step.kind === "wait") clock.advance(step.ms);
            if (step.kind === "settle") open.splice(step.which % Math.max(1, open.length), 1)[0]?.(step.used);
            if (step.kind !== "reserve") continue;
            const outcome = await attempt(limiter, who, step.estimate);
            const expected = model.reserve(step.estimate);
            expect(outcome instanceof SextantError).toBe(!expected.granted);
            if (!(outcome instanceof SextantError))
              open.push((used) => [outcome, expected].forEach((one) => void one.settle(used)));
            const { headers } = outcome;
            if (limits.requestsPerMinute !== null)
              expect(headers["x-ratelimit-remaining-requests"]).toBe(String(expected.remainingRequests));
            if (limits.tokensPerMinute !== null)
              expect(headers["x-ratelimit-remaining-tokens"]).toBe(String(expected.remainingTokens));
          }
        },
      );
      await fc.assert(property, { numRuns: sequences });
    });
  });
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
const anyLimits: fc.Arbitrary<PrincipalLimits> = fc.record({
  requestsPerMinute: maybe(fc.integer({ min: 1, max: 6 })),
  tokensPerMinute: maybe(fc.integer({ min: 1, max: 300 })),
  usdPerMonth: maybe(fc.integer({ min: 1, max: 30 }).map((cents) => cents / 100)),
});
const anyUsage: fc.Arbitrary<UsageEstimate> = fc.record({
  tokens: fc.integer({ min: 0, max: 120 }),
  costUsd: maybe(fc.integer({ min: 0, max: 100 }).map((mills) => mills / 1000)),
});
const anyWait = fc.oneof(
  fc.integer({ min: 0, max: 70_000 }),
  fc.constantFrom(1, 59_999, 60_000, 60_001, 40 * 86_400_000),
);
const anyReserve = fc.record({ kind: fc.constant("reserve" as const), estimate: anyUsage });
const anySettle = fc.record({
  kind: fc.constant("settle" as const),
  which: fc.nat({ max: 20 }),
  used: anyUsage,
});
const anyStep = fc.oneof(
  { weight: 6, arbitrary: anyReserve },
  { weight: 3, arbitrary: anySettle },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: anyWait }) },
);
