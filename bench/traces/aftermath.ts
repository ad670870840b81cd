import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Life } from "./crash-life.js";
import { type Gateway, startGateway } from "./gateway.js";
import { allTraces, tracePage } from "./trace-pages.js";

/** How long a gateway may take until it shows what there is again. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 100;

/** What the next gateway found after a kill. */
export interface Aftermath {
  readonly answered: number;
  readonly kept: number;
  readonly lost: number;
  /** Milliseconds before the kill at which the oldest lost request was answered; null when none is lost. */
  readonly oldestLostMs: number | null;
  /** Traces that could be seen before the kill, in this life or an earlier one, and cannot any more. */
  readonly gone: number;
  /** Traces that are there twice. */
  readonly twice: number;
  /** Whether the store could not be used, or lines of its spill folder were damaged. */
  readonly damaged: boolean;
  /** From the start to the first search that was answered. */
  readonly usableMs: number;
}

/** A gateway that answers searches, and how long that took it; undefined when it did not in two minutes. */
export interface Usable {
  readonly gateway: Gateway;
  readonly usableMs: number | undefined;
}

/** Starts a gateway on what there is. */
export async function startUsable(environment: Readonly<Record<string, string>>): Promise<Usable> {
  const started = performance.now();
  const gateway = await startGateway(environment);
  const isUsable = await answersInTime(() => tracePage(gateway, {}));
  return { gateway, usableMs: isUsable ? performance.now() - started : undefined };
}

export interface AftermathOptions {
  readonly dataDir: string;
  /** Traces of earlier lives, which must all be there. */
  readonly before: number;
}

/** Counts what the next gateway finds of a life. @returns that, and how many traces there are now */
export async function lookAfter(
  life: Life,
  { gateway, usableMs }: Usable,
  { dataDir, before }: AftermathOptions,
): Promise<{ readonly aftermath: Aftermath; readonly total: number }> {
  if (usableMs === undefined) {
    const counts = countsOf(life, []);
    return {
      aftermath: { ...counts, gone: counts.gone + before, damaged: true, usableMs: PATIENCE_MS },
      total: 0,
    };
  }
  await spillIsEmpty(dataDir);
  const { startMs } = life;
  const found = await allTraces(gateway, startMs);
  const earlier = (await tracePage(gateway, { endMs: startMs })).total;
  const counts = countsOf(life, found);
  const dropped = (await gateway.traceCounts()).get("dropped") ?? 0;
  return {
    aftermath: {
      ...counts,
      gone: counts.gone + Math.max(0, before - earlier),
      damaged: dropped > 0,
      usableMs,
    },
    total: earlier + new Set(found).size,
  };
}

/** Of one life, by the ids that were found after it. */
export function countsOf(life: Life, found: readonly string[]): Omit<Aftermath, "damaged" | "usableMs"> {
  const there = new Set(found);
  const lost = [...life.answered].filter(([id]) => !there.has(id));
  return {
    answered: life.answered.size,
    kept: life.answered.size - lost.length,
    lost: lost.length,
    oldestLostMs: lost.length === 0 ? null : Math.max(...lost.map(([, ms]) => ms)),
    gone: [...life.visible].filter((id) => !there.has(id)).length,
    twice: found.length - there.size,
  };
}

/** Whether the question is answered in the end. */
async function answersInTime(ask: () => Promise<unknown>): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const answered = await ask().then(
      () => true,
      () => false,
    );
    if (answered) return true;
    await sleep(LOOK_MS);
  }
  return false;
}

/** Waits until what went over the disk is in the store. */
async function spillIsEmpty(dataDir: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    const files = await readdir(join(dataDir, "spill")).catch(() => []);
    if (files.length === 0) return;
    await sleep(LOOK_MS);
  }
  throw new Error("what went over the disk is not in the store after two minutes");
}
