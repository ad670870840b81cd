import { useRef } from "preact/hooks";
import { Button, Form } from "../components/controls.js";
import { Notice, useAction } from "../components/resource.js";
import mark from "../mark.svg";
import { session, signIn } from "./session.js";

/** Asks for an admin key. It goes to the gateway once and stays nowhere in the page. */
export function SignInPage() {
  const field = useRef<HTMLInputElement>(null);
  const { run, running, fault } = useAction(async (_signal, form: FormData) => {
    await signIn(String(form.get("key"))).catch((error) => {
      field.current?.select();
      throw error;
    });
  });
  const told = fault ?? session.value.reason;
  return (
    <main class="sign-in">
      <Form class="card sign-in-card" onSubmit={run}>
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
        <Button look="primary wide" type="submit" disabled={running !== undefined}>
          {running === undefined ? "Sign in" : "Signing in…"}
        </Button>
        <p class="muted small" id="sign-in-hint">
          No key? Run <code>sextant keys create --scopes admin</code> on the gateway's machine.{" "}
          <a href="/console/docs/console.html" target="_blank" rel="noopener">
            Documentation
          </a>
        </p>
      </Form>
    </main>
  );
}
