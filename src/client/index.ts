/** `sextant/client`: the client library, for Node and browsers. */

export {
  InsufficientModelsError,
  MissingProfilesError,
  RateLimitError,
  UnavailableError,
  UpstreamError,
} from "./errors.js";
export { type TriedModel, triedModels } from "./fallback.js";
export type { ListedPauses } from "./pauses.js";
export type {
  DecideParams,
  ExecuteParams,
  ExecuteStreamedParams,
  ProviderQuery,
} from "./router.js";
export { Sextant as default, Sextant, type SextantOptions } from "./sextant.js";
export type { TracesPage } from "./traces.js";
export type * from "./wire/completions.js";
export type * from "./wire/replies.js";
export type * from "./wire/traces.js";
