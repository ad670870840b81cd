import { rm } from "node:fs/promises";
import { Redis } from "ioredis";
import type { ServerProcess } from "../../bench/http/server-process.js";
import { AUTHORIZATION } from "../../bench/http/server-process.js";
import { temporaryFolder } from "../../bench/temporary-folder.js";
import { copyState } from "./copy-state.js";
import { countTraces, exportedTraces, killProcess, startGateway } from "./gateway-process.js";
import type { Connection } from "./http-client.js";
import { makeKeys } from "./keys.js";
import type { Fleet } from "./options.js";

export interface GatewaysOptions {
  readonly upstreamUrl: string;
  readonly requests: number;
  /** In [0, 1), seeded. */
  readonly random: () => number;
}

export type Gateways = Awaited<ReturnType<typeof openGateways>>;

/** Gateways with the same keys and a data folder each, which share limits and traces. One that is killed is started again. */
export async function openGateways(
  { count, redisUrl, clickhouseUrl }: Fleet,
  { upstreamUrl, requests, random }: GatewaysOptions,
) {
  const environment = {
    SEXTANT_REDIS_URL: redisUrl,
    SEXTANT_TRACE_STORE: "clickhouse",
    SEXTANT_CLICKHOUSE_URL: clickhouseUrl,
  };
  const folders = await Promise.all(Array.from({ length: count }, () => temporaryFolder("sextant-chaos-")));
  const start = (folder: string) => startGateway({ folder, upstreamUrl, environment });
  /** By the number of their folder; those that run. */
  const running = new Map<number, ServerProcess>();
  const [firstFolder = "", ...otherFolders] = folders;
  const first = await start(firstFolder);
  running.set(0, first);
  const keys = await makeKeys(first.address, { headers: AUTHORIZATION, requests });
  for (const [index, folder] of otherFolders.entries()) {
    await copyState(firstFolder, folder);
    running.set(index + 1, await start(folder));
  }
  let restarting: Promise<unknown> = Promise.resolve();
  const anyAddress = () => [...running.values()][0]?.address ?? "";
  return {
    keys,
    /** Where requests can be sent now. */
    addresses: (): readonly string[] => [...running.values()].map(({ address }) => address),
    /** Whether all run, none being started again. */
    isWhole: () => running.size === count,
    /**
     * Kills one of them (SIGKILL), which is then started again.
     *
     * @param connections of clients
     * @param beforeKill called with those of them that it serves
     */
    async kill(
      connections: Iterable<Connection>,
      beforeKill: (served: readonly Connection[]) => void,
    ): Promise<void> {
      const [index, victim] = [...running][Math.floor(random() * running.size)] ?? [];
      if (index === undefined || victim === undefined) return;
      const port = Number(new URL(victim.address).port);
      running.delete(index);
      beforeKill([...connections].filter(({ serverPort }) => serverPort === port));
      await killProcess(victim);
      restarting = start(folders[index] ?? "").then((started) => running.set(index, started));
    },
    /** Whether all count limits together. */
    async sharesLimits(): Promise<boolean> {
      const looks = [...running.values()].map(({ address }) => hasSharedLimits(address));
      return (await Promise.all(looks)).every((isShared) => isShared);
    },
    /** All traces as JSON lines. */
    traces: () => exportedTraces(anyAddress()),
    traceCount: () => countTraces(anyAddress()),
    async stop(): Promise<void> {
      await restarting;
      await Promise.all([...running.values()].map((server) => server.stop()));
    },
    /** Nano-dollars that a key spent. */
    spent: (principal: string) => spentInRedis(redisUrl, principal),
    /** Removes their files. */
    async remove(): Promise<void> {
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
    },
  };
}

/** Nano-dollars of all months, one of which may end during the traffic. */
async function spentInRedis(url: string, principal: string): Promise<number> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys(`sextant:month:{${principal}}:*`);
    const amounts = await Promise.all(keys.map((key) => redis.get(key)));
    return amounts.reduce((sum, amount) => sum + Number(amount), 0);
  } finally {
    redis.disconnect();
  }
}

/** True for a gateway that has just been killed. */
async function hasSharedLimits(address: string): Promise<boolean> {
  try {
    const reply = await fetch(`${address}/readyz`);
    const { parts } = (await reply.json()) as {
      readonly parts: { readonly limits: { readonly shared: boolean } };
    };
    return parts.limits.shared;
  } catch {
    return true;
  }
}
