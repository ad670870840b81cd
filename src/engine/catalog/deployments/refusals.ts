/**
 * Fields of a chat request that models refuse with a 400, for any value or for any but one. The gateway's defaults are
 * not sent for them; a client's own values are. Reviewed manually. Matched by the model's name without its maker, at
 * any provider.
 */
interface Refusal {
  readonly models: RegExp;
  readonly fields: readonly string[];
  readonly source: string;
}

const SAMPLING = ["temperature", "top_p"] as const;
const PENALTIES = ["presence_penalty", "frequency_penalty"] as const;

const REFUSALS: readonly Refusal[] = [
  {
    // o1 on: sampling is the model's own. GPT-5 and later take it only while reasoning is switched off.
    models: /^o[134](-|$)|^gpt-[5-9](?!.*chat)/,
    fields: [...SAMPLING, ...PENALTIES, "logprobs", "top_logprobs", "logit_bias"],
    source: "https://platform.openai.com/docs/guides/reasoning",
  },
  {
    models: /^o[34](-|$)|^gpt-[5-9](?!.*chat)/,
    fields: ["stop"],
    source: "https://platform.openai.com/docs/api-reference/chat/create",
  },
  {
    // The Messages API has neither.
    models: /^claude-/,
    fields: PENALTIES,
    source: "https://platform.claude.com/docs/en/api/openai-sdk",
  },
  {
    // Opus 4.1, and 4.5 and 4.6: one of the two, not both.
    models: /^claude-(opus|sonnet|haiku)-4[-.][156]/,
    fields: ["top_p"],
    source: "https://platform.claude.com/docs/en/about-claude/models/migration-guide",
  },
  {
    // From Opus 4.7 on.
    models: /^claude-(opus-4[-.][7-9]|(opus|sonnet|haiku|fable|mythos)-[5-9])/,
    fields: SAMPLING,
    source: "https://platform.claude.com/docs/en/about-claude/models/migration-guide",
  },
  {
    models: /^grok-(3-mini|4|build|code)/,
    fields: [...PENALTIES, "stop"],
    source: "https://docs.x.ai/docs/guides/reasoning",
  },
  {
    models: /^gemini-(2[-.]5|[3-9])/,
    fields: PENALTIES,
    source: "https://ai.google.dev/gemini-api/docs/openai",
  },
];

/** A model with a thinking budget refuses sampling parameters. */
export const THINKING_REFUSES: readonly string[] = SAMPLING;

/** The refused fields of a name: `openai/o4-mini` and `accounts/…/models/o4-mini` are `o4-mini`. */
export function refusedFields(model: string): readonly string[] {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  return [
    ...new Set(
      REFUSALS.flatMap(({ models, fields }): readonly string[] => (models.test(name) ? fields : [])),
    ),
  ];
}
