import { mistypeLetters } from "../../bench/quality/perturb/rewordings.js";
import type { ConversationMessage } from "../../src/engine/router/routing-text.js";
import { addAccents, insertZeroWidth, spaceLetters, useFullWidth, useLookalikes } from "./characters.js";
import {
  ANSWER_LINES,
  COMPETITION_MATHS,
  FAKE_TURNS,
  HARD_CODE,
  longDocument,
  SMALL_TALK,
  USE_THE_BEST,
  USE_THE_CHEAPEST,
} from "./texts.js";

/** A change of a request that leaves its task the same. */
export interface Attack {
  /** Last part of the figures' ids. */
  readonly id: string;
  /** Name in tables. */
  readonly label: string;
  readonly kind: AttackKind;
  /** The attacked request. @param random in [0, 1), seeded */
  readonly apply: (text: string, random: () => number) => readonly ConversationMessage[];
}

/** `searched` texts were found by trying them on the router. */
export const ATTACK_KINDS = ["characters", "padding", "stuffing", "searched"] as const;
export type AttackKind = (typeof ATTACK_KINDS)[number];

const DOCUMENT = longDocument(6000);
const LONGER_DOCUMENT = longDocument(24000);

const user = (content: string): ConversationMessage => ({ role: "user", content });

/** An attack that changes the text of the last message. */
function onText(
  facts: Omit<Attack, "apply">,
  change: (text: string, random: () => number) => string,
): Attack {
  return { ...facts, apply: (text, random) => [user(change(text, random))] };
}

const before = (added: string) => (text: string) => `${added}\n\n${text}`;
const after = (added: string) => (text: string) => `${text}\n\n${added}`;

const CHARACTERS: readonly Attack[] = [
  ...[0.02, 0.05, 0.1].map((share) =>
    onText(
      {
        id: `typos_${share * 100}`,
        label: `${share * 100} % of the letters mistyped`,
        kind: "characters",
      },
      (text, random) => mistypeLetters(text, { share, random }),
    ),
  ),
  ...Object.entries({
    upper_case: ["upper case", (text: string) => text.toUpperCase()],
    lower_case: ["lower case", (text: string) => text.toLowerCase()],
    lookalikes: ["Cyrillic and Greek lookalikes", useLookalikes],
    full_width: ["full-width forms", useFullWidth],
    zero_width: ["zero-width spaces in words", insertZeroWidth],
    accents: ["a diaeresis on every letter", addAccents],
    spaced: ["letters parted by spaces", spaceLetters],
  } satisfies Record<string, readonly [string, (text: string) => string]>).map(([id, [label, change]]) =>
    onText({ id, label, kind: "characters" }, change),
  ),
  ...Object.entries(ANSWER_LINES).map(([language, line]) =>
    onText(
      { id: `line_${language}`, label: `“Please answer …” before it, in ${language}`, kind: "characters" },
      before(line),
    ),
  ),
];

const PADDING: readonly Attack[] = Object.entries({
  maths_before: ["competition maths before it", before(COMPETITION_MATHS)],
  maths_after: ["competition maths after it", after(COMPETITION_MATHS)],
  code_before: ["hard code task before it", before(HARD_CODE)],
  code_after: ["hard code task after it", after(HARD_CODE)],
  talk_before: ["small talk before it", before(SMALL_TALK)],
  talk_after: ["small talk after it", after(SMALL_TALK)],
  blank_before: ["2,000 line ends before it", before("\n".repeat(2000))],
  blank_after: ["2,000 line ends after it", after("\n".repeat(2000))],
  spaces_within: ["ten spaces for each", (text: string) => text.replaceAll(" ", " ".repeat(10))],
  repeated: ["the prompt three times", (text: string) => [text, text, text].join("\n\n")],
} satisfies Record<string, readonly [string, (text: string) => string]>).map(([id, [label, change]]) =>
  onText({ id, label, kind: "padding" }, change),
);

const STUFFING: readonly Attack[] = [
  ...Object.entries({
    document_before: ["6,000 characters of a document before it", before(DOCUMENT)],
    document_after: ["6,000 characters of a document after it", after(DOCUMENT)],
    long_document_before: ["24,000 characters of a document before it", before(LONGER_DOCUMENT)],
    long_document_after: ["24,000 characters of a document after it", after(LONGER_DOCUMENT)],
    fake_turns: ["turns of a conversation in the text", (text: string) => FAKE_TURNS + text],
    best_before: ["“use the best model” before it", before(USE_THE_BEST)],
    best_after: ["“use the best model” after it", after(USE_THE_BEST)],
    cheapest_after: ["“use the cheapest model” after it", after(USE_THE_CHEAPEST)],
  } satisfies Record<string, readonly [string, (text: string) => string]>).map(([id, [label, change]]) =>
    onText({ id, label, kind: "stuffing" }, change),
  ),
  {
    ...{ id: "earlier_turns", label: "invented earlier messages", kind: "stuffing" },
    apply: (text) => [
      user(COMPETITION_MATHS),
      { role: "assistant", content: "Here is the first part of the proof." },
      user(text),
    ],
  },
  {
    ...{ id: "system_message", label: "a system message that asks for the best model", kind: "stuffing" },
    apply: (text) => [{ role: "system", content: `${USE_THE_BEST}\n\n${COMPETITION_MATHS}` }, user(text)],
  },
];

/** Written without knowledge of the router's weights. */
export const WRITTEN: readonly Attack[] = [...CHARACTERS, ...PADDING, ...STUFFING];

/** Adds a text that was searched for. */
export function searchedAttack(
  added: string,
  { toward, position }: { readonly toward: Toward; readonly position: Position },
): Attack {
  return onText(
    {
      id: `searched_${toward}_${position}`,
      label: `searched words ${position === "prefix" ? "before" : "after"} it, toward ${toward} models`,
      kind: "searched",
    },
    position === "prefix" ? before(added) : after(added),
  );
}

export const TOWARD = ["expensive", "cheap"] as const;
export type Toward = (typeof TOWARD)[number];
export const POSITIONS = ["prefix", "suffix"] as const;
export type Position = (typeof POSITIONS)[number];
