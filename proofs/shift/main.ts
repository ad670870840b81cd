/** `npm run proof -- shift`: what the browser takes for hours of live tail. Needs Chromium, and `npm run build` before. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openBrowser, signedIn } from "../../bench/console/browser.js";
import { describeEnvironment, environmentLine } from "../../bench/environment.js";
import { startServer } from "../../bench/http/server-process.js";
import { renderMarkdown } from "../../bench/report/markdown.js";
import { type BenchmarkResult, RESULT_VERSION } from "../../bench/report/result.js";
import { writeResult } from "../../bench/report/result-file.js";
import { temporaryFolder } from "../../bench/traces/temporary-folder.js";
import { figuresOf } from "./figures.js";
import { type TailReading, tailShift } from "./live-tail.js";

const KEY = "pk_live_benchmarkbenchmarkbenchmarkbenchmark";

const { values } = parseArgs({
  options: {
    hours: { type: "string", default: "8" },
    readings: { type: "string", default: "96" },
    help: { type: "boolean" },
  },
});

async function shift(folder: string, onReading: (reading: TailReading) => void): Promise<TailReading[]> {
  const server = await startServer("sextant serve", {
    args: [join("dist", "cli", "main.js"), "serve"],
    environment: {
      SEXTANT_PORT: "0",
      SEXTANT_DATA_DIR: folder,
      SEXTANT_BOOTSTRAP_API_KEY: KEY,
      SEXTANT_LOG_LEVEL: "warn",
      SEXTANT_SANDBOX: "true",
    },
  });
  const browser = await openBrowser();
  try {
    const page = await signedIn(browser, server.address, KEY);
    const minutes = Number(values.hours) * 60;
    return await tailShift({
      ...{ page, address: server.address, minutes, readings: Number(values.readings), onReading },
    });
  } finally {
    await browser.close();
    await server.stop();
  }
}

async function run(folder: string): Promise<void> {
  const environment = describeEnvironment(new Date());
  console.log(environmentLine(environment));
  const readings = await shift(folder, ({ minute, heapBytes, nodes, listeners }) =>
    console.log(
      `${minute.toFixed(0)} min: ${(heapBytes / 1024 ** 2).toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`,
    ),
  );
  const charts: BenchmarkResult["charts"] = [];
  const result: BenchmarkResult = {
    ...{ version: RESULT_VERSION, suite: "shift", environment, datasets: [], seeds: [], charts },
    question: "Does the live tail of the console take the same memory after a shift as at its start?",
    command: ["npm run proof -- shift", ...process.argv.slice(2)].join(" "),
    figures: figuresOf(readings),
    notes: [
      `${values.hours} hours of live tail with an arrival each second, without the pauses between two questions; ${readings.length} readings after forced garbage collection. Trends are those after the first sixth.`,
    ],
  };
  console.log(`\n${renderMarkdown(result)}\n\nwritten to ${await writeResult(result)}`);
}

if (values.help === true) {
  console.log("Options: --hours N (8), --readings N (96)");
} else {
  const folder = await temporaryFolder("sextant-proof-shift-");
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
