import type { NewPauseBody as NewPause } from "../../gateway/features/pauses/schema.js";

/** Something that can be paused. */
export interface PauseChoice extends Pick<NewPause, "kind" | "target"> {
  /** What it is, for people. */
  readonly label: string;
}

/** What can be paused where a model at a provider fails. */
export const choicesFor = (model: string | null, provider: string | null): readonly PauseChoice[] => [
  ...(model === null
    ? []
    : [{ kind: "model" as const, target: model, label: `model ${model}, at all its providers` }]),
  ...(model === null || provider === null
    ? []
    : [
        {
          kind: "model" as const,
          target: `${provider}/${model}`,
          label: `model ${model}, at ${provider} alone`,
        },
      ]),
  ...(provider === null
    ? []
    : [{ kind: "provider" as const, target: provider, label: `provider ${provider}, with all its models` }]),
];

export const keyChoice = ({ id, name }: { readonly id: string; readonly name: string }): PauseChoice => ({
  kind: "key",
  target: id,
  label: `key ${name}: its requests are refused with 403`,
});
