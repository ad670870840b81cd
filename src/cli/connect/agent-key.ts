/** Keys for agents: made and revoked in the data folder of this machine, or by a server that is asked to. */
import { z } from "zod";
import { SextantError } from "../../foundation/errors.js";
import { loadSettings, readEnvironment } from "../../gateway/index.js";
import type { Settings } from "../../gateway/settings.js";
import { type CliContext, CommandFailure } from "../context.js";
import { type Server, serverAt } from "../server.js";

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
  const { SEXTANT_BASE_URL, SEXTANT_API_KEY: apiKey } = readEnvironment(context.environment, context);
  const address = url ?? SEXTANT_BASE_URL ?? "";
  const settings = loadSettings(context.environment, context);
  const isHere = address === "";
  const server = serverAt(isHere ? `http://127.0.0.1:${settings.port}` : address, { apiKey, context });
  const { create, list, revoke } = isHere ? localKeys(settings, context) : serverKeys(server);
  return {
    root: server.root,
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
    check: async (key) => void (await server.ask("/v1/models", { apiKey: key })),
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

/** Where keys are made: each act is an administrative event. */
interface Keys {
  create(key: NewAgentKey): Promise<z.infer<typeof createdSchema>>;
  list(): Promise<readonly StoredKey[]>;
  revoke(id: string): Promise<void>;
}

/** Loads the store of this machine's data folder at the first use: a server elsewhere needs none. */
function localKeys(settings: Settings, context: CliContext): Keys {
  const load = async () => ({
    ...(await import("../../compose/keys.js")),
    ...(await import("../operators.js")),
  });
  return {
    async create(newKey) {
      const { withKeys, recordAct, keyTarget } = await load();
      const { key, metadata } = await withKeys(settings, (ring) =>
        ring.create({ ...newKey, scopes: ["inference"] }),
      );
      const { name, source, scopes, expires_at } = metadata;
      const details = { name, source, scopes, expires_at };
      await recordAct({ kind: "key.created", target: keyTarget(metadata), details }, context);
      return { id: metadata.id, key };
    },
    list: async () => (await load()).withKeys(settings, (ring) => ring.list()),
    async revoke(id) {
      const { withKeys, recordAct, keyTarget } = await load();
      const revoked = await withKeys(settings, (ring) => ring.revoke(id));
      await recordAct({ kind: "key.revoked", target: keyTarget(revoked), details: {} }, context);
    },
  };
}

function serverKeys({ root, ask }: Server): Keys {
  const asked: Server["ask"] = (path, how) =>
    ask(path, how).catch((error: unknown) => {
      if (!(error instanceof SextantError)) throw error;
      const remedy = "SEXTANT_API_KEY must be a key with the scope `admin`.";
      throw new CommandFailure(`${root} refuses ${path}: ${error.message} ${remedy}`);
    });
  return {
    async create({ name, source, expiresAtMs }) {
      const expires_at = expiresAtMs === undefined ? null : new Date(expiresAtMs).toISOString();
      const body = { name, source, scopes: ["inference"], expires_at };
      return createdSchema.parse(await asked("/admin/keys", { method: "post", body }));
    },
    list: async () => listSchema.parse(await asked("/admin/keys")).data,
    revoke: async (id) => void (await asked(`/admin/keys/${id}`, { method: "delete" })),
  };
}
