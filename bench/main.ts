/**
 * `npm run bench -- --help` lists the suites, and bench/README.md says how to read them.
 */
import { createProgram } from "./program.js";
import { runSuite } from "./run-suite.js";

const program = createProgram({
  print: console.log,
  runSuite,
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
