import { createHash, randomUUID } from "node:crypto";
import { rm, stat, symlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { ExplainedError } from "./errors.js";
import { codeOf } from "./file-fault.js";
import { lockFile } from "./file-lock.js";
import { makePrivateFolder } from "./private-folder.js";
import { systemTimers, type Timers } from "./timers.js";

/** The other server may be busy or stopped: that it listens is enough. */
const ANSWER_MS = 500;
/** A command that removes the socket and starts a server needs longer until that server looks for it (guess). */
const LOOK_MS = 200;
/** Addresses of sockets have 104 bytes on some systems. */
const ADDRESS_BYTES = 100;

export interface FolderLock {
  /** Why other servers are not kept out, for an operator; undefined when they are. */
  readonly problem: string | undefined;
  release(): Promise<void>;
}

interface FolderLockOptions {
  readonly timers?: Timers;
  /** Told once when another server has the folder all the same, with the message of `FolderInUseError`. */
  readonly onLost?: (problem: string) => void;
}

/** Another server has locked the folder. The message names the folder and the remedy. */
export class FolderInUseError extends ExplainedError {
  override readonly name = "FolderInUseError";
}

/**
 * Keeps other servers out of a folder, which is created when it is missing, until this process ends in whatever way: it listens
 * on a socket in it, `server.sock`, which the system closes with the process. A socket that no process listens on is replaced,
 * and one that somebody removed is made again: between the two another server could start.
 *
 * It holds for all processes of one machine, containers included, and not for machines that share the folder. Where a socket cannot
 * be made, as in a folder that may not be written, `problem` says so and the folder is not locked.
 *
 * @throws FolderInUseError
 */
export async function lockFolder(
  folder: string,
  { timers = systemTimers, onLost = () => {} }: FolderLockOptions = {},
): Promise<FolderLock> {
  const path = addressIn(folder);
  try {
    makePrivateFolder(folder);
    let server = await replaceUnused(path, folder);
    let inode = await inodeOf(path);
    let isLost = false;
    let looked = Promise.resolve();
    const look = async () => {
      const found = await inodeOf(path);
      if (found === inode) return;
      // Closing it removes what has its name: here nothing.
      if (found === undefined) server.close();
      server = await replaceUnused(path, folder);
      inode = await inodeOf(path);
    };
    const cancel = timers.every(LOOK_MS, () => {
      looked = looked.then(look).catch((fault) => {
        if (!(fault instanceof FolderInUseError)) return;
        cancel();
        isLost = true;
        onLost(fault.message);
      });
    });
    const release = async () => {
      cancel();
      await looked;
      if (isLost) return;
      if (!isPipe) await rm(path, { force: true });
      server.close();
    };
    return { problem: undefined, release };
  } catch (error) {
    if (error instanceof FolderInUseError) throw error;
    const problem =
      `${folder} cannot be locked (${codeOf(error)}): make sure that no other server uses it, or budgets ` +
      "would be counted wrongly.";
    return { problem, release: async () => {} };
  }
}

/** Windows has sockets with names of their own, which end with their process as well. */
const isPipe = process.platform === "win32";

const addressIn = (folder: string): string =>
  isPipe
    ? `\\\\.\\pipe\\sextant-${createHash("sha256").update(resolve(folder)).digest("hex")}`
    : join(folder, "server.sock");

/** Of several processes that find a socket unused, one at a time replaces it. */
async function replaceUnused(path: string, folder: string): Promise<Server> {
  const guard = await lockFile(join(folder, "server.sock"));
  try {
    return await withShortAddress(path, async (address) => {
      const holder = await holderOf(address);
      if (holder !== undefined) throw inUse(folder, holder);
      if (!isPipe) await rm(path, { force: true });
      return listen(address);
    });
  } finally {
    await guard.release();
  }
}

/** Undefined where there is no such file. */
const inodeOf = async (path: string): Promise<number | undefined> =>
  isPipe ? undefined : (await stat(path).catch(() => undefined))?.ino;

const inUse = (folder: string, holder: string): FolderInUseError =>
  new FolderInUseError(
    `${folder} is used by another server${holder === "" ? "" : ` (process ${holder})`}, and only one can. ` +
      "Stop that one, or give this one another folder with SEXTANT_DATA_DIR.",
  );

/** Process id of the server that listens there, empty when it does not say; undefined when none listens. */
function holderOf(address: string): Promise<string | undefined> {
  return new Promise((settle, reject) => {
    const socket = connect(address);
    let holder: string | undefined;
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.once("connect", () => {
      holder = "";
    });
    socket.on("data", (piece) => {
      holder += piece.toString();
    });
    socket.once("error", (error) => {
      if (!["ENOENT", "ECONNREFUSED"].includes(codeOf(error))) reject(error);
    });
    socket.once("close", () => settle(holder));
  });
}

function listen(address: string): Promise<Server> {
  return new Promise((settle, reject) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.end(String(process.pid));
    });
    server.once("error", reject);
    server.listen(address, () => settle(server.unref()));
  });
}

/** A longer address is reached by a link to its folder. */
async function withShortAddress<Result>(
  path: string,
  use: (address: string) => Promise<Result>,
): Promise<Result> {
  if (isPipe || Buffer.byteLength(path) <= ADDRESS_BYTES) return use(path);
  const link = join(tmpdir(), `sextant-${randomUUID()}`);
  await symlink(resolve(dirname(path)), link);
  return use(join(link, basename(path))).finally(() => rm(link));
}
