import { randomUUID } from "node:crypto";
import { readlinkSync } from "node:fs";
import { open, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ExplainedError } from "./errors.js";
import { isRunning } from "./is-running.js";

/** A claim so much older than the file system's present counts for nothing, whoever has it. */
const STALE_MS = 10_000;
/** Several processes may have died with the lock, one after the other. */
const GIVE_UP_MS = 60_000;
const LONGEST_WAIT_MS = 40;

/** Where process ids mean the same: on Linux a namespace, of which each container has one; elsewhere the machine. */
const NAMESPACE = ((): string => {
  try {
    return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
  } catch {
    return "0";
  }
})();
/** Tells this process from an earlier one of the same id: in a container every life has the same. */
const LIFE = randomUUID().slice(0, 8);

export interface HeldLock {
  /** Whether the lock is still held: false only when it was taken for one that a dead process left. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Mutual exclusion among the processes of one machine, for short changes of a file. Whoever wants the lock writes a claim, a
 * file of a name of its own beside the file, and has the lock when no other fresh claim is there; else it takes its claim
 * back and tries again. A claim names its process; one that a dead process left is removed by its name, so that no process can
 * remove another's in its place: with one lock file for all, two that find it stale may both take it over
 * (docs/decisions/0020-file-lock.md). Where the process cannot be looked for, in another container, its claim is left after ten seconds.
 *
 * @throws ExplainedError after a minute, and what the system says when no claim can be written
 */
export async function lockFile(path: string): Promise<HeldLock> {
  const deadline = performance.now() + GIVE_UP_MS;
  while (performance.now() < deadline) {
    const held = await tryLock(path);
    if (held !== undefined) return held;
    await delay(1 + Math.random() * LONGEST_WAIT_MS);
  }
  throw new ExplainedError(`${path} is held by another process. Try again.`);
}

async function tryLock(path: string): Promise<HeldLock | undefined> {
  const claim = `${path}.lock-${NAMESPACE}-${process.pid}-${LIFE}-${randomUUID()}`;
  await (await open(claim, "wx", 0o600)).close();
  const release = () => rm(claim, { force: true }).catch(() => {});
  let isHeld = false;
  try {
    isHeld = await isAlone(path, claim);
  } finally {
    if (!isHeld) await release();
  }
  return isHeld ? { isHeld: async () => (await modifiedAt(claim)) !== undefined, release } : undefined;
}

/** Whether no other claim is there that counts; those that do not are removed. */
async function isAlone(path: string, claim: string): Promise<boolean> {
  const now = await modifiedAt(claim);
  // Removed by one that found it stale: the machine stood still.
  if (now === undefined) return false;
  const [folder, prefix] = [dirname(path), `${basename(path)}.lock-`];
  const others = (await readdir(folder))
    .filter((name) => name.startsWith(prefix) && name !== basename(claim))
    .map((name) => join(folder, name));
  let alone = true;
  for (const other of others) {
    const then = await modifiedAt(other);
    if (then === undefined) continue;
    if (now - then > STALE_MS || isOfLiving(other) === false) await rm(other, { force: true });
    else alone = false;
  }
  return alone;
}

/** Whether the process of a claim lives; undefined where it cannot be looked for: it may be in another container. */
export function isOfLiving(claim: string): boolean | undefined {
  const [, namespace, processId, life] = /\.lock-(\d+)-(\d+)-(\w+)-[\w-]+$/.exec(claim) ?? [];
  if (namespace !== NAMESPACE) return undefined;
  return Number(processId) === process.pid ? life === LIFE : isRunning(Number(processId));
}

/** By the file system's clock; undefined when there is no such file. */
async function modifiedAt(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}
