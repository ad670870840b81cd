import { z } from "zod";

/** A text, or the ids of its tokens. */
type TextOrTokenIds = string | readonly number[];

/** What a model reads: one text, or a list of them. */
export type TextInput = TextOrTokenIds | readonly TextOrTokenIds[];

/** As many as OpenAI takes in one request. */
const MAX_TEXTS = 2048;

interface TextInputOptions {
  /** Whether a text may be empty. A list never is, nor are token ids. */
  readonly emptyText: "allowed" | "refused";
  readonly description: string;
}

/**
 * A field of one text or several, each as a string or as token ids. Checked in one pass: as a union, a batch would be read
 * once for every form, and a fault in it reported as one of whichever form came first.
 */
export function textInput({ emptyText, description }: TextInputOptions): z.ZodType<TextInput> {
  const isText = (value: unknown): boolean =>
    typeof value === "string" && (value !== "" || emptyText === "allowed");
  const least = emptyText === "allowed" ? 0 : 1;
  const rule = emptyText === "allowed" ? "" : "; a text has at least one character";
  const [whole, item] = [WHOLE + rule, ITEM + rule];
  const text = { type: "string", minLength: least } as const;

  function faultOf(value: unknown): Fault | null {
    if (!Array.isArray(value)) return isText(value) ? null : { path: [], message: whole };
    if (typeof value[0] === "number") return faultInTokenIds(value, []);
    if (value.length === 0 || value.length > MAX_TEXTS) return { path: [], message: whole };
    for (const [index, one] of value.entries()) {
      const path = [index];
      const isIds = Array.isArray(one) && one.length > 0;
      if (!isIds && !isText(one)) return { path, message: item };
      const fault = isIds ? faultInTokenIds(one, path) : null;
      if (fault !== null) return fault;
    }
    return null;
  }

  const checked = z.unknown().superRefine((value, context) => {
    const fault = faultOf(value);
    if (fault !== null) context.addIssue({ code: "custom", message: fault.message, path: [...fault.path] });
  });
  // The check is of the whole form, which the schema's own type cannot say.
  return checked.meta({
    description,
    anyOf: [
      text,
      TOKEN_IDS,
      { type: "array", minItems: 1, maxItems: MAX_TEXTS, items: { anyOf: [text, TOKEN_IDS] } },
    ],
  }) as z.ZodType<TextInput>;
}

interface Fault {
  /** From the field. */
  readonly path: readonly number[];
  readonly message: string;
}

const TOKEN_IDS = { type: "array", minItems: 1, items: { type: "integer", minimum: 0 } } as const;
const WHOLE = `it must be a text, or a list of 1 to ${MAX_TEXTS} texts; a text may be a list of token ids instead`;
const ITEM = "it must be a text, or a list of token ids";
const TOKEN = "it must be a token id, a whole number of at least 0";

function faultInTokenIds(ids: readonly unknown[], path: readonly number[]): Fault | null {
  const wrong = ids.findIndex((id) => typeof id !== "number" || !Number.isInteger(id) || id < 0);
  return wrong < 0 ? null : { path: [...path, wrong], message: TOKEN };
}
