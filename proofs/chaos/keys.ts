/** More than the traffic costs: spending is counted for keys with a budget only. */
const AMPLE = { usd_per_month: 1_000_000 };

/** The keys of the traffic: most requests come with the main one, some with keys that allow less than is asked of them. */
export const KEYS = {
  main: { every: 1, from: 0, limits: AMPLE },
  requests: { every: 50, from: 0, limits: { ...AMPLE, requests_per_minute: 60 } },
  tokens: { every: 50, from: 1, limits: { ...AMPLE, tokens_per_minute: 2000 } },
  dollars: { every: 50, from: 2, limits: {} },
} as const;
export type KeyName = keyof typeof KEYS;
const LIMITED_KEYS = ["requests", "tokens", "dollars"] as const;

/** The budget runs out in the middle: of its requests, each is billed some $0.00006. */
const BUDGET_A_REQUEST_USD = 6e-7;

export const budgetUsd = (requests: number): number => Math.ceil(requests * BUDGET_A_REQUEST_USD * 1e6) / 1e6;

/** The key that a request comes with. */
export function keyOf(request: number): KeyName {
  const isOf = (name: KeyName) => request % KEYS[name].every === KEYS[name].from;
  return LIMITED_KEYS.find(isOf) ?? "main";
}

export interface MadeKey {
  readonly id: string;
  readonly key: string;
}
export type MadeKeys = Readonly<Record<KeyName, MadeKey>>;

/** Makes the keys at a gateway, whose admin key the headers have. */
export async function makeKeys(
  address: string,
  { headers, requests }: { readonly headers: Readonly<Record<string, string>>; readonly requests: number },
): Promise<MadeKeys> {
  const make = async (name: KeyName): Promise<MadeKey> => {
    const limits = name === "dollars" ? { usd_per_month: budgetUsd(requests) } : KEYS[name].limits;
    const reply = await fetch(`${address}/admin/keys`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ name, scopes: ["inference"], limits }),
    });
    if (reply.status !== 201) throw new Error(`no key was made: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as MadeKey;
  };
  return {
    main: await make("main"),
    requests: await make("requests"),
    tokens: await make("tokens"),
    dollars: await make("dollars"),
  };
}
