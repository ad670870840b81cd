/** For opencode: after each turn, a message with what the session cost. https://opencode.ai/docs/plugins, read 2026-11-29. */
import { shownByAgent } from "./cost-line.js";

interface Opencode {
  readonly client: {
    readonly config: {
      get(): Promise<{
        readonly data?: {
          readonly provider?: Readonly<
            Record<string, { readonly options?: { readonly baseURL?: string; readonly apiKey?: string } }>
          >;
        };
      }>;
    };
    readonly tui: {
      showToast(toast: {
        readonly body: { readonly message: string; readonly variant: "info" };
      }): Promise<unknown>;
    };
  };
}

interface OpencodeEvent {
  readonly event: { readonly type: string; readonly properties: { readonly sessionID?: string } };
}

/** Its event never rejects: whatever fails, nothing is shown. @param fetcher opencode itself gives none */
export const SextantCost = async ({ client }: Opencode, fetcher?: typeof fetch) => ({
  async event({ event }: OpencodeEvent): Promise<void> {
    if (event.type !== "session.idle") return;
    try {
      const { baseURL, apiKey: key = "" } =
        (await client.config.get()).data?.provider?.sextant?.options ?? {};
      if (baseURL === undefined) return;
      const said = JSON.stringify({ session_id: event.properties.sessionID });
      const root = baseURL.replace(/\/v1$/, "");
      const message = await shownByAgent(said, { root, key, fetch: fetcher ?? fetch });
      if (message !== "") await client.tui.showToast({ body: { message, variant: "info" } });
    } catch {}
  },
});
