import { useRef, useState } from "preact/hooks";
import { messageOf, Notice } from "../components/resource.js";
import mark from "../mark.svg";
import { session, signIn } from "./session.js";

/** Asks for an admin key. It goes to the gateway once and stays nowhere in the page. */
export function SignInPage() {
  const field = useRef<HTMLInputElement>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await signIn(field.current?.value ?? "");
    } catch (error) {
      setFault(messageOf(error));
      setBusy(false);
      field.current?.select();
    }
  };
  const told = fault ?? session.value.reason;
  return (
    <main class="sign-in">
      <form class="card sign-in-card" onSubmit={submit}>
        <img class="sign-in-mark" src={mark} alt="" width="44" height="44" />
        <h1>Sextant console</h1>
        <p class="muted">Sign in with an API key that has the scope admin.</p>
        <label class="field">
          <span>API key</span>
          <input
            ref={field}
            class="input mono"
            type="password"
            name="key"
            autocomplete="current-password"
            placeholder="pk_live_…"
            required
            autofocus
            aria-describedby="sign-in-hint"
          />
        </label>
        {told !== null && <Notice kind="error">{told}</Notice>}
        <button class="button primary wide" type="submit" disabled={busy}>
          {busy ? "Signing in…" : "Sign in"}
        </button>
        <p class="muted small" id="sign-in-hint">
          No key? Run <code>sextant keys create --scopes admin</code> on the gateway's machine.
        </p>
      </form>
    </main>
  );
}
