import type { Provider } from "../api/providers.js";
import { Plain } from "../components/plain.js";

/** Providers that would be switched on by a variable. */
export function DisabledProviders({ providers }: { readonly providers: readonly Provider[] }) {
  if (providers.length === 0) return null;
  return (
    <section class="card padded stack" aria-labelledby="not-configured">
      <div>
        <h2 id="not-configured">Not configured</h2>
        <p class="muted small">Set the variable in the gateway's environment, then restart the gateway.</p>
      </div>
      <ul class="disabled-providers">
        {providers.map(({ id, remedy }) => (
          <li key={id}>
            <strong>
              <Plain text={id} />
            </strong>
            <Remedy text={remedy ?? ""} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** "set A and B", the names as what they are. */
function Remedy({ text }: { readonly text: string }) {
  const words = text.replace(/^set /, "").split(" and ");
  return (
    <span class="small">
      {words.map((word, at) => (
        <span key={word}>
          {at > 0 && " and "}
          <code>{word}</code>
        </span>
      ))}
    </span>
  );
}
