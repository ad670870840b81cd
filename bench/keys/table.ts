import { COST_WEIGHTS, PROMPTS } from "./cases.js";
import type { KeyFinding } from "./measure.js";

/** Candidates shown by name: the ends, and some between. */
const MOST_NAMES = 12;

/** What each key alone gives, as Markdown. */
export function keysTable(findings: readonly KeyFinding[]): string {
  const head = ["key", "candidates", "prompt", ...COST_WEIGHTS.map((weight) => `weight ${weight}`)];
  const rows = findings.flatMap(({ provider, candidates, choices }) =>
    PROMPTS.map(({ name }, index) => [
      index === 0 ? provider : "",
      index === 0 ? String(candidates.length) : "",
      name,
      ...(choices[index] ?? []).map((model) => model ?? "–"),
    ]),
  );
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const lists = findings.map(({ provider, candidates }) => `- ${provider}: ${shortened(candidates)}`);
  return [...lines, "", "Candidates, the cheapest first:", "", ...lists].join("\n");
}

function shortened(models: readonly string[]): string {
  if (models.length <= MOST_NAMES) return models.join(", ") || "none";
  const half = MOST_NAMES / 2;
  return [...models.slice(0, half), `… ${models.length - MOST_NAMES} more …`, ...models.slice(-half)].join(
    ", ",
  );
}
