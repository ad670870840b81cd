import { useState } from "preact/hooks";
import { type ConnectionTest, testProvider } from "../api/providers.js";
import { dollars, duration } from "../components/format.js";
import { messageOf, Notice } from "../components/resource.js";
import { Plain } from "../components/text.js";

type State =
  | { readonly kind: "none" | "running" }
  | { readonly kind: "done"; readonly test: ConnectionTest }
  | { readonly kind: "failed"; readonly message: string };

/** Whether requests to a provider would work now, on demand: it costs a little. */
export function ConnectionTestButton({ provider }: { readonly provider: string }) {
  const [state, setState] = useState<State>({ kind: "none" });
  const run = async (): Promise<void> => {
    setState({ kind: "running" });
    try {
      setState({ kind: "done", test: await testProvider(provider) });
    } catch (error) {
      setState({ kind: "failed", message: messageOf(error) });
    }
  };
  return (
    <div class="connection-test">
      <div class="row">
        <button
          class="button slim"
          type="button"
          disabled={state.kind === "running"}
          onClick={() => void run()}
        >
          {state.kind === "running" ? "Testing…" : "Test connection"}
        </button>
        <span class="muted small">
          Asks the cheapest model one question, with an answer of at most 16 tokens.
        </span>
      </div>
      {state.kind === "failed" && <Notice kind="error">{state.message}</Notice>}
      {state.kind === "done" && <Result test={state.test} />}
    </div>
  );
}

function Result({ test }: { readonly test: ConnectionTest }) {
  const { ok, model, code, status, message, latency_ms: latency, cost_usd: cost } = test;
  return (
    <Notice kind={ok ? "success" : "error"}>
      <Plain text={model} /> {ok ? "answered" : `failed with ${code}${status === null ? "" : ` (${status})`}`}{" "}
      after {duration(latency)}
      {cost === null ? (ok ? ", at an unknown cost" : "") : `, for ${dollars(cost)}`}.
      {message !== null && (
        <>
          {" "}
          <Plain text={message} />
        </>
      )}
    </Notice>
  );
}
