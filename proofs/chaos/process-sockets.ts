import { readdir, readFile, readlink } from "node:fs/promises";

/** Ids of the processes that a process started, in the order in which it did. Linux only. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

/** Ports of clients on this machine whose connections to a port a process has; none when it has ended. Linux only. */
export async function clientPortsOf(pid: number, serverPort: number): Promise<ReadonlySet<number>> {
  const [inodes, table] = await Promise.all([socketsOf(pid), readFile("/proc/net/tcp", "utf8")]);
  const ports = new Set<number>();
  for (const line of table.split("\n").slice(1)) {
    const [, local = "", remote = "", , , , , , , inode = ""] = line.trim().split(/\s+/);
    if (portOf(local) === serverPort && inodes.has(inode)) ports.add(portOf(remote));
  }
  return ports;
}

/** `0100007F:1F90` → 8080 */
const portOf = (address: string): number => Number.parseInt(address.split(":")[1] ?? "", 16);

async function socketsOf(pid: number): Promise<ReadonlySet<string>> {
  const folder = `/proc/${pid}/fd`;
  const targets = (await readdir(folder).catch(() => [])).map((fd) =>
    readlink(`${folder}/${fd}`).catch(() => ""),
  );
  const inodes = (await Promise.all(targets)).map((target) => /^socket:\[(\d+)\]$/.exec(target)?.[1]);
  return new Set(inodes.filter((inode) => inode !== undefined));
}
