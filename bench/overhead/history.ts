import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Environment } from "../environment.js";
import type { Chart, Figure } from "../report/result.js";

const PATH = join("bench", "baselines", "overhead-history.json");

/** Ratios of one commit, by the figures' ids. */
const entry = z.object({
  commit: z.string().nullable(),
  date: z.string(),
  ratios: z.record(z.string(), z.number()),
});

type Entry = z.infer<typeof entry>;

/** Oldest first; empty when there is no file. */
export async function readHistory(path = PATH): Promise<readonly Entry[]> {
  const text = await readFile(path, "utf8").catch(() => "[]");
  return z.array(entry).parse(JSON.parse(text));
}

/** The history with one run more; only `write` changes the file. */
export function addToHistory(
  recorded: readonly Entry[],
  { environment, figures }: { readonly environment: Environment; readonly figures: readonly Figure[] },
): { readonly entries: readonly Entry[]; write(path?: string): Promise<void> } {
  const ratios = figures.flatMap(({ id, unit, value }) =>
    unit === "ratio" && value !== null ? [[id, value] as const] : [],
  );
  const { commit, date } = environment;
  const entries = [...recorded, { commit, date, ratios: Object.fromEntries(ratios) }];
  return {
    entries,
    write: (path = PATH) => writeFile(path, `${JSON.stringify(entries, null, 1)}\n`),
  };
}

/** The ratios from run to run, oldest first, each as a multiple of the first: 1.1 is 10 % more than then. */
export function historyCharts(entries: readonly Entry[]): Chart[] {
  const ids = [...new Set(entries.flatMap(({ ratios }) => Object.keys(ratios)))];
  const series = ids.map((id) => {
    const measured = entries.flatMap(({ commit, ratios }, index) => {
      const ratio = ratios[id];
      return ratio === undefined ? [] : [{ x: index + 1, ratio, label: commit ?? "unknown" }];
    });
    const [first] = measured;
    return {
      ...{
        name: id.replace(/^overhead\//, "").replace(/_over_bare$/, ""),
        mark: "line" as const,
        ours: true,
      },
      points: measured.map(({ x, ratio, label }) => ({ x, y: ratio / (first?.ratio ?? ratio), label })),
    };
  });
  if (series.length === 0) return [];
  return [
    {
      ...{ id: "overhead/history", kind: "scaling", title: "The gateway's cost from commit to commit" },
      caption:
        "Ratios to the bare servers, as multiples of the first recorded run; the last point is this run.",
      ...{ x: { label: "run", scale: "linear" }, y: { label: "× the first run", scale: "linear" } },
      series,
    },
  ];
}
