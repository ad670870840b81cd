import type { KeyChangeBody as KeyChange, NewKeyBody as NewKey } from "../../gateway/api/keys.js";
import { namesOf } from "../api/names.js";
import { SCOPES } from "./scopes.js";

const textIn = (form: FormData, name: string): string => String(form.get(name) ?? "").trim();

/** What of a form both a new key and a change have, in the words of the API. */
function commonIn(form: FormData) {
  const figure = (name: string): number | null =>
    textIn(form, name) === "" ? null : Number(textIn(form, name));
  const expires = textIn(form, "expires");
  return {
    name: textIn(form, "name"),
    limits: {
      requests_per_minute: figure("requests"),
      tokens_per_minute: figure("tokens"),
      usd_per_month: figure("usd"),
    },
    cost_weight: figure("weight"),
    expires_at: expires === "" ? null : new Date(expires).toISOString(),
  };
}

export const newKeyFrom = (form: FormData): NewKey => ({
  ...commonIn(form),
  source: textIn(form, "source") || null,
  scopes: namesOf(SCOPES).filter((scope) => form.getAll("scope").includes(scope)),
});

export const keyChangeFrom = (form: FormData): KeyChange => commonIn(form);
