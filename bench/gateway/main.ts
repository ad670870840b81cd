/**
 * What does a gateway add to a call? A fake upstream on this machine is called directly, through a bare undici proxy, through ours with
 * and without traces, and through the gateways of others, in turn within every round. Linux only. A failed request ends the run.
 *
 * Portkey's gateway and @musistudio/llms are installed from their own lockfiles at the first run, LiteLLM from PyPI by `python3`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { describeEnvironment, environmentLine } from "../environment.js";
import { startServer } from "../http/server-process.js";
import { showProgress } from "../report/progress.js";
import { type BenchmarkResult, RESULT_VERSION } from "../report/result.js";
import { writeResult } from "../report/result-file.js";
import { type Contestant, startContestants } from "./contestants.js";
import { at, figuresOf, gatewayTable, type Measured, type Round, singleOf } from "./figures.js";
import { sendLoad } from "./load.js";

const USAGE = `npm run bench -- gateway [--rounds 5] [--without-peers] [--earlier DIR]

--earlier DIR   a checkout of another commit of ours, built, that takes part too`;

/** Before the first round, and in each: an engine that has nothing to do for a while discards what it has compiled. */
const WARM_UP_MS = { first: 3_000, round: 1_000 };
const SINGLE_REQUESTS = 600;
const RAMP = [1, 2, 4, 8, 16, 32, 64];
/** Of a step of the ramp: the slow are not waited for long, the fast are measured over enough requests. */
const STEP = { milliseconds: 700, least: 100 };
const STREAMS = { connections: 10, requests: 30 };
/** Between the loads and the streams, for what is done after an answer, such as writing traces. */
const SETTLE_MS = 2_000;
const PAUSE_MS = 30_000;

async function main(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: "string", default: "5" },
      "without-peers": { type: "boolean", default: false },
      earlier: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1)
    throw new Error(`--rounds ${values.rounds} makes no sense.\n\n${USAGE}`);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const dataDir = await mkdtemp(join(tmpdir(), "sextant-bench-gateway-"));
  const upstream = await startServer("upstream", { args: [join(import.meta.dirname, "upstream.js")] });
  const contestants: Contestant[] = [];
  try {
    await startContestants({
      upstream: upstream.address,
      dataDir,
      peers: !values["without-peers"],
      earlier: values.earlier,
      onStarted: (contestant) => contestants.push(contestant),
    });
    const measured = await measureAll(contestants, rounds);
    const result: BenchmarkResult = {
      version: RESULT_VERSION,
      suite: "gateway",
      environment,
      datasets: [],
      seeds: [],
      question: "What does the gateway add to a call, beside a bare proxy and other gateways?",
      command: ["npm run bench -- gateway", ...args].join(" "),
      figures: figuresOf(measured),
      notes: [
        `${rounds} rounds, all of them in turn in each. Sextant asks for keys, keeps limits, counts cost and stores traces; “bare” stores none.`,
        "On more connections than one the processes share the machine's cores with the sender and the upstream.",
      ],
    };
    console.log(`\n${gatewayTable(measured)}\n\nwritten to ${await writeResult(result)}`);
  } finally {
    await Promise.all([...contestants.map(({ server }) => server?.stop()), upstream.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** The order rotates from round to round. */
async function measureAll(contestants: readonly Contestant[], rounds: number): Promise<Measured[]> {
  const idle = await Promise.all(contestants.map(residentOf));
  const found = contestants.map(({ name }) => ({ name, rounds: [] as Round[] }));
  const bar = showProgress("Sending requests in turn", (rounds + 1) * contestants.length);
  let done = 0;
  try {
    for (const contestant of contestants) {
      await warmUp(contestant, WARM_UP_MS.first);
      await sendLoad(contestant, { shape: "stream-paced", connections: 8, requests: 32 });
      bar.update(++done);
    }
    for (let round = 0; round < rounds; round++) {
      for (let turn = 0; turn < contestants.length; turn++) {
        const index = (round + turn) % contestants.length;
        found[index]?.rounds.push(await measureOnce(contestants[index] as Contestant));
        bar.update(++done);
      }
    }
  } finally {
    bar.stop();
  }
  const loaded = await Promise.all(contestants.map(residentOf));
  await wait(PAUSE_MS);
  const after = await Promise.all(contestants.map(residentOf));
  return found.map((one, index) => ({
    ...one,
    memory:
      contestants[index]?.server === null
        ? undefined
        : { idle: idle[index] ?? 0, loaded: loaded[index] ?? 0, after: after[index] ?? 0 },
  }));
}

const residentOf = async ({ server }: Contestant): Promise<number> => (await server?.residentMb()) ?? 0;

/** Warms up the compiler, since a service runs for days. */
async function warmUp(contestant: Contestant, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  while (performance.now() < until)
    await sendLoad(contestant, { shape: "json", connections: 16, requests: 400 });
}

async function measureOnce(contestant: Contestant): Promise<Round> {
  await warmUp(contestant, WARM_UP_MS.round);
  const before = (await contestant.server?.cpuMs()) ?? 0;
  const single = await sendLoad(contestant, { shape: "json", connections: 1, requests: SINGLE_REQUESTS });
  const spent = ((await contestant.server?.cpuMs()) ?? 0) - before;
  const ramp: { perSecond: number; p99: number }[] = [];
  let perSecond = single.requestsPerSecond;
  for (const connections of RAMP) {
    const requests = Math.max(STEP.least, Math.ceil((perSecond * STEP.milliseconds) / 1000));
    const { latencies, requestsPerSecond } = await sendLoad(contestant, {
      shape: "json",
      connections,
      requests,
    });
    perSecond = requestsPerSecond;
    ramp.push({ perSecond, p99: at(latencies, 0.99) });
  }
  await wait(SETTLE_MS);
  const streams = await sendLoad(contestant, { shape: "stream-timed", ...STREAMS });
  return {
    single: singleOf(single, spent),
    ramp,
    stream: { first: at(streams.firstContents, 0.5), gap: at(streams.gaps, 0.99) },
  };
}

await main(process.argv.slice(2));
