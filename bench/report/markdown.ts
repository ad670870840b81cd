import { environmentLine } from "../environment.js";
import { formatValue } from "./format.js";
import type { BenchmarkResult, Figure } from "./result.js";

/** A Markdown table: one line a row, one column a cell; columns after the first are aligned right. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = header.map((_, column) => (column === 0 ? "---" : "---:"));
  return [line(header), line(rule), ...rows.map(line)].join("\n");
}

/** Columns in which no row has anything say nothing. */
function withoutEmptyColumns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): [string[], string[][]] {
  const kept = [...header.keys()].filter((column) => rows.some((row) => row[column] !== ""));
  const keep = (cells: readonly string[]) => kept.map((column) => cells[column] ?? "");
  return [keep(header), rows.map(keep)];
}

/** The whole result as text: environment, data, one table of figures, notes. */
export function renderMarkdown(result: BenchmarkResult): string {
  const rows = result.figures.map((figure) => [
    escapeCell(figure.label),
    formatValue(figure.value, figure.unit),
    intervalText(figure),
    escapeCell(figure.note ?? againstText(figure, result)),
  ]);
  const data = result.datasets.map(
    ({ name, sha256, prompts, models }) =>
      `- ${name}: ${prompts} prompts × ${models} models, SHA-256 ${sha256.slice(0, 16)}`,
  );
  return [
    `## ${result.question}`,
    environmentLine(result.environment),
    `\`${result.command}\`${result.seeds.length > 0 ? `, seeds ${result.seeds.join(", ")}` : ""}`,
    ...(data.length > 0 ? [data.join("\n")] : []),
    markdownTable(...withoutEmptyColumns(["", "value", "95 %", ""], rows)),
    ...(result.notes.length > 0 ? [result.notes.map((note) => `- ${note}`).join("\n")] : []),
  ].join("\n\n");
}

function intervalText({ interval, unit }: Figure): string {
  return interval === undefined
    ? ""
    : `${formatValue(interval.low, unit)} … ${formatValue(interval.high, unit)}`;
}

function againstText({ against, unit }: Figure, { figures }: BenchmarkResult): string {
  if (against === undefined) return "";
  const label = figures.find(({ id }) => id === against)?.label ?? against;
  return unit === "ratio" ? `÷ ${label}` : `against ${label}`;
}

/** A bar would end the cell of a table. */
export const escapeCell = (text: string): string => text.replaceAll("|", "\\|");
