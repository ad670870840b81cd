import { signal } from "@preact/signals";
import type { AttentionBody } from "../../gateway/features/alerts/attention-schema.js";
import { faultText } from "../components/resource.js";
import { call } from "./call.js";

export type { AttentionBody as Attention };

/** What needs an operator now, asked for once for all parts of the console. */
export const attention = signal<{ readonly value?: AttentionBody; readonly fault?: string }>({});

/** How often was asked, and which question is the last that was answered. */
let [asked, answered] = [0, 0];

/** Asks again; what was there stays until the answer is there. One that is older than what is there is dropped. */
export const reloadAttention = (): Promise<void> => {
  const turn = ++asked;
  const answer = (next: typeof attention.value): void => {
    if (turn < answered) return;
    answered = turn;
    attention.value = next;
  };
  return call<AttentionBody>("/admin/attention").then(
    (value) => answer({ value }),
    (error) => answer({ ...attention.value, fault: faultText(error) }),
  );
};

/** Configured providers but for the sandbox, by id. */
export const realProviders = (): readonly string[] =>
  (attention.value.value?.providers ?? []).filter((id) => id !== "sandbox");
