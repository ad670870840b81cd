/**
 * Plants faults over `src`, one at a time, and says which tests find each:
 *
 *     npm run test:strength -- [--count 200] [--seed 1] [--in src/engine] [--tests test/engine] [--jobs 1] [--out FILE]
 *     npm run test:strength -- --stage second --left FILE [--out FILE]
 *
 * The places are spread evenly over the lines of the folder and depend on the seed alone. Each fault is judged by the
 * tests of the first stage that reach it, the nearest by imports first: twelve test files are run whole, the others until
 * one fails. `--left` takes those that an earlier report found by nothing, `--stage second` judges them by the tests of
 * the second stage that reach them, the quickest first, until one fails. It works in copies of the tree. A fault that no
 * test finds is one that behaves the same, or wants a test.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyOfTree, listedFiles } from "../tree-copy.js";
import { importDistances, importReader } from "./import-distance.js";
import { type Fault, faultsIn } from "./sites.js";

/** Test files that are run whole for a fault, and those that are run after them until one fails. */
const [WHOLE, AT_MOST] = [12, 60];

/** Test files of the second stage for a fault. */
const SECOND_AT_MOST = 10;

const BUILD = [
  ...["node_modules/.bin/vite", "build"],
  ...["--config", "vite.package.config.ts", "--emptyOutDir", "false"],
];
const BUILD_CONSOLE = ["node_modules/.bin/vite", "build", "--config", "vite.console.config.ts"];
/** Beside `node_modules`: packages that tests of the second stage use. */
const PACKAGES = "test/packages/node_modules";

/** What a run writes in a copy. */
const REPORT = "report.json";

interface Finding {
  readonly fault: string;
  readonly change: string;
  /** Titles of the tests that failed, by file; "(the build)" and "(did not end)" count as finding it. */
  readonly foundBy: Readonly<Record<string, readonly string[]>>;
  readonly testFiles: number;
}

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    in: { type: "string", default: "src" },
    tests: { type: "string", default: "test" },
    jobs: { type: "string", default: "1" },
    out: { type: "string", default: "planted-faults.json" },
    stage: { type: "string", default: "first" },
    left: { type: "string" },
  },
});

const files = listedFiles(values.in).filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"));
const faults = values.left ? left(values.left) : chosen(files, Number(values.count), Number(values.seed));
const isSecond = values.stage === "second";
const tests = values.tests
  .split(",")
  .flatMap(listedFiles)
  .filter((file) => file.endsWith(".test.ts"))
  .filter((file) => /^test\/(e2e|fuzz|services)\/|\.slow\.test\.ts$/.test(file) === isSecond);
const importsOf = importReader();
const distances = new Map(tests.map((test) => [test, importDistances(test, importsOf)]));
/** Threads and programs run what was built. */
const built = new Set(
  listedFiles("src")
    .filter((file) => /worker\.ts$/.test(file))
    .flatMap((entry) => [...importDistances(entry, importsOf).keys()]),
);
/** Test files that fail without a fault, in a copy that lacks what git ignores: they are not counted. */
const broken = new Set<string>();
const findings: Finding[] = [];
/** How long each test file of the second stage took. */
const durations = new Map<string, number>();

const copies = Array.from({ length: Number(values.jobs) }, () => {
  const copy = copyOfTree();
  symlinkSync(join(process.cwd(), "node_modules"), join(copy, "node_modules"));
  if (existsSync(PACKAGES)) symlinkSync(join(process.cwd(), PACKAGES), join(copy, PACKAGES));
  return copy;
});
try {
  const [first] = copies;
  if (!first) throw new RangeError("--jobs: it must be at least 1");
  const reaching = await (isSecond ? reachedBySecondStage() : reachedBy(first));
  for (const copy of copies) await build(copy);
  const waiting = faults.entries();
  await Promise.all(
    copies.map(async (copy) => {
      for (const [at, fault] of waiting) {
        const possible = isSecond ? secondStageOf(at, fault, reaching) : candidates(at, fault, reaching);
        const finding = await judge(copy, fault, possible);
        findings.push(finding);
        console.log(`${findings.length}/${faults.length} ${said(finding)}`);
        writeFileSync(values.out, JSON.stringify(findings, undefined, 1));
      }
    }),
  );
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
}
summarize();

/** One place every so many lines: the line is the seed's, the fault one of those nearest to it. */
function chosen(paths: readonly string[], count: number, seed: number): Fault[] {
  const random = generator(seed);
  const places = paths.flatMap((file) => {
    const lines = readFileSync(file, "utf8").split("\n").length;
    return Array.from({ length: lines }, (_, at) => ({ file, line: at + 1 }));
  });
  const known = new Map(paths.map((file) => [file, faultsIn(file)]));
  const picked = new Map<string, Fault>();
  const step = places.length / count;
  for (let at = 0; at < count; at++) {
    const { file, line } = places[Math.floor((at + random()) * step)] ?? { file: "", line: 0 };
    const near = (known.get(file) ?? []).filter(({ id }) => !picked.has(id));
    const nearest = Math.min(...near.map((fault) => Math.abs(fault.line - line)));
    const possible = near.filter((fault) => Math.abs(fault.line - line) === nearest);
    const fault = possible[Math.floor(random() * possible.length)];
    if (fault) picked.set(fault.id, fault);
  }
  return [...picked.values()];
}

/** The faults that a report says no test found; in another version of the source, those that change the same, nearest by line. */
function left(report: string): Fault[] {
  const judged: Finding[] = JSON.parse(readFileSync(report, "utf8"));
  return judged
    .filter(({ foundBy }) => Object.keys(foundBy).length === 0)
    .flatMap(({ fault: id, change }) => {
      const [file = "", line] = id.split(":");
      if (!existsSync(file)) return [];
      const text = readFileSync(file, "utf8");
      return faultsIn(file)
        .filter((fault) => fault.id.split(" ")[1] === id.split(" ")[1] && changeOf(fault, text) === change)
        .toSorted((one, other) => Math.abs(one.line - Number(line)) - Math.abs(other.line - Number(line)))
        .slice(0, 1);
    });
}

function changeOf({ start, end, replacement }: Fault, text: string): string {
  return `${text.slice(start, end)} → ${replacement}`.replace(/\s+/g, " ").slice(0, 200);
}

/** Numbers in [0, 1): mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Plants a probe in the place of each fault, which says that it is reached. */
function plantProbes(copy: string, probeOf: (at: number) => string): void {
  const probes = faults.map(({ file, probe }, at) => ({ file, at, ...probe }));
  for (const file of new Set(probes.map((probe) => probe.file))) {
    const text = readFileSync(file, "utf8");
    const here = probes.filter((probe) => probe.file === file);
    // At one offset inner expressions end first, and outer ones begin first.
    const cuts = here.flatMap(({ at, start, end }) => [
      { offset: end, order: -end + start, text: "))" },
      { offset: start, order: 1e9 - (end - start), text: `(${probeOf(at)}, (` },
    ]);
    cuts.sort((one, other) => one.offset - other.offset || order(one, other));
    let written = "";
    let from = 0;
    for (const cut of cuts) {
      written += text.slice(from, cut.offset) + cut.text;
      from = cut.offset;
    }
    writeFileSync(join(copy, file), written + text.slice(from));
  }
}

function removeProbes(copy: string): void {
  for (const { file } of faults) writeFileSync(join(copy, file), readFileSync(file));
}

/** Which tests reach each place, by its number: all tests are run once, with probes in the places. */
async function reachedBy(copy: string): Promise<Map<number, Set<string>>> {
  plantProbes(copy, (at) => `(globalThis as never as { __reached?(at: number): void }).__reached?.(${at})`);
  const config = readFileSync("vitest.config.ts", "utf8");
  const setup = 'setupFiles: ["scripts/planted-faults/reach-setup.ts"],\n    name,';
  writeFileSync(join(copy, "vitest.config.ts"), config.replace("name,", setup));
  const reach = join(copy, "reach.jsonl");
  writeFileSync(reach, "");
  console.log("Runs all tests once, to see which of them reach each place …");
  await run(copy, BUILD);
  const report = ["--reporter=default", "--reporter=json", `--outputFile=${REPORT}`];
  const command = ["node_modules/.bin/vitest", "run", "--project", "units", ...report, ...tests];
  const { output } = await run(copy, command, { variables: { PLANTED_FAULTS_REACH: reach } });
  console.log(output.trimEnd().split("\n").slice(-6).join("\n"));
  for (const test of Object.keys(failuresIn(copy))) broken.add(test);
  console.log(`Not counted, since they fail without a fault: ${[...broken].join(", ") || "none"}`);
  writeFileSync(join(copy, "vitest.config.ts"), config);
  removeProbes(copy);
  const reaching = new Map<number, Set<string>>();
  for (const line of readFileSync(reach, "utf8").trim().split("\n").filter(Boolean)) {
    const { test, faults: reached }: { test: string; faults: number[] } = JSON.parse(line);
    const path = test.slice(test.indexOf("/test/") + 1);
    for (const at of reached) reaching.set(at, (reaching.get(at) ?? new Set()).add(path));
  }
  return reaching;
}

/** As `reachedBy`, of tests that run programs: one file after the other, for a program does not know which test runs it. */
async function reachedBySecondStage(): Promise<Map<number, Set<string>>> {
  console.log("Runs the second stage once, to see which of its files reach each place …");
  const reaching = new Map<number, Set<string>>();
  const waiting = tests.filter((test) => !isOfConsole(test)).values();
  await Promise.all(
    copies.map(async (copy) => {
      const reach = join(copy, "reach");
      plantProbes(
        copy,
        // Once in a process: it writes a file.
        (
          at,
        ) => `(globalThis as any).__reached${at} ??= (globalThis as any).process?.getBuiltinModule("node:fs")
          .appendFileSync(${JSON.stringify(reach)}, "${at}\\n") ?? true`,
      );
      await build(copy);
      for (const test of waiting) {
        rmSync(reach, { force: true });
        const begun = performance.now();
        const { code } = await run(copy, ["node_modules/.bin/vitest", "run", test], { limitMs: 300_000 });
        durations.set(test, performance.now() - begun);
        if (code !== 0) console.log(`${test} fails without a fault, and is not counted`);
        else if (existsSync(reach))
          for (const at of new Set(readFileSync(reach, "utf8").trim().split("\n").map(Number)))
            reaching.set(at, (reaching.get(at) ?? new Set()).add(test));
      }
      removeProbes(copy);
    }),
  );
  return reaching;
}

function isOfConsole(file: string): boolean {
  return /^(src|test\/e2e)\/console\//.test(file);
}

/** What runs in a browser is not seen to be reached. */
function secondStageOf(at: number, { file }: Fault, reaching: Map<number, Set<string>>): string[] {
  if (isOfConsole(file)) return tests.filter(isOfConsole);
  const duration = (test: string): number => durations.get(test) ?? 0;
  return [...(reaching.get(at) ?? [])]
    .toSorted((one, other) => duration(one) - duration(other))
    .slice(0, SECOND_AT_MOST);
}

async function build(copy: string): Promise<{ readonly code: number; readonly output: string }> {
  const built = await run(copy, BUILD);
  return isSecond && built.code === 0 ? run(copy, BUILD_CONSOLE) : built;
}

function order(one: { readonly order: number }, other: { readonly order: number }): number {
  return one.order - other.order;
}

/** The tests that reach a place, nearest first. What is evaluated as a module is loaded is reached by all that import it. */
function candidates(at: number, { file, atLoad }: Fault, reaching: Map<number, Set<string>>): string[] {
  const distance = (test: string): number => distances.get(test)?.get(file) ?? Number.POSITIVE_INFINITY;
  const reached = reaching.get(at) ?? new Set();
  const importing = tests.filter((test) => Number.isFinite(distance(test)));
  // Worker threads and programs run code that no probe of this process sees.
  const possible = atLoad || built.has(file) || reached.size === 0 ? importing : [...reached];
  const alike = (test: string): number => {
    const [mirror, own] = [test.replace(/^test\//, "src/").split("/"), file.split("/")];
    return mirror.findIndex((part, index) => part !== own[index]);
  };
  return possible
    .filter((test) => !broken.has(test))
    .map((test) => ({ test, near: [distance(test), -alike(test)] as const }))
    .sort((one, other) => one.near[0] - other.near[0] || one.near[1] - other.near[1])
    .slice(0, AT_MOST)
    .map(({ test }) => test);
}

async function judge(copy: string, fault: Fault, possible: readonly string[]): Promise<Finding> {
  const { file, start, end, replacement } = fault;
  const text = readFileSync(file, "utf8");
  writeFileSync(join(copy, file), text.slice(0, start) + replacement + text.slice(end));
  const foundBy: Record<string, string[]> = {};
  try {
    if (isSecond || built.has(file)) {
      const { code, output } = await build(copy);
      if (code !== 0) foundBy["(the build)"] = [output.slice(-300)];
    }
    if (isSecond) await failing(copy, possible, foundBy, ["--bail", "1"]);
    else await failing(copy, possible.slice(0, WHOLE), foundBy);
    if (!isSecond && Object.keys(foundBy).length === 0)
      await failing(copy, possible.slice(WHOLE), foundBy, ["--bail", "1"]);
  } finally {
    writeFileSync(join(copy, file), text);
    if (!isSecond && built.has(file)) await build(copy);
  }
  return { fault: fault.id, change: changeOf(fault, text), foundBy, testFiles: possible.length };
}

async function failing(
  copy: string,
  paths: readonly string[],
  foundBy: Record<string, string[]>,
  flags: readonly string[] = [],
): Promise<void> {
  if (paths.length === 0) return;
  rmSync(join(copy, REPORT), { force: true });
  const command = ["node_modules/.bin/vitest", "run", "--reporter=json", `--outputFile=${REPORT}`];
  const { code } = await run(copy, [...command, ...flags, ...paths], { limitMs: 300_000 });
  if (code === 0) return;
  if (existsSync(join(copy, REPORT))) Object.assign(foundBy, failuresIn(copy));
  else foundBy["(did not end)"] = ["no report was written"];
  if (Object.keys(foundBy).length === 0) foundBy["(an error between tests)"] = [`exit ${code}`];
}

/** Titles of the tests that failed in the last run, by file. */
function failuresIn(copy: string): Record<string, string[]> {
  const { testResults } = JSON.parse(readFileSync(join(copy, REPORT), "utf8"));
  const failures: Record<string, string[]> = {};
  for (const { name, status, message, assertionResults } of testResults) {
    const titles = assertionResults
      .filter((test: { status: string }) => test.status === "failed")
      .map((test: { fullName: string }) => test.fullName);
    if (status === "failed")
      failures[name.slice(copy.length + 1)] = titles.length > 0 ? titles : [String(message).slice(0, 200)];
  }
  return failures;
}

/** A fault may make a loop that never ends: what takes longer than five minutes is stopped, and found. */
function run(
  folder: string,
  [program = "", ...parameters]: readonly string[],
  { variables, limitMs = 3_600_000 }: { variables?: Readonly<Record<string, string>>; limitMs?: number } = {},
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, {
      cwd: folder,
      detached: true,
      env: { ...process.env, ...variables },
    });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    const limit = setTimeout(() => child.pid && process.kill(-child.pid, "SIGKILL"), limitMs);
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve({ code: code ?? 1, output });
    });
  });
}

function said({ fault, change, foundBy }: Finding): string {
  const found = Object.entries(foundBy).map(([file, titles]) => `${file} (${titles.length})`);
  return `${found.length > 0 ? "found" : "NOT FOUND"} ${fault}: ${change}\n      ${found.join(", ")}`;
}

function summarize(): void {
  const survived = findings.filter(({ foundBy }) => Object.keys(foundBy).length === 0);
  console.log(
    `\n${findings.length - survived.length} of ${findings.length} planted faults are found. Not found:`,
  );
  for (const { fault, change, testFiles } of survived)
    console.log(`  ${fault}: ${change} (${testFiles} test files)`);
}
