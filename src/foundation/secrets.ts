/** What may be a secret, so that no message repeats it, and the names of variables that hold one. */
import { z } from "zod";

/** Keys of this gateway, of providers, and tokens, by how they begin (those of providers: as their consoles show them, a guess). */
const KEY =
  /(?<![\w-])(?:pk_live_[A-Za-z0-9]{40}|(?:sk|xai|csk|nvapi|pplx)-[\w-]{20,}|(?:gsk|hf|r8|fw|tgp_v1)_[A-Za-z0-9]{20,}|AIza[\w-]{30,}|eyJ[\w-]+\.[\w-]+\.[\w-]+)/;
const ADDRESS_WITH_PASSWORD = /:\/\/[^/\s:@]*:[^/\s@]+@/;

/** Whether a key, a token or an address with a password seems to be in a text. */
export const looksLikeSecret = (text: string): boolean => KEY.test(text) || ADDRESS_WITH_PASSWORD.test(text);

/** Twenty letters and digits, with digits in two places and a small letter, as in keys that begin like any name. A guess. */
const MIXED = /^(?=[A-Za-z]*\d+[A-Za-z]+\d)(?=[A-Z\d]*[a-z])[A-Za-z\d]{20,}$/;

/** A setting that names the environment variable with a secret: secrets are pasted there by mistake, and names are shown. */
export const variableName = z
  .string()
  .refine((name) => /^[A-Za-z_]\w*$/.test(name) && !MIXED.test(name) && !looksLikeSecret(name), {
    error: "it must be the name of an environment variable, such as OPENAI_API_KEY",
  });
