/** Keys for agents: made and revoked in the data folder of this machine, or by a server that is asked to. */
import { z } from "zod";
import { openKeyRing } from "../../compose/keys.js";
import { loadSettings, readEnvironment } from "../../gateway/index.js";
import { type CliContext, CommandFailure } from "../context.js";
import { rootOf } from "../server-address.js";

interface NewAgentKey {
  readonly name: string;
  /** Traces of its requests have it. */
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs?: number;
}

/** The server that an agent is to use. */
export interface AgentServer {
  /** Address without `/v1`. */
  readonly root: string;
  /** @throws CommandFailure, SextantError */
  createKey(key: NewAgentKey): Promise<string>;
  /** Revokes a key by its text. Does nothing when there is none. */
  revokeKey(key: string): Promise<void>;
  /** @throws CommandFailure when no server answers, or does not take the key */
  check(key: string): Promise<void>;
}

/** Characters of a key by which it is found. */
const PREFIX = 12;

/** @param url address of a server elsewhere; SEXTANT_API_KEY is then a key of it with the scope `admin` */
export function agentServer({ url }: { readonly url?: string }, context: CliContext): AgentServer {
  const { SEXTANT_BASE_URL, SEXTANT_API_KEY } = readEnvironment(context.environment, context);
  const address = url ?? SEXTANT_BASE_URL ?? "";
  const settings = loadSettings(context.environment, context);
  const root = address === "" ? `http://127.0.0.1:${settings.port}` : rootOf(address);
  const request = requester(root, context);
  const keys = address === "" ? localKeys(settings) : serverKeys(request, SEXTANT_API_KEY);
  return {
    root,
    ...keys,
    check: async (key) => {
      await request("GET", "/v1/models", { key });
    },
  };
}

function localKeys(settings: Parameters<typeof openKeyRing>[0]) {
  return {
    createKey: async (key: NewAgentKey) => {
      const ring = await openKeyRing(settings);
      return (await ring.create({ ...key, scopes: ["inference"] })).key;
    },
    revokeKey: async (key: string) => {
      const ring = await openKeyRing(settings);
      const id = ring.list().find(({ prefix }) => prefix === key.slice(0, PREFIX))?.id;
      if (id !== undefined) await ring.revoke(id);
    },
  };
}

const createdSchema = z.object({ key: z.string() });
const listSchema = z.object({ data: z.array(z.object({ id: z.string(), prefix: z.string() })) });
const faultSchema = z.object({ error: z.object({ message: z.string() }) });

type Requester = ReturnType<typeof requester>;

function serverKeys(request: Requester, adminKey: string | undefined) {
  return {
    createKey: async ({ name, source, expiresAtMs }: NewAgentKey) => {
      const expires_at = expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString();
      const body = { name, source, scopes: ["inference"], expires_at };
      const answer = await request("POST", "/admin/keys", { key: adminKey, body });
      return createdSchema.parse(answer).key;
    },
    revokeKey: async (key: string) => {
      const answer = await request("GET", "/admin/keys", { key: adminKey });
      const id = listSchema.parse(answer).data.find(({ prefix }) => prefix === key.slice(0, PREFIX))?.id;
      if (id !== undefined) await request("DELETE", `/admin/keys/${id}`, { key: adminKey });
    },
  };
}

function requester(root: string, { fetch, signal }: CliContext) {
  return async (
    method: string,
    path: string,
    { key, body }: { readonly key: string | undefined; readonly body?: object },
  ) => {
    const response = await fetch(`${root}${path}`, {
      method,
      signal,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch(() => {
      throw new CommandFailure(
        `No server answers at ${root}. Start it with \`sextant serve\`, or give the address of one with --url.`,
      );
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok) return answer;
    const reason = faultSchema.safeParse(answer).data?.error.message ?? `HTTP ${response.status}`;
    throw new CommandFailure(
      `${root} refuses ${method} ${path}: ${reason}${path.startsWith("/admin/") ? " SEXTANT_API_KEY has to be a key with the scope `admin`." : ""}`,
    );
  };
}
