/**
 * What does a gateway answer that gets twice as many requests as it can, or whose provider hangs? Sender, gateway and provider
 * are processes of their own; each needs a core, or they slow each other. `npm run proof -- overload --help` lists the options.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeEnvironment, environmentLine } from "../../bench/environment.js";
import { renderMarkdown } from "../../bench/report/markdown.js";
import { type BenchmarkResult, type Figure, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { hangFigures, overloadFigures } from "./figures.js";
import { measureHang, measureOverload } from "./measure.js";
import { OVERLOAD_USAGE, type OverloadOptions, parseOverloadOptions } from "./options.js";
import { type Servers, type ServersOptions, startServers } from "./servers.js";

/** Chat completions that may run at one time while the provider hangs, so that it keeps as many as may be within seconds. */
const IN_FLIGHT_WHILE_HANGING = 500;
const HANG_RATES = { decisionsPerSecond: 50, chatPerSecond: 100 };

async function withServers<T>(
  options: ServersOptions,
  measure: (servers: Servers) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "sextant-bench-overload-"));
  const servers = await startServers(folder, options);
  try {
    return await measure(servers);
  } finally {
    await servers.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(options: OverloadOptions): Promise<Figure[]> {
  const { environment, parts, overloadSeconds } = options;
  const figures: Figure[] = [];
  for (const part of parts) {
    if (part === "hang") {
      const most = { SEXTANT_MAX_REQUESTS_IN_FLIGHT: String(IN_FLIGHT_WHILE_HANGING) };
      const limited = { ...options, environment: { ...environment, ...most } };
      const plan = { ...HANG_RATES, seconds: overloadSeconds };
      figures.push(...hangFigures(await withServers(limited, (servers) => measureHang(servers, plan))));
    } else {
      const rounds = await withServers(options, (servers) =>
        measureOverload(servers, servers[part], {
          ...options,
          onStep: (what) => console.error(`  ${part}: ${what}`),
        }),
      );
      figures.push(...overloadFigures(part, rounds));
    }
  }
  return figures;
}

async function run(argv: readonly string[]): Promise<void> {
  if (argv.includes("--help")) return console.log(OVERLOAD_USAGE);
  const options = parseOverloadOptions(argv);
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const figures = await measure(options);
  const result: BenchmarkResult = {
    ...{
      version: RESULT_VERSION,
      suite: "overload",
      environment,
      datasets: [],
      seeds: [],
      charts: [],
      figures,
    },
    question:
      "What does a gateway answer that gets twice as many requests as it can, or whose provider hangs?",
    command: options.command,
    notes: [
      `Medians of ${options.rounds} rounds; load ${describeEnvironment(new Date()).load} at the end. Sent at fixed rates over ${options.connections} open connections.`,
      "Decisions are among all models of the shipped profiles that OpenAI serves; the provider of the chat completions answers after 50 ms.",
    ],
  };
  console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
}

await run(process.argv.slice(2));
