import type { Key } from "../api/keys.js";

/** Whether a key works at the moment. */
export function KeyState({ of }: { readonly of: Key }) {
  if (of.revoked_at !== null) {
    return (
      <span class="pill bad" title={new Date(of.revoked_at).toLocaleString()}>
        revoked
      </span>
    );
  }
  if (of.expires_at !== null && Date.parse(of.expires_at) <= Date.now())
    return <span class="pill warn">expired</span>;
  return <span class="pill good">active</span>;
}
