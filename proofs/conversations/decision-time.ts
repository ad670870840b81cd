import { median } from "../../bench/report/statistics.js";
import type { PreviousAnswer, RouteRequest } from "../../src/engine/router/decision.js";
import type { Router } from "../../src/engine/router/router.js";
import { systemTimers } from "../../src/foundation/timers.js";
import { openConversations } from "../../src/gateway/conversations/conversation-memory.js";
import { promptTokensOf } from "../../src/gateway/run/request-size.js";
import { StickyConversations } from "../../src/gateway/run/sticky-conversations.js";
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

type Work = (request: ScriptedRequest) => unknown;

/** Request by request in turn, so that a busy neighbour slows all alike; by round, medians of the requests are compared. */
export async function measureDecisionTimes(
  router: Pick<Router, "route">,
  { models, requests }: TimedOptions,
): Promise<DecisionTimes> {
  const previous: PreviousAnswer = {
    ...{ model: models[0] ?? "", provider: "openai", promptTokens: 1000, billedTokens: 1100 },
    ...{ reportedTokens: 0, ageMs: 1000, inToolLoop: false },
  };
  const decide =
    (more: Pick<RouteRequest, "previous">): Work =>
    ({ messages }) =>
      router.route({ messages: messages as never, models, costWeight: 0.5, ...more });
  const works: readonly Work[] = [decide({}), decide({ previous }), find(models, "off"), find(models, "on")];
  const times = { continued: [] as number[], off: [] as number[], find: [] as number[] };
  for (let round = 0; round <= ROUNDS; round++) {
    const ms = works.map((): number[] => []);
    for (const [turn, request] of requests.slice(0, CALLS).entries()) {
      // Each is the first as often as the others: the first finds nothing of the prompt in the processor's caches.
      for (let step = 0; step < works.length; step++) {
        const index = (turn + round + step) % works.length;
        ms[index]?.push(await millisecondsOf(works[index] as Work, request));
      }
    }
    // The first round compiles.
    if (round === 0) continue;
    const [alone = Number.NaN, continued = Number.NaN, off = Number.NaN, on = Number.NaN] = ms.map(median);
    times.continued.push(continued / alone);
    times.off.push(off / alone);
    times.find.push(on / alone);
  }
  return times;
}

function find(models: readonly string[], sticky: "on" | "off"): Work {
  const memory = openConversations({ now: () => 0, timers: systemTimers });
  const settings = { sticky, stickyMetadataKey: "conversation_id" };
  const conversations = new StickyConversations({ memory, settings });
  const choice = { type: "routed", models, costWeight: 0.5 } as const;
  return ({ messages }) =>
    conversations.turnOf(
      { choice, body: { messages }, metadata: {} },
      { principal: "key_1", now: () => 0, promptTokens: promptTokensOf({ messages }) },
    );
}

async function millisecondsOf(work: Work, request: ScriptedRequest): Promise<number> {
  const startMs = performance.now();
  const done = work(request);
  if (done !== undefined) await done;
  return performance.now() - startMs;
}
