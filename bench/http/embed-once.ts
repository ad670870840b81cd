/** Opens the embedded router of the built package once, as a program of its own, and prints what each step took. */
import { pathToFileURL } from "node:url";
import type * as Sextant from "../../src/engine/embedded/index.js";

/** Until now: milliseconds, and megabytes of resident memory. */
const taken = () => ({ ms: performance.now(), mb: process.memoryUsage().rss / 2 ** 20 });

const [entry = ""] = process.argv.slice(2);
const node = taken();
const sextant: typeof Sextant = await import(pathToFileURL(entry).href);
const imported = taken();
await sextant.openRouter();
console.log(JSON.stringify({ node, imported, opened: taken() }));
