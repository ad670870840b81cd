/**
 * `npm run bench`: all suites, small, and one page of what they found. `npm run bench -- --help` lists the rest, and
 * bench/README.md says how to read it.
 */
import { createProgram } from "./program.js";
import { RESULTS_FOLDER } from "./report/result-file.js";
import { runSuite } from "./run-suite.js";

const program = createProgram({
  print: console.log,
  runSuite,
  resultsFolder: RESULTS_FOLDER,
  fail: () => {
    process.exitCode = 1;
  },
});
try {
  await program.parseAsync();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
