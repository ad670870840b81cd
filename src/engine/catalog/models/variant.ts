/**
 * How a model is asked to think, in words of no dialect: as little or as much as `effort` says, with a budget of tokens,
 * or not at all where it is a choice. `plain`: the same request as for the model itself.
 */
export type Variant =
  | "plain"
  | { readonly effort: string }
  | { readonly thinkingTokens: number }
  | { readonly thinking: "on" | "off" };
