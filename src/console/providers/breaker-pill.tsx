import type { Health } from "../api/providers.js";

const SHOWN: Readonly<
  Record<Health["state"], { readonly look: string; readonly words: string; readonly title: string }>
> = {
  closed: { look: "good", words: "closed", title: "All is well: requests are sent." },
  half_open: { look: "warn", words: "half open", title: "One request may try it again." },
  open: {
    look: "bad",
    words: "open",
    title: "It failed several times in a row and is not asked for a while.",
  },
};

export function BreakerPill({ state }: Pick<Health, "state">) {
  const { look, words, title } = SHOWN[state];
  return (
    <span class={`pill ${look}`} title={title}>
      {words}
    </span>
  );
}
