/**
 * `npm run budget`: exit status 1 when `src` has more lines, or a request runs more functions, than BUDGET.md allows.
 * `--lower` writes what is measured into its table, where that is less. Build first.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { countRequests } from "./request-functions.js";

/** A row of one of the page's tables: what, a number, and of a raise what a user gets for it. */
interface Row {
  readonly what: string;
  readonly count: number;
  readonly gain: string;
}

const number = (text: string): number => Number(text.replaceAll(/[,+ ]/g, ""));

const rowsOf = (page: string): readonly Row[] =>
  [...page.matchAll(/^\| ([^|]+) \| (\+?[\d,]+) \|(?: (.*) \|)?$/gm)].map(
    ([, what = "", count = "", gain = ""]) => ({ what, count: number(count), gain: gain.trim() }),
  );

/** What each thing may be: its row, and all raises of it. @throws Error for a raise that no user gains by */
export function allowed(page: string): ReadonlyMap<string, number> {
  const limits = new Map<string, number>();
  for (const { what, count, gain } of rowsOf(page)) {
    const limit = limits.get(what);
    if (limit !== undefined && gain === "")
      throw new Error(`BUDGET.md raises "${what}" and does not say what a user gets.`);
    limits.set(what, (limit ?? 0) + count);
  }
  return limits;
}

/** A sentence for each thing that is above its limit, or has none. */
export const overspent = (
  measured: ReadonlyMap<string, number>,
  limits: ReadonlyMap<string, number>,
): readonly string[] =>
  [...measured].flatMap(([what, count]) => {
    const limit = limits.get(what);
    if (limit === undefined) return [`${what}: ${count}, and BUDGET.md has no row for it.`];
    return count <= limit ? [] : [`${what}: ${count}, and BUDGET.md allows ${limit}.`];
  });

/** The page with the raises dropped and each limit at what is measured, where that is less. */
export const lowered = (page: string, measured: ReadonlyMap<string, number>): string => {
  const limits = allowed(page);
  const seen = new Set<string>();
  return page.replaceAll(/^\| ([^|]+) \| (\+?[\d,]+) \|.*\n/gm, (_, what: string) => {
    if (seen.has(what)) return "";
    seen.add(what);
    const limit = Math.min(limits.get(what) ?? 0, measured.get(what) ?? 0);
    return `| ${what} | ${limit.toLocaleString("en")} |\n`;
  });
};

/** Lines of `src` by house; what lies beside the houses is `entry points`. */
function linesByHouse(): [string, number][] {
  const src = fileURLToPath(new URL("../src", import.meta.url));
  const lines = new Map<string, number>();
  for (const path of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    if (!/\.(?:tsx?|css|wat)$/.test(path)) continue;
    const house = path.includes("/") ? path.slice(0, path.indexOf("/")) : "entry points";
    const count = readFileSync(join(src, path), "utf8").split("\n").length - 1;
    lines.set(`lines of ${house}`, (lines.get(`lines of ${house}`) ?? 0) + count);
  }
  return [...lines].sort(([one], [other]) => (one < other ? -1 : 1));
}

async function measure(): Promise<ReadonlyMap<string, number>> {
  const { "named chat": named, "auto chat": auto } = await countRequests();
  return new Map([
    ...linesByHouse(),
    ["functions of a named chat", named.functions],
    ["files of a named chat", named.files],
    ["functions of an auto chat", auto.functions],
    ["files of an auto chat", auto.files],
  ]);
}

async function run(): Promise<void> {
  const file = fileURLToPath(new URL("../BUDGET.md", import.meta.url));
  const page = readFileSync(file, "utf8");
  const measured = await measure();
  const limits = allowed(page);
  for (const [what, count] of measured)
    console.log(`${what.padEnd(30)} ${count} of ${limits.get(what) ?? "?"}`);
  if (process.argv.includes("--lower")) writeFileSync(file, lowered(page, measured));
  const faults = overspent(measured, limits);
  if (faults.length === 0) return;
  console.error(
    `\n${faults.join("\n")}\nRemove something, or add a row to "Raised" in BUDGET.md that says what a user gets for it.`,
  );
  process.exitCode = 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await run();
