/**
 * `node agent-line.js ADDRESS [FILE]`: the line that a coding agent shows, which starts it after each answer: it loads no more
 * than it needs. The key is SEXTANT_API_KEY, or stands in the file. Whatever fails, nothing is shown.
 */
import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { printableLine } from "../printable.js";
import { shownByAgent } from "./cost-line.js";
import { keyIn } from "./key-in.js";

const [root = "", file] = process.argv.slice(2);
try {
  const key = (file === undefined ? process.env.SEXTANT_API_KEY : keyIn(readFileSync(file, "utf8"))) ?? "";
  process.stdout.write(printableLine(await shownByAgent(await text(process.stdin), { root, key, fetch })));
} catch {
  // An agent would show the error at every turn.
}
