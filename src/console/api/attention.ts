import { signal } from "@preact/signals";
import type { AttentionBody } from "../../gateway/features/alerts/attention-schema.js";
import { faultText } from "../components/resource.js";
import { call } from "./call.js";

export type { AttentionBody as Attention };

/** What needs an operator now, asked for once for all parts of the console. */
export const attention = signal<{ readonly value?: AttentionBody; readonly fault?: string }>({});

/** Asks again; what was there stays until the answer is there. */
export const reloadAttention = (): Promise<void> =>
  call<AttentionBody>("/admin/attention").then(
    (value) => {
      attention.value = { value };
    },
    (error) => {
      attention.value = { ...attention.value, fault: faultText(error) };
    },
  );

/** Configured providers but for the sandbox, by id. */
export const realProviders = (): readonly string[] =>
  (attention.value.value?.providers ?? []).filter((id) => id !== "sandbox");
