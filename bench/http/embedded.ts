import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Figure } from "../report/result.js";
import { median } from "../report/statistics.js";

interface Taken {
  readonly ms: number;
  /** On a processor, of all threads. */
  readonly cpuMs: number;
  readonly mb: number;
}

/** What `embed-once.ts` prints: since the start of the process, when each step was done. */
type Opening = Readonly<Record<"node" | "imported" | "opened" | "warm" | "first" | "next", Taken>>;

interface Kind {
  readonly id: string;
  readonly label: string;
  readonly unit: "ms" | "mb";
  readonly of: (opening: Opening) => number;
  /** To what bare Node took in the same process, before it imported anything. */
  readonly ratio: (opening: Opening) => number;
}

const KINDS: readonly Kind[] = [
  {
    ...{ id: "import", label: "import", unit: "ms" },
    of: ({ imported, node }) => imported.ms - node.ms,
    ratio: ({ imported, node }) => (imported.cpuMs - node.cpuMs) / node.cpuMs,
  },
  {
    ...{ id: "open", label: "open", unit: "ms" },
    of: ({ opened, imported }) => opened.ms - imported.ms,
    ratio: ({ opened, imported, node }) => (opened.cpuMs - imported.cpuMs) / node.cpuMs,
  },
  {
    ...{ id: "resident", label: "resident memory when open", unit: "mb" },
    of: ({ opened }) => opened.mb,
    ratio: ({ opened, node }) => opened.mb / node.mb,
  },
  {
    ...{ id: "first_weight", label: "processor time of the first decision above cost weight 0", unit: "ms" },
    of: ({ first, warm }) => first.cpuMs - warm.cpuMs,
    ratio: ({ first, warm, node }) => (first.cpuMs - warm.cpuMs) / node.cpuMs,
  },
];

/** Opens the embedded router once in a process of its own. */
export async function openEmbedded(): Promise<Opening> {
  const program = [join(import.meta.dirname, "embed-once.js"), join("src", "engine", "dist", "index.js")];
  const { stdout } = await promisify(execFile)(process.execPath, program);
  return JSON.parse(stdout);
}

/** Medians, and ratios to what bare Node takes: of processor time, which other work on the machine changes least, and of memory. */
export const embeddedFigures = (openings: readonly Opening[]): Figure[] =>
  KINDS.flatMap(({ id, label, unit, of, ratio }) => {
    const path = `http/startup/embedded/${id}`;
    const samples = openings.map(of);
    const ratios = openings.map(ratio);
    const figure: Figure = {
      ...{ id: path, label: `embedded router: ${label}`, unit, better: "lower" },
      ...{ value: median(samples), samples },
    };
    return [
      figure,
      {
        ...{ id: `${path}_over_node`, label: `embedded router ÷ bare Node: ${label}`, unit: "ratio" },
        ...{ value: median(ratios), samples: ratios, better: "lower" },
      },
    ];
  });
