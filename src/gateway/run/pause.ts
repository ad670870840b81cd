import { z } from "zod";
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { SextantError } from "../../foundation/errors.js";

/** What can be paused: a model at all of its providers, a provider with all of its models, a caller. */
export const PAUSE_KINDS = ["model", "provider", "key"] as const;
export type PauseKind = (typeof PAUSE_KINDS)[number];

/** As it is stored, and as the API shows it. */
export const pauseSchema = z.object({
  id: z.string(),
  kind: z.enum(PAUSE_KINDS),
  /** Of a model its name, or `provider/model` for one provider alone; of a provider its id; of a caller the id of the key, or `jwt:` and the subject. */
  target: z.string(),
  /** The model that answers instead; null: requests are refused. */
  redirect_to: z.string().nullable(),
  reason: z.string(),
  /** ISO 8601, UTC. */
  created_at: z.string(),
  /** Who paused it: the id of a key, the subject of a token, `anonymous` or `command_line`. */
  created_by: z.string(),
  /** ISO 8601, UTC; null: until an operator ends it. */
  ends_at: z.string().nullable(),
});
export type Pause = Readonly<z.infer<typeof pauseSchema>>;

/** What the event of its start says. */
export const pauseStart = ({ id, reason, ends_at, redirect_to }: Pause) => ({
  pause: id,
  reason,
  ends_at,
  redirect_to,
});

/** What a pause is of: at most one is in force for each. */
export const pausedThing = ({ kind, target }: Pick<Pause, "kind" | "target">): string => `${kind}:${target}`;

export const hasEnded = ({ ends_at }: Pick<Pause, "ends_at">, nowMs: number): boolean =>
  ends_at !== null && Date.parse(ends_at) <= nowMs;

/** What pauses mean for requests. */
export interface PausesInForce {
  /** False in nearly every moment: then nothing else needs to be asked. */
  readonly any: boolean;
  /** The pause of a model at a provider: of the model, of the model there, or of the provider. */
  ofDeployment(deployment: Pick<Deployment, "model" | "provider">): Pause | undefined;
  /** @throws SextantError `key_paused` */
  admit(principal: { readonly id: string }): void;
}

/** Without any pause. */
export const NO_PAUSES: PausesInForce = { any: false, ofDeployment: () => undefined, admit: () => {} };

/** `gpt-5.6-sol` of `gpt-5.6-sol:high`: a pause of a model is one of all its efforts. */
const withoutEffort = (model: string): string => model.replace(/:[^:/]*$/, "");

/** The names that a pause can have a model at a provider by. */
export const pauseNamesOf = ({
  model,
  provider,
}: Pick<Deployment, "model" | "provider">): readonly string[] => {
  const names = [...new Set([model, withoutEffort(model)])];
  return [...names, ...names.map((name) => `${provider}/${name}`)].map((target) =>
    pausedThing({ kind: "model", target }),
  );
};

/** `until 2026-01-31T10:00:00.000Z` */
export const untilText = ({ ends_at }: Pick<Pause, "ends_at">): string =>
  ends_at === null ? "until an operator ends the pause" : `until ${ends_at}`;

/** The error of a caller whose key is paused. The reason is the operators' own. */
export const keyPaused = (pause: Pause): SextantError =>
  new SextantError(
    "key_paused",
    `This API key is paused ${untilText(pause)}. Try again then, or ask the operator of the gateway.`,
  );
