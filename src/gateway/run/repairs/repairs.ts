import { createHash } from "node:crypto";
import type { Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { type JsonObject, memberOf } from "../../providers/chat.js";
import type { ProviderFault } from "../../providers/provider.js";
import type { Change, Refused } from "./change.js";
import { effortIn, isRequestEffort } from "./efforts.js";
import { refusedFields } from "./fields.js";
import { continuesWithoutThoughts, reasoningSeals, withoutSealed } from "./seals.js";
import { changesOfTable } from "./table.js";

/** Refused reasoning that is remembered for a deployment: the newest conversations'. */
const MOST_SEALS = 10_000;

/** What is known of a deployment. */
class Learned {
  readonly bySituation = new Map<string, Map<string, Change>>();
  /** Digests of refused reasoning, oldest first. */
  readonly seals = new Set<string>();
}

/** A change of one request, to be tried before it is kept for others. */
export interface Repair {
  readonly change: Change;
  /** Top members of the body that it changes, for the log: never a value of the caller's. */
  readonly fields: string;
  /** The body that was refused. */
  readonly refused: JsonObject;
}

/** The other two where they are about the limit of the answer. */
const REPAIRABLE = /^(?:request_refused|context_length_exceeded|quota_exhausted)$/;

/** Fields that Anthropic's API has no longer in 2026-10-21, for any model: github.com/ttlequals0/MinusPod/releases/tag/v2.101.10 (2026-10-31). */
const NOT_IN_VERSION = /^(?:temperature|top_p|top_k): Extra inputs are not permitted/;

/**
 * What to change in a body that a provider refused; null when the fault is for the caller.
 *
 * @param version of Anthropic's API, where the caller asks for one
 */
export function repairOf(
  { code, status, upstreamCode, upstreamMessage, upstreamParam: param }: ProviderFault,
  refused: JsonObject,
  version = "",
): Repair | null {
  if (!REPAIRABLE.test(code) || status === null) return null;
  const text = upstreamMessage ?? "";
  if (version > "2023-06-01" && NOT_IN_VERSION.test(text)) return null;
  // The effort is named there, and is not the fault.
  if (text.startsWith("Function tools with")) return null;
  const said: Refused = { text, param, code: upstreamCode, sent: refused };
  for (const change of [...changesOfTable(said), refusedFields(said)]) {
    const changed = change?.apply(refused) ?? refused;
    if (change === null || changed === refused) continue;
    const names = Object.keys({ ...refused, ...changed }).filter((name) => changed[name] !== refused[name]);
    return { change, fields: names.join(", "), refused };
  }
  return null;
}

/** What requests have in common that are refused the same sampling and thinking. */
function situationOf(body: JsonObject): string {
  const { thinking, tool_choice: choice } = body;
  const effort = effortIn(body) ?? "";
  const known = effort === "" || isRequestEffort(effort) ? effort : "other";
  const [kind] = /^(?:enabled|adaptive|disabled)$/.exec(String(memberOf(thinking, "type"))) ?? [];
  const isForced = /^(?:required|any|tool|function)$/.test(String(memberOf(choice, "type") ?? choice));
  return [known, kind, isForced, continuesWithoutThoughts(body)].join(" ");
}

/**
 * What deployments turned out to refuse, and how requests are changed so that they pass: some models take a temperature only while
 * they do not think, some know fewer efforts. Kept as long as the deployment is, in memory, of a bounded size. Only a change that
 * made a request pass is kept: what a vendor says may quote the request, and so tell anything.
 */
export class Repairs {
  readonly #learned = new WeakMap<Deployment, Learned>();

  /** Remembers a change that made a request pass. */
  keep({ change, refused }: Repair, deployment: Deployment): void {
    if (change.scope === "now") return;
    const learned = this.#learned.get(deployment) ?? new Learned();
    this.#learned.set(deployment, learned);
    if (change.scope === "sealed") remember(reasoningSeals(refused), learned.seals);
    else {
      const situation = situationOf(refused);
      const alike = learned.bySituation.get(situation) ?? new Map<string, Change>();
      learned.bySituation.set(situation, alike.set(change.key, change));
    }
  }

  /** The body as the deployment takes it; itself when there is nothing to change. */
  applied<Body extends JsonObject>(body: Body, deployment: Deployment): Body {
    const learned = this.#learned.get(deployment);
    if (learned === undefined) return body;
    const { bySituation, seals } = learned;
    const read = seals.size === 0 ? body : withoutSealed(body, (seal) => seals.has(digestOf(seal)));
    const alike = (whole: JsonObject): JsonObject => {
      const changes = bySituation.get(situationOf(whole))?.values() ?? [];
      return [...changes].reduce((changed, change) => change.apply(changed), whole);
    };
    // A request that thinks no longer is like those that do not.
    return alike(alike(read)) as Body;
  }
}

function remember(seals: readonly string[], known: Set<string>): void {
  for (const seal of seals) known.add(digestOf(seal));
  for (const oldest of known) {
    if (known.size <= MOST_SEALS) return;
    known.delete(oldest);
  }
}

const digestOf = (seal: string): string => createHash("sha256").update(seal).digest("base64");
