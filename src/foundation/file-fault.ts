/** What the system says of a file or folder, for people: the cause, and what to do. */
interface FileFault {
  readonly cause: string;
  readonly remedy: string;
}

const ELSEWHERE = "set SEXTANT_DATA_DIR to a writable folder.";
const NO_RIGHT = {
  cause: "permission denied",
  remedy: `Give the user of this process the right to write there, or ${ELSEWHERE}`,
};
const NO_ROOM = { cause: "the disk is full or has no inodes left", remedy: `Make room, or ${ELSEWHERE}` };
const NO_FOLDER = { cause: "a part of its path is a file", remedy: `Move that file away, or ${ELSEWHERE}` };

const FAULTS: Readonly<Record<string, FileFault>> = {
  EACCES: NO_RIGHT,
  EPERM: NO_RIGHT,
  EROFS: { cause: "its file system is read-only", remedy: `Mount it writable, or ${ELSEWHERE}` },
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  SQLITE_FULL: NO_ROOM,
  SQLITE_IOERR_WRITE: {
    cause: "the disk is full, a quota is used up, or it is broken",
    remedy: NO_ROOM.remedy,
  },
  SQLITE_READONLY: NO_RIGHT,
  SQLITE_BUSY: { cause: "another process is writing to it", remedy: `Try again, or ${ELSEWHERE}` },
  EEXIST: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
};

/** `ENOSPC`, …; `unknown fault` for what the system did not say. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "unknown fault";

/** `<path> cannot be <done>: <cause> (<code>). <remedy>` */
export function fileFaultMessage(what: string, error: unknown): string {
  const code = codeOf(error);
  const { cause, remedy } = FAULTS[code] ?? {
    cause: "the system refused",
    remedy: `Repair it, or ${ELSEWHERE}`,
  };
  return `${what}: ${cause} (${code}). ${remedy}`;
}
