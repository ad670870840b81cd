import type { CatalogProvider, Deployment } from "../../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../../foundation/errors.js";
import type { PausesInForce } from "../../run/pause.js";
import type { NewPause } from "./pause-list.js";
import type { NewPauseBody } from "./schema.js";

/** What an operator asks for, and the id of the key that asks, or what else stands for who does. */
export type AskedPause = NewPauseBody & { readonly by: string };

export interface PauseContext {
  readonly catalog: {
    deployments(name: string): readonly Deployment[];
    providers(): readonly Pick<CatalogProvider, "id">[];
  };
  readonly keys: { nameOf(id: string): string | undefined };
  readonly pauses: Pick<PausesInForce, "ofDeployment">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const USUAL_PAUSE_MS = 3_600_000;

/**
 * The pause, with the name that deployments have a model by.
 *
 * @throws SextantError `model_not_found`, `provider_not_found`, `not_found` for what is not there; `invalid_request` for an end
 * that has passed, a redirect that cannot work, and the key of who asks
 */
export function checkedPause(asked: AskedPause, context: PauseContext): NewPause {
  const { kind, target, redirect_to: redirectTo = null, reason, by } = asked;
  if (kind !== "model" && redirectTo !== null) {
    throw bad("redirect_to", "is only for models. Redirect the models that should be answered elsewhere");
  }
  const pause = { kind, target, redirect_to: null, reason, created_by: by, ends_at: endOf(asked, context) };
  switch (kind) {
    case "model":
      return { ...pause, ...pausedModel(target, redirectTo, context) };
    case "provider":
      if (context.catalog.providers().some(({ id }) => id === target)) return pause;
      throw missing("provider_not_found", "provider", target);
    case "key":
      if (target === by)
        throw bad("target", "is the key that asks, which could not end the pause. Pause it with another one");
      if (target.startsWith("jwt:") || context.keys.nameOf(target) !== undefined) return pause;
      throw missing("not_found", "key", target);
  }
}

function endOf({ ends_at: asked }: AskedPause, { now }: PauseContext): string | null {
  if (asked === null) return null;
  const endMs = asked === undefined ? now() + USUAL_PAUSE_MS : Date.parse(asked);
  const end = new Date(endMs).toISOString();
  if (endMs > now()) return end;
  throw bad("ends_at", `is "${end}", which has passed`);
}

function pausedModel(
  target: string,
  redirectTo: string | null,
  { catalog, pauses }: PauseContext,
): Pick<NewPause, "target" | "redirect_to"> {
  const [paused] = catalog.deployments(target);
  if (paused === undefined) throw missing("model_not_found", "model", target);
  const name = nameOf(target, paused);
  if (redirectTo === null) return { target: name, redirect_to: null };
  const [other] = catalog.deployments(redirectTo);
  if (other === undefined) throw missing("model_not_found", "model", redirectTo, "redirect_to");
  if (paused.api === "embeddings" || other.api === "embeddings")
    throw bad(
      "redirect_to",
      "cannot be used with embeddings: vectors of different models cannot be compared",
    );
  if (!other.enabled)
    throw bad("redirect_to", `is ${shown(redirectTo)}, which no configured provider serves`);
  if (nameOf(redirectTo, other) === name) throw bad("redirect_to", "is the model itself. Name another one");
  if (pauses.ofDeployment(other) !== undefined)
    throw bad("redirect_to", `is ${shown(redirectTo)}, which is paused itself`);
  return { target: name, redirect_to: redirectTo };
}

const nameOf = (asked: string, { model, provider }: Deployment): string =>
  asked !== model && asked.startsWith(`${provider}/`) ? `${provider}/${model}` : model;

const WHERE = {
  model: "GET /v1/models and `sextant models` list those that can be used.",
  provider: "GET /admin/providers lists them.",
  key: "GET /admin/keys and `sextant keys list` list them.",
} as const;

function missing(
  code: "model_not_found" | "provider_not_found" | "not_found",
  ...[what, name, param = "target"]: readonly [what: keyof typeof WHERE, name: string, param?: string]
): SextantError {
  return new SextantError(code, `There is no ${what} ${shown(name)}. ${WHERE[what]}`, { param });
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 80));

const bad = (param: string, fault: string): SextantError =>
  new SextantError("invalid_request", `\`${param}\` ${fault}.`, { param });
