import type { Health } from "../api/providers.js";

const SHOWN: Readonly<
  Record<Health["state"], { readonly look: string; readonly words: string; readonly title: string }>
> = {
  closed: { look: "good", words: "closed", title: "Healthy: requests are sent." },
  half_open: { look: "warn", words: "half open", title: "Recovering: one trial request is allowed." },
  open: {
    look: "bad",
    words: "open",
    title: "Several consecutive failures: no requests are sent until the cooldown ends.",
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
