/**
 * The last lines of `.ci/run`: which tests failed, with what, how long they took and at which seed of the order; the
 * slowest files; the load of the machine; and the tally.
 *
 *     tsx scripts/test-summary.ts STATUS SEED REPORT…
 */
import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import type { JsonTestResults } from "vitest/node";

const [status, seed, ...reports] = process.argv.slice(2);
let [passed, failed, skipped] = [0, 0, 0];
const files: { readonly name: string; readonly seconds: number }[] = [];

for (const path of reports) {
  let report: JsonTestResults;
  try {
    report = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    console.log(`FAILED ${path}: the test run left no report`);
    failed += 1;
    continue;
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  skipped += report.numPendingTests + report.numTodoTests;
  for (const { name, startTime, endTime, message, status: ended, assertionResults } of report.testResults) {
    files.push({ name: shortName(name), seconds: (endTime - startTime) / 1000 });
    const faulty = assertionResults.filter((test) => test.status === "failed");
    if (ended === "failed" && faulty.length === 0) console.log(`FAILED ${shortName(name)}: ${message}`);
    for (const { fullName, duration, failureMessages } of faulty) {
      const took = `${((duration ?? 0) / 1000).toFixed(1)} s`;
      console.log(`FAILED ${shortName(name)}: ${fullName} (after ${took}, order by seed ${seed})`);
      console.log(failureMessages?.join("\n").slice(0, 2000));
    }
  }
}
// A file that cannot be loaded, an error between tests and a worse figure fail the run without failing a test.
if (Number(status) !== 0 && failed === 0) failed = 1;

files.sort((one, other) => other.seconds - one.seconds);
console.log("The slowest files:");
for (const { name, seconds } of files.slice(0, 10))
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);
const load = loadavg().map((value) => value.toFixed(1));
console.log(`Load over 1, 5 and 15 minutes: ${load.join(", ")}, on ${availableParallelism()} processors`);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(failed === 0 ? 0 : 1);

function shortName(path: string): string {
  return path.replace(`${process.cwd()}/`, "");
}
