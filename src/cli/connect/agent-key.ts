/** Keys for agents: made and revoked in the data folder of this machine, or by a server that is asked to. */
import { z } from "zod";
import { openKeyRing } from "../../compose/keys.js";
import { loadSettings, readEnvironment } from "../../gateway/index.js";
import { type CliContext, CommandFailure } from "../context.js";
import { keyTarget } from "../keys/key-options.js";
import { recordAct } from "../operators.js";
import { rootOf } from "../server-address.js";

interface NewAgentKey {
  readonly name: string;
  /** Traces of its requests have it. */
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs?: number;
}

interface AgentKey {
  readonly key: string;
  revoke(): Promise<void>;
}

/** The server that an agent is to use. */
export interface AgentServer {
  /** Address without `/v1`. */
  readonly root: string;
  /** @throws CommandFailure, SextantError */
  createKey(key: NewAgentKey): Promise<AgentKey>;
  /** Revokes the key with that text and name, both: a prefix alone may be another key's. Does nothing when there is none. */
  revokeKey(key: string, name: string): Promise<void>;
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
  const { create, list, revoke } =
    address === "" ? localKeys(settings, context) : serverKeys(request, SEXTANT_API_KEY);
  return {
    root,
    async createKey(newKey) {
      const { id, key } = await create(newKey);
      return { key, revoke: () => revoke(id) };
    },
    async revokeKey(key, name) {
      const isMeant = (one: StoredKey) =>
        one.prefix === key.slice(0, PREFIX) && one.name === name && one.revoked_at === null;
      const found = (await list()).find(isMeant);
      if (found !== undefined) await revoke(found.id);
    },
    check: async (key) => {
      await request("GET", "/v1/models", { key });
    },
  };
}

const storedKeySchema = z.object({
  id: z.string(),
  prefix: z.string(),
  name: z.string(),
  revoked_at: z.string().nullable(),
});
type StoredKey = z.infer<typeof storedKeySchema>;
const createdSchema = z.object({ id: z.string(), key: z.string() });
const listSchema = z.object({ data: z.array(storedKeySchema) });
const faultSchema = z.object({ error: z.object({ message: z.string() }) });

/** Where keys are made: each act is an administrative event. */
interface Keys {
  create(key: NewAgentKey): Promise<z.infer<typeof createdSchema>>;
  list(): Promise<readonly StoredKey[]>;
  revoke(id: string): Promise<void>;
}

function localKeys(settings: Parameters<typeof openKeyRing>[0], context: CliContext): Keys {
  return {
    async create(newKey) {
      const ring = await openKeyRing(settings);
      const { key, metadata } = await ring.create({ ...newKey, scopes: ["inference"] });
      const { name, source, scopes, expires_at } = metadata;
      const details = { name, source, scopes, expires_at };
      await recordAct({ kind: "key.created", target: keyTarget(metadata), details }, context);
      return { id: metadata.id, key };
    },
    list: async () => (await openKeyRing(settings)).list(),
    async revoke(id) {
      const revoked = await (await openKeyRing(settings)).revoke(id);
      await recordAct({ kind: "key.revoked", target: keyTarget(revoked), details: {} }, context);
    },
  };
}

type Requester = ReturnType<typeof requester>;

function serverKeys(request: Requester, key: string | undefined): Keys {
  return {
    async create({ name, source, expiresAtMs }) {
      const expires_at = expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString();
      const body = { name, source, scopes: ["inference"], expires_at };
      return createdSchema.parse(await request("POST", "/admin/keys", { key, body }));
    },
    list: async () => listSchema.parse(await request("GET", "/admin/keys", { key })).data,
    revoke: async (id) => void (await request("DELETE", `/admin/keys/${id}`, { key })),
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
