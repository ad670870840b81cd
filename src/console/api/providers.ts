import { call } from "./call.js";

interface Price {
  readonly input_usd_per_mtok: number;
  readonly cached_input_usd_per_mtok: number | null;
  readonly output_usd_per_mtok: number;
}

export interface Health {
  readonly state: "closed" | "open" | "half_open";
  readonly error_rate: number | null;
  readonly p50_ttft_ms: number | null;
}

export interface ServedModel {
  readonly model: string;
  readonly upstream_model: string;
  readonly price: Price | null;
  readonly context_tokens: number | null;
  readonly health: Health;
}

/** A provider, as `GET /admin/providers` has it. */
export interface Provider {
  readonly id: string;
  readonly type: string;
  readonly enabled: boolean;
  readonly remedy: string | null;
  readonly models: readonly ServedModel[];
}

export async function listProviders(signal: AbortSignal): Promise<readonly Provider[]> {
  const { data } = await call<{ readonly data: readonly Provider[] }>("/admin/providers", { signal });
  return data;
}
