/**
 * Sextant embedded: `openRouter()` → `route()`. Loads the shipped embedder and profiles; no server, no key, no network.
 */
import { openRouterFromSettings } from "./compose/open-router.js";
import type { Decision, RouteRequest } from "./router/decision.js";
import type { Router } from "./router/router.js";
import type { ConversationMessage } from "./router/routing-text.js";
import { type Settings, settingsSchema } from "./settings/settings.js";

export type { ProfileSummary } from "./estimation/profile-summary.js";
export { ERROR_CODES, type ErrorCode, SextantError } from "./foundation/errors.js";
export type { Exclusion, ExclusionReason } from "./router/candidate.js";
export type { Candidate, Decision } from "./router/decision.js";
export type { ConversationMessage, MessagePart } from "./router/routing-text.js";

/** A subset of the settings, under the same names; defaults are the shipped embedder and profiles. */
export type OpenRouterOptions = Partial<
  Pick<Settings, "embedder" | "profiles" | "providers" | "deployments" | "prices" | "dataDir">
>;

export type RouteOptions = Omit<RouteRequest, "messages"> & { readonly signal?: AbortSignal };

export interface EmbeddedRouter
  extends Pick<Router, "profiles" | "profileVersion" | "promisedSpendUsd" | "close"> {
  /**
   * Decides which model should answer a prompt or a conversation (at least one message).
   *
   * @throws SextantError `missing_profiles`, `insufficient_models`, `no_profiles_available`
   */
  route(prompt: string | readonly ConversationMessage[], options?: RouteOptions): Promise<Decision>;
  /** Decides many prompts at once, in order: several thousand a second. */
  routeMany(
    prompts: readonly (string | readonly ConversationMessage[])[],
    options?: RouteOptions,
  ): Promise<Decision[]>;
}

/**
 * Opens the engine: about a second, some 200 MB. Open it once and keep it. The first decision at a cost weight above 0, or
 * `promisedSpendUsd`, takes some 300 ms more, for the calibration of the weight.
 *
 * @throws an error that names the file and the remedy when the embedder or a profile set cannot be loaded
 */
export async function openRouter(options: OpenRouterOptions = {}): Promise<EmbeddedRouter> {
  const { router } = await openRouterFromSettings(settingsSchema.parse(options));
  const requestOf = (
    prompt: string | readonly ConversationMessage[],
    asked: Omit<RouteRequest, "messages">,
  ) => ({
    ...asked,
    messages: typeof prompt === "string" ? [{ role: "user" as const, content: prompt }] : prompt,
  });
  return {
    route: (prompt, { signal, ...asked } = {}) => router.route(requestOf(prompt, asked), withSignal(signal)),
    routeMany: (prompts, { signal, ...asked } = {}) =>
      router.routeMany(
        prompts.map((prompt) => requestOf(prompt, asked)),
        withSignal(signal),
      ),
    profiles: () => router.profiles(),
    get profileVersion() {
      return router.profileVersion;
    },
    promisedSpendUsd: (costWeight) => router.promisedSpendUsd(costWeight),
    close: () => router.close(),
  };
}

function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
