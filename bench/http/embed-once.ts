/** Opens the embedded router of the built package once, as a program of its own, and prints what each step took. */
import { pathToFileURL } from "node:url";
import type * as Sextant from "../../src/engine/embedded/index.js";

/** What was taken until now: milliseconds, those on a processor (all threads), and megabytes of resident memory. */
function taken() {
  const { user, system } = process.cpuUsage();
  return { ms: performance.now(), cpuMs: (user + system) / 1e3, mb: process.memoryUsage().rss / 2 ** 20 };
}

const [entry = ""] = process.argv.slice(2);
const node = taken();
const sextant: typeof Sextant = await import(pathToFileURL(entry).href);
const imported = taken();
const router = await sextant.openRouter();
const opened = taken();
await router.route("What is 2 + 2?");
const warm = taken();
await router.route("What is 2 + 3?", { costWeight: 0.5 });
const first = taken();
await router.route("What is 2 + 4?", { costWeight: 0.5 });
console.log(JSON.stringify({ node, imported, opened, warm, first, next: taken() }));
