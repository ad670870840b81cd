import { type NewKey, SCOPES } from "../api/keys.js";
import { namesOf } from "../api/names.js";

/** What the form says, in the words of the API. */
export function newKeyFrom(form: FormData): NewKey {
  const text = (name: string): string => String(form.get(name) ?? "").trim();
  const figure = (name: string): number | null => (text(name) === "" ? null : Number(text(name)));
  const expires = text("expires");
  return {
    name: text("name"),
    source: text("source") || null,
    scopes: namesOf(SCOPES).filter((scope) => form.getAll("scope").includes(scope)),
    limits: {
      requests_per_minute: figure("requests"),
      tokens_per_minute: figure("tokens"),
      usd_per_month: figure("usd"),
    },
    expires_at: expires === "" ? null : new Date(expires).toISOString(),
  };
}
