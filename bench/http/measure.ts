import autocannon from "autocannon";
import { makePrompt, seededRandom } from "../latency/prompts.js";
import type { Contestant } from "./contestants.js";
import type { HttpOptions } from "./options.js";
import type { LoopDelay } from "./server-process.js";

const WORDS = 45;
const BODIES = 64;
const CONNECTIONS = 8;
/** Requests a second while the event loop is watched: a tenth of what a core serves, so that no queue forms. */
const STEADY_RATE = 300;

/** Measurements of one server in one round. */
export interface Round {
  /** Microseconds of the server's processor time per request. */
  readonly cpuUs: number;
  /** By the clock, with as many requests under way as there are connections. */
  readonly requestsPerSecond: number;
  readonly loopDelay: LoopDelay;
}

function requestBodies(): string[] {
  const random = seededRandom(3);
  return Array.from({ length: BODIES }, (_, topic) => {
    const content = makePrompt(topic, WORDS, random);
    return JSON.stringify({ messages: [{ role: "user", content }], cost_weight: 0.3, execute: false });
  });
}

type Load = { readonly amount: number } | { readonly overallRate: number; readonly duration: number };

/**
 * Returns the seconds from the first request to the last reply.
 *
 * @throws Error when a request failed
 */
async function send({ server, headers, name }: Contestant, load: Load): Promise<number> {
  const started = performance.now();
  let ended = started;
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url: `${server.address}/v1/router`,
        connections: CONNECTIONS,
        ...load,
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        requests: requestBodies().map((body) => ({ body })),
      },
      (error, finished) => (error ? reject(error) : resolve(finished)),
    );
    // It says that it is done at the next full second only.
    run.on("response", () => {
      ended = performance.now();
    });
  });
  const failed = result.errors + result.timeouts + result.non2xx;
  if (failed > 0) throw new Error(`${failed} of ${result.requests.sent} requests to ${name} failed`);
  return (ended - started) / 1_000;
}

async function measureOnce(contestant: Contestant, { requests, steadySeconds }: HttpOptions): Promise<Round> {
  const before = await contestant.server.cpuMs();
  const sleep = stayAwake();
  const seconds = await send(contestant, { amount: requests });
  sleep();
  const cpuMs = (await contestant.server.cpuMs()) - before;
  const loopDelay = await contestant.server.loopDelayDuring(() =>
    send(contestant, { overallRate: STEADY_RATE, duration: steadySeconds }),
  );
  return { cpuUs: (cpuMs * 1_000) / requests, requestsPerSecond: requests / seconds, loopDelay };
}

/** Rounds by the server's name; the order rotates from round to round. */
export async function measure(
  contestants: readonly Contestant[],
  options: HttpOptions & { readonly onRound: (done: number) => void },
): Promise<Map<string, Round[]>> {
  for (const contestant of contestants) await send(contestant, { amount: options.warmUpRequests });
  const rounds = new Map(contestants.map(({ name }) => [name, [] as Round[]]));
  for (let round = 0; round < options.rounds; round++) {
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(round + turn) % contestants.length] as Contestant;
      rounds.get(contestant.name)?.push(await measureOnce(contestant, options));
    }
    options.onRound(round + 1);
  }
  return rounds;
}

/**
 * Keeps this process from waiting until the function it returns is called. A server that answers a sleeping client pays
 * for waking it (70 µs a reply on a virtual machine), so that the slower server would be charged more for the same write.
 */
function stayAwake(): () => void {
  let awake = true;
  const turn = (): void => {
    if (awake) setImmediate(turn);
  };
  turn();
  return () => {
    awake = false;
  };
}
