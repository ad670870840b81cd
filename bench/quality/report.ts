import type { Environment } from "../environment.js";
import type { Interval } from "./bootstrap.js";
import type { MethodReport, SetReport } from "./measure-set.js";

interface ReportEnvironment extends Environment {
  readonly embedder: { readonly id: string; readonly fingerprint: string };
  readonly seed: number;
}

/** One Markdown table per set. */
export function renderReport(sets: readonly SetReport[], environment: ReportEnvironment): string {
  const { node, processor, cores, embedder, seed } = environment;
  const head = [
    `Embedder ${embedder.id} (${embedder.fingerprint.slice(0, 12)}), split seed ${seed}; Node ${node}, ${cores} × ${processor}.`,
    "`Δ` is ours minus the row, with the 95 % interval of a paired bootstrap over test prompts; bold where it excludes 0.",
  ];
  return [...head, ...sets.map(renderSet)].join("\n\n");
}

function renderSet(set: SetReport): string {
  const pair = set.methods.some(({ strongShare }) => strongShare !== null);
  const columns = ["method", "quality", "Δ quality", ...(pair ? ["APGR", "Δ APGR", "CPT50", "CPT80"] : [])];
  const rows = set.methods.map((method) => [
    method.name,
    figure(method.quality),
    interval(method.oursMinusThis),
    ...(pair ? pairCells(method) : []),
  ]);
  return [
    `## ${set.name}: ${set.models} models, ${set.trainPrompts} prompts to learn from, ${set.testPrompts} to test on`,
    "",
    line(columns),
    line(columns.map((_, column) => (column === 0 ? "---" : "---:"))),
    ...rows.map(line),
    "",
    `Same model as the exact wide kernel on the same vectors: ${(100 * set.agreementWithExact).toFixed(1)} %.`,
  ].join("\n");
}

function pairCells({ strongShare, apgrOursMinusThis }: MethodReport): string[] {
  if (strongShare === null) return ["–", "–", "–", "–"];
  const { apgr, cpt50, cpt80 } = strongShare;
  return [figure(apgr), interval(apgrOursMinusThis), percent(cpt50), percent(cpt80)];
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function figure(value: number): string {
  return value.toFixed(4);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function interval(found: Interval | null): string {
  if (found === null) return "–";
  const sign = (value: number) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(4)}`;
  const text = `${sign(found.difference)} [${sign(found.low)}, ${sign(found.high)}]`;
  return found.low > 0 || found.high < 0 ? `**${text}**` : text;
}
