import type {
  Candidate,
  CandidateParts,
  DecidingAnchor,
  Decision,
  PromptReading,
} from "../../engine/router/decision.js";
import type { Output } from "../context.js";
import { tableFor } from "../table.js";

export interface ExplanationTextOptions {
  /** Most candidates to show. */
  readonly limit: number;
  readonly output: Output;
}

/** What a decision rests on, for a person: what was read of the prompt, the parts of each expected cost, and the anchors. */
export function explanationText(decision: Decision, { limit, output }: ExplanationTextOptions): string {
  const { prompt, anchors = [], candidates } = decision;
  return [
    ...(prompt === undefined ? [] : [promptText(prompt)]),
    tableFor(output, { head: PART_COLUMNS, rows: candidates.slice(0, limit).flatMap(partsRow) }),
    PARTS_LEGEND,
    tableFor(output, {
      head: ["deciding prompt", "source", "similarity", "weight"],
      rows: anchors.map(anchorRow),
    }),
  ].join("\n\n");
}

const TIERS = ["trivial", "easy", "medium", "hard", "expert"] as const;

function promptText({ tokens, difficulty, kinds, askedTokens, visibleTokens }: PromptReading): string {
  const parts = [
    `${tokens} tokens`,
    difficulty === null
      ? "of unknown difficulty"
      : `difficulty ${difficulty.toFixed(1)} of 4 (${TIERS[Math.round(difficulty)]})`,
    ...(kinds.length === 0 ? [] : [`classified as ${kinds.join(", ")}`]),
    ...(askedTokens === null ? [] : [`asks for about ${askedTokens.toFixed(0)} tokens`]),
    ...(visibleTokens === null
      ? []
      : [`an average model writes ${visibleTokens.toFixed(0)} visible tokens by its text`]),
  ];
  return `prompt: ${parts.join("; ")}`;
}

const PART_COLUMNS = [
  ...["model", "visible", "= text × near × model", "hidden", "= medium × difficulty", "in use"],
  ...["bill", "from", "agent's task", "USD per million"],
];

const PARTS_LEGEND =
  "visible: by the prompt's text, by measured answers near it, by the maker and the model; hidden: of the model at its effort on a prompt of\n" +
  "medium difficulty; in use: factor on both from observed answers; bill: what is billed over the price of these tokens, from recorded dollars,\n" +
  "counted tokens or none; agent's task: dollars of its many calls, and how far they are what is expected; before --max-tokens";

function partsRow({ model, parts }: Candidate): string[][] {
  if (parts === undefined) return [];
  const { visibleTokens, nearbyRatio, modelRatio, hiddenTokens, hiddenTokensMedium, difficultyFactor } =
    parts;
  const byText = visibleTokens / (nearbyRatio * modelRatio);
  return [
    [
      parts.predecessor === null ? model : `${model} (predecessor ${parts.predecessor})`,
      visibleTokens.toFixed(0),
      `${byText.toFixed(0)} × ${factor(nearbyRatio)} × ${factor(modelRatio)}`,
      hiddenTokens.toFixed(0),
      `${hiddenTokensMedium.toFixed(0)} × ${factor(difficultyFactor)}`,
      `× ${factor(parts.lengthCorrection)}`,
      `× ${factor(parts.billRatio)}`,
      parts.billSource,
      agentText(parts),
      priceText(parts),
    ],
  ];
}

const agentText = ({ agentTask: task }: CandidateParts): string =>
  task === null ? "–" : `$${task.usd.toPrecision(2)}`;

const priceText = ({ price }: CandidateParts): string =>
  price === null ? "unknown" : `${price.inputUsdPerMtok} in, ${price.outputUsdPerMtok} out`;

const anchorRow = ({ id, source, similarity, weight }: DecidingAnchor): string[] => [
  id,
  source,
  similarity.toFixed(3),
  `${(100 * weight).toFixed(1)}%`,
];

const factor = (value: number): string => value.toPrecision(2);
