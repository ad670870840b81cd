/**
 * Which functions of `src` the fuzz tests call, in the tests themselves and in the servers that they start:
 * `npm run test:fuzz -- --coverage`. Vitest's own providers count the tests' process only.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import type { SourceMapPayload } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CoverageProvider, CoverageProviderModule, ResolvedCoverageOptions } from "vitest/node";
import { SERVER_COVERAGE } from "../../e2e/server-process.js";
import { type MeasuredScript, merged, type ReachedFunctions, reachedFunctions } from "./reached-functions.js";
import { coverageReport } from "./report.js";

const INLINE_MAP = /\/\/# sourceMappingURL=data:application\/json;[^,]*base64,([\w+/=]+)$/m;

/** Vitest loads this file anew for each of the calls below. */
const kept = globalThis as { fuzzCoverageSession?: Session | undefined };

const isOfSources = (url: string): boolean => url.startsWith("file:") && url.includes("/src/");
const isOfPackage = (url: string): boolean => url.startsWith("file:") && url.includes("/dist/");

/** Of the process of a test file. */
async function takeCoverage(): Promise<ReachedFunctions> {
  const { fuzzCoverageSession: session } = kept;
  if (session === undefined) return {};
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Debugger.enable");
  const scripts: MeasuredScript[] = [];
  for (const coverage of result.filter(({ url }) => isOfSources(url))) {
    const { scriptId } = coverage;
    const { scriptSource: source } = await session.post("Debugger.getScriptSource", { scriptId });
    const encoded = INLINE_MAP.exec(source)?.[1];
    if (encoded === undefined) continue;
    const sourceMap = JSON.parse(Buffer.from(encoded, "base64").toString()) as SourceMapPayload;
    scripts.push({ coverage, sourceMap, lineLengths: source.split("\n").map(({ length }) => length) });
  }
  return merged(scripts.map(reachedFunctions));
}

/** What Node writes when a process with `NODE_V8_COVERAGE` exits. */
interface CoverageFile {
  readonly result: readonly MeasuredScript["coverage"][];
  readonly "source-map-cache"?: Readonly<
    Record<string, { readonly lineLengths: readonly number[]; readonly data: SourceMapPayload | null }>
  >;
}

function ofServers(folder: string): ReachedFunctions {
  const all = readdirSync(folder).map((name) => {
    const file = JSON.parse(readFileSync(join(folder, name), "utf8")) as CoverageFile;
    const scripts = file.result.flatMap((coverage): MeasuredScript[] => {
      const cached = file["source-map-cache"]?.[coverage.url];
      if (!isOfPackage(coverage.url) || !cached?.data) return [];
      return [{ coverage, sourceMap: cached.data, lineLengths: cached.lineLengths }];
    });
    return merged(scripts.map(reachedFunctions));
  });
  return merged(all);
}

class FuzzCoverage implements CoverageProvider {
  readonly name = "fuzz";
  readonly #folder = mkdtempSync(join(tmpdir(), "sextant-coverage-"));
  readonly #ofTests: ReachedFunctions[] = [];
  #root = "";
  #options: ResolvedCoverageOptions | undefined;

  initialize(context: Parameters<CoverageProvider["initialize"]>[0]): void {
    this.#root = context.config.root;
    this.#options = context.config.coverage;
    process.env[SERVER_COVERAGE] = this.#folder;
  }

  resolveOptions(): ResolvedCoverageOptions {
    if (this.#options === undefined) throw new Error("asked for options before it was initialized");
    return this.#options;
  }

  clean(): void {}

  onAfterSuiteRun({ coverage }: Parameters<CoverageProvider["onAfterSuiteRun"]>[0]): void {
    this.#ofTests.push(coverage as ReachedFunctions);
  }

  generateCoverage(): ReachedFunctions {
    return merged([...this.#ofTests, ofServers(this.#folder)]);
  }

  reportCoverage(coverage: unknown): void {
    process.stdout.write(`\n${coverageReport(coverage as ReachedFunctions, this.#root)}\n`);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const provider: CoverageProviderModule = {
  async startCoverage() {
    const session = new Session();
    session.connect();
    kept.fuzzCoverageSession = session;
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  },
  takeCoverage,
  stopCoverage() {
    kept.fuzzCoverageSession?.disconnect();
    kept.fuzzCoverageSession = undefined;
  },
  getProvider: () => new FuzzCoverage(),
};
export default provider;
