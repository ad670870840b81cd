/**
 * Runs the first stage of tests again and again under conditions that must not change a verdict:
 *
 *     npm run test:shaken -- [--runs 20] [--conditions one-core+elsewhere,busy] [--seed 1] [--out FILE]
 *
 * Conditions that are joined by `+` hold together, and take the time of one.
 * Files and tests are shuffled in each run, by a seed that is printed; the properties draw seeds of their own. It works in
 * a copy of the tree, and ends with 1 when a test failed. Needs `taskset`; `faketime` for the clocks; root for the user.
 */
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyOfTree } from "./tree-copy.js";

interface Condition {
  /** Put in front of the command. */
  readonly prefix?: readonly string[];
  readonly variables?: (run: number) => Readonly<Record<string, string>>;
  /** Processes beside it that keep a core busy each. */
  readonly busy?: number;
}

const NOBODY = 65_534;
const ZONES = [
  "Asia/Kathmandu",
  "America/St_Johns",
  "Pacific/Kiritimati",
  "Pacific/Pago_Pago",
  "Europe/Dublin",
];
const LOCALES = ["tr_TR.UTF-8", "de_DE.UTF-8", "ar_EG.UTF-8", "C", "sv_SE.UTF-8", "th_TH.UTF-8"];

const CONDITIONS: Readonly<Record<string, Condition>> = {
  shuffled: {},
  "one-core": { prefix: ["taskset", "-c", "0"] },
  busy: { busy: 4 },
  "fast-clock": { prefix: ["faketime", "-f", "+0 x2"] },
  "slow-clock": { prefix: ["faketime", "-f", "+0 x0.5"] },
  elsewhere: {
    variables: (run) => ({
      TZ: ZONES[run % ZONES.length] ?? "",
      LC_ALL: LOCALES[run % LOCALES.length] ?? "",
    }),
  },
  "other-user": {
    prefix: ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"],
  },
};

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "20" },
    conditions: { type: "string", default: Object.keys(CONDITIONS).join(",") },
    seed: { type: "string", default: "1" },
    out: { type: "string" },
  },
});

const copy = copyOfTree();
const home = mkdtempSync(join(tmpdir(), "sextant-home-"));
chmodSync(home, 0o555);
try {
  cpSync("node_modules", join(copy, "node_modules"), { recursive: true, verbatimSymlinks: true });
  execFileSync("npm", ["run", "--silent", "build"], { cwd: copy, stdio: "inherit" });
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, copy]);
  let failures = 0;
  for (const name of values.conditions.split(",")) failures += await runsUnder(name);
  process.exitCode = failures === 0 ? 0 : 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
}

/** @returns how many of the runs failed */
async function runsUnder(name: string): Promise<number> {
  const condition = together(name);
  const seconds: number[] = [];
  let failures = 0;
  for (let at = 0; at < Number(values.runs); at++) {
    const seed = Number(values.seed) + at;
    const run = await once(name, condition, seed);
    seconds.push(run.seconds);
    if (run.failed.length > 0) failures += 1;
    for (const title of run.failed) say(`${name}, seed ${seed}: FAILED ${title}`);
    if (run.failed.length === 0) say(`${name}, seed ${seed}: passed in ${run.seconds.toFixed(0)} s`);
  }
  const median = seconds.sort((one, other) => one - other)[seconds.length >> 1] ?? 0;
  say(
    `${name}: ${failures} of ${values.runs} runs failed; ${median.toFixed(0)} s in the middle, load ${loadavg()[0]}`,
  );
  return failures;
}

/** All conditions of a name such as `one-core+elsewhere`. */
function together(name: string): Condition {
  const all = name.split("+").map((part) => {
    const condition = CONDITIONS[part];
    if (condition) return condition;
    throw new RangeError(`--conditions: "${part}" is none of ${Object.keys(CONDITIONS).join(", ")}`);
  });
  return {
    prefix: all.flatMap(({ prefix = [] }) => prefix),
    variables: (run) => Object.assign({}, ...all.map(({ variables }) => variables?.(run))),
    busy: Math.max(...all.map(({ busy = 0 }) => busy)),
  };
}

async function once(
  name: string,
  { prefix = [], variables, busy = 0 }: Condition,
  seed: number,
): Promise<{ readonly seconds: number; readonly failed: readonly string[] }> {
  const report = join(copy, "node_modules", `report-${name}.json`);
  rmSync(report, { force: true });
  const beside = Array.from({ length: busy }, () =>
    spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  const started = performance.now();
  try {
    const [program = "", ...parameters] = [
      ...prefix,
      ...["node_modules/.bin/vitest", "run", "--project", "units"],
      ...["--sequence.shuffle.files", "--sequence.shuffle.tests", `--sequence.seed=${seed}`],
      ...["--reporter=json", `--outputFile.json=${report}`],
    ];
    const environment = { ...process.env, HOME: home, ...variables?.(seed) };
    const child = spawn(program, parameters, {
      cwd: copy,
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let told = "";
    child.stderr.on("data", (chunk) => {
      told = (told + chunk).slice(-2000);
    });
    const code = await new Promise<number>((resolve) => child.on("close", (exit) => resolve(exit ?? 1)));
    const failed = code === 0 ? [] : failedIn(report, told);
    return { seconds: (performance.now() - started) / 1000, failed };
  } finally {
    for (const { pid } of beside) if (pid !== undefined) process.kill(pid);
  }
}

function failedIn(report: string, told: string): string[] {
  try {
    const { testResults } = JSON.parse(readFileSync(report, "utf8"));
    const titles: string[] = testResults.flatMap(
      ({
        name,
        status,
        message,
        assertionResults,
      }: Record<string, never> & { assertionResults: never[] }) => {
        const tests = (assertionResults as { status: string; fullName: string; failureMessages: string[] }[])
          .filter((test) => test.status === "failed")
          .map((test) => `${test.fullName}\n${test.failureMessages.join("\n").slice(0, 800)}`);
        const own = status === "failed" && tests.length === 0 ? [String(message).slice(0, 800)] : tests;
        return own.map((title) => `${String(name).slice(copy.length + 1)}: ${title}`);
      },
    );
    return titles.length > 0 ? titles : [`(between tests) ${told}`];
  } catch {
    return [`(no report) ${told}`];
  }
}

function say(line: string): void {
  console.log(line);
  if (values.out) appendFileSync(values.out, `${line}\n`);
}
