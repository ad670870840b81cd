import { randomUUID } from "node:crypto";
import { open, readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** A claim so much older than the file system's present was left by a process that died. */
const STALE_MS = 10_000;
/** Several processes may have died with the lock, one after the other. */
const GIVE_UP_MS = 60_000;
const LONGEST_WAIT_MS = 40;

export interface HeldLock {
  /** Whether the lock is still held: false only when it was taken for stale after a pause of ten seconds. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Another process held the lock for too long. */
export class LockTimeoutError extends Error {
  override readonly name = "LockTimeoutError";
}

/**
 * Mutual exclusion among the processes of one machine, for short changes of a file. Whoever wants the lock writes a claim, a
 * file of a name of its own beside the file, and has the lock when no other fresh claim is there; else it takes its claim
 * back and tries again. A claim that a dead process left is removed by its name, so that no process can remove another's in
 * its place: with one lock file for all, two that find it stale may both take it over (docs/decisions/0020-file-lock.md).
 *
 * @throws LockTimeoutError after a minute, and what the system says when no claim can be written
 */
export async function lockFile(path: string): Promise<HeldLock> {
  const deadline = performance.now() + GIVE_UP_MS;
  while (performance.now() < deadline) {
    const held = await tryLock(path);
    if (held !== undefined) return held;
    await delay(1 + Math.random() * LONGEST_WAIT_MS);
  }
  throw new LockTimeoutError(`${path} is held by another process. Try again.`);
}

async function tryLock(path: string): Promise<HeldLock | undefined> {
  const claim = `${path}.lock-${randomUUID()}`;
  await (await open(claim, "wx", 0o600)).close();
  const release = () => rm(claim, { force: true });
  try {
    if (await isAlone(path, claim))
      return { isHeld: async () => (await modifiedAt(claim)) !== undefined, release };
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return undefined;
}

/** Whether no other fresh claim is there; those that are not fresh are removed. */
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
    if (now - then > STALE_MS) await rm(other, { force: true });
    else alone = false;
  }
  return alone;
}

/** By the file system's clock; undefined when there is no such file. */
async function modifiedAt(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs;
}
