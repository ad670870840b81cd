/**
 * How good are the decisions? Writes `bench/results/quality-<date>.json` and prints what matters.
 * `npm run bench -- quality --help` lists the options.
 */
import { renderMarkdown } from "../report/markdown.js";
import { showProgress } from "../report/progress.js";
import { writeResult } from "../report/result-file.js";
import { measureQuality } from "./main.js";
import { parseQualityOptions, QUALITY_USAGE } from "./options.js";

async function run(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes("--help")) {
    console.log(QUALITY_USAGE);
    return;
  }
  const options = await parseQualityOptions(argv, new Date());
  const stop = new AbortController();
  process.once("SIGINT", () => stop.abort(new Error("stopped")));
  const bar = showProgress("Measuring routing", options.sets.length * options.seeds.length);
  let last = "";
  try {
    const result = await measureQuality(options, {
      signal: stop.signal,
      progress: (done, _, step) => {
        bar.update(done);
        if (!process.stderr.isTTY && step !== last) console.error(`  ${step}`);
        last = step;
      },
    });
    bar.stop();
    const path = await writeResult(result);
    console.log(renderMarkdown({ ...result, figures: result.figures.filter(isShown) }));
    console.error(`Figures written to ${path}`);
  } finally {
    bar.stop();
  }
}

/** Single models, parts and cost weights are in the file only. */
function isShown({ id }: { readonly id: string }): boolean {
  return (
    !/\/(ece_of|left_out|spend_error_at_[^/]+|quality_change_[^/]+)(\/|$)/.test(id) ||
    id.endsWith("/left_out")
  );
}

await run();
