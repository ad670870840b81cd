import { LocalConversations } from "../../src/conversations/local-conversations.js";
import { StickyConversations } from "../../src/inference/conversations/sticky-conversations.js";
import type { PreviousAnswer, RouteRequest } from "../../src/router/decision.js";
import type { Router } from "../../src/router/router.js";
import type { ScriptedRequest } from "./traffic.js";

const ROUNDS = 15;
const CALLS = 60;

/** By round, against a decision without a conversation in the same round. */
export interface DecisionTimes {
  /** A decision with a previous answer. */
  readonly continued: readonly number[];
  /** To see that a request is decided on its own: `sticky` off. */
  readonly off: readonly number[];
  /** To find the conversation of a request, in memory. */
  readonly find: readonly number[];
}

export interface TimedOptions {
  readonly models: readonly string[];
  readonly requests: readonly ScriptedRequest[];
}

/** Interleaved, round by round. */
export async function measureDecisionTimes(
  router: Pick<Router, "route">,
  { models, requests }: TimedOptions,
): Promise<DecisionTimes> {
  const timed = requests.slice(0, CALLS);
  const previous: PreviousAnswer = {
    ...{ model: models[0] ?? "", provider: "openai", promptTokens: 1000, billedTokens: 1100 },
    ...{ reportedTokens: 0, ageMs: 1000, inToolLoop: false },
  };
  const decide = (more: Pick<RouteRequest, "previous">) => async () => {
    for (const { messages } of timed)
      await router.route({ messages: messages as never, models, costWeight: 0.5, ...more });
  };
  const find = (sticky: "on" | "off") => {
    const memory = new LocalConversations({ ttlMs: 3_600_000, now: () => 0 });
    const conversations = new StickyConversations({
      memory,
      settings: { sticky, stickyMetadataKey: "conversation_id" },
    });
    const choice = { type: "routed", models, costWeight: 0.5 } as const;
    return async () => {
      for (const { messages } of timed) {
        const turn = conversations.turnOf(
          { choice, body: { messages }, metadata: {} },
          { principal: "key_1", now: () => 0 },
        );
        if (turn !== undefined) await turn;
      }
    };
  };
  const [alone, continued] = [decide({}), decide({ previous })];
  const [off, on] = [find("off"), find("on")];
  const times = { continued: [] as number[], off: [] as number[], find: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const aloneMs = await millisecondsOf(alone);
    const ratios = {
      continued: (await millisecondsOf(continued)) / aloneMs,
      off: (await millisecondsOf(off)) / aloneMs,
      find: (await millisecondsOf(on)) / aloneMs,
    };
    // The first round compiles.
    if (round === 0) continue;
    times.continued.push(ratios.continued);
    times.off.push(ratios.off);
    times.find.push(ratios.find);
  }
  return times;
}

async function millisecondsOf(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
