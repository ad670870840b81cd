import { useState } from "preact/hooks";
import { type Completion, complete, listNamedModels } from "../api/playground.js";
import { explainAll, loadCostWeights } from "../api/router.js";
import { Button, Field, Suggestions } from "../components/controls.js";
import { count, counted, dollars, duration } from "../components/format.js";
import { Link } from "../components/link.js";
import { Section } from "../components/page.js";
import { Empty, faultText, Loading, Notice, useAction, useResource } from "../components/resource.js";
import { numeric, priced, TableFrame } from "../components/table.js";
import { Facts, Plain } from "../components/text.js";
import { TextBody } from "../components/text-body.js";
import { useSettled } from "../components/use-settled.js";
import { expectedCost, knownSum, weightOf } from "./comparison.js";
import { PromptField, PromptsField, system, TYPING_MS, usePrompts, useQuestion } from "./question.js";

const MOST_TOKENS = 1024;
/** Of an answer that is shown at first. */
const FIRST_CHARACTERS = 600;

const SIDES = ["left", "right"] as const;
type Side = (typeof SIDES)[number];

/** What a side answered to a prompt, or why it did not. */
type Outcome = { readonly completion: Completion; readonly ms: number } | { readonly fault: string };
type Outcomes = ReadonlyMap<string, Outcome>;

/** Of what is asked now. */
const keyOf = (side: Side, prompt: string): string => `${side} ${system.value} ${prompt}`;

/** Two models, or ways to choose one, on the same prompts: what either is expected to cost, and on demand what it answers. */
export function CompareModels() {
  const { query, change } = useQuestion();
  const weights = useResource("cost-weights", loadCostWeights);
  const sides = { left: query.get("left") ?? "", right: query.get("right") ?? "" };
  const { asked } = usePrompts();
  const isReady = asked.length > 0 && sides.left !== "" && sides.right !== "";
  const before = useSettled(system.value, TYPING_MS);
  const expected = useResource(isReady ? JSON.stringify([before, ...asked]) : undefined, (signal) =>
    explainAll(asked, { system: before, runnableOnly: true, signal }),
  );
  const [outcomes, setOutcomes] = useState<Outcomes>(new Map());
  const { run, running, fault } = useAction((signal) =>
    askAll({ sides, prompts: asked, signal }, (key, outcome) =>
      setOutcomes((before) => new Map([...before, [key, outcome]])),
    ),
  );
  const costsOf = (side: Side): readonly (number | null)[] =>
    (expected.value ?? []).map((explanation) =>
      expectedCost(explanation, {
        model: sides[side],
        weight: weightOf(sides[side], weights.value?.named ?? []),
      }),
    );
  const isPriced = isReady && expected.value !== undefined && !expected.isLoading;
  return (
    <>
      <AskForm
        sides={sides}
        requests={2 * asked.length}
        cost={isPriced ? costText(knownSum(SIDES.flatMap(costsOf))) : ""}
        state={running !== undefined ? "asking" : isReady ? "ready" : "incomplete"}
        onChoose={(side, model) => {
          setOutcomes(new Map());
          change({ [side]: model });
        }}
        onAsk={() => run()}
      />
      {(fault ?? expected.fault) !== undefined && <Notice kind="error">{fault ?? expected.fault}</Notice>}
      {!isReady ? (
        <Empty title="Nothing to compare yet">Name two models or presets, and enter prompts.</Empty>
      ) : (
        <>
          {expected.isLoading && <Loading>Working out the cost…</Loading>}
          <Totals sides={sides} outcomes={outcomes} prompts={asked} costsOf={costsOf} />
          {asked.map((prompt) => (
            <Pair key={prompt} prompt={prompt} sides={sides} outcomes={outcomes} />
          ))}
        </>
      )}
    </>
  );
}

interface AskFormProps {
  readonly sides: Readonly<Record<Side, string>>;
  readonly requests: number;
  /** What they are expected to cost, in a sentence; empty while it is not known. */
  readonly cost: string;
  readonly state: "incomplete" | "ready" | "asking";
  readonly onChoose: (side: Side, model: string) => void;
  readonly onAsk: () => void;
}

/** Who is asked what, and what that will cost. */
function AskForm({ sides, requests, cost, state, onChoose, onAsk }: AskFormProps) {
  const models = useResource("models", listNamedModels);
  return (
    <section class="stack" aria-label="Question">
      <div class="side-by-side">
        {SIDES.map((side) => (
          <Field
            key={side}
            label={side === "left" ? "Model or preset" : "Compared with"}
            list="runnable-models"
            value={sides[side]}
            placeholder={side === "left" ? "auto:0.3" : "gpt-5.4-mini"}
            onInput={(event) => onChoose(side, event.currentTarget.value.trim())}
          />
        ))}
      </div>
      <Suggestions id="runnable-models" values={models.value ?? []} />
      <PromptField label="System prompt" placeholder="none" of={system} rows={2} />
      <PromptsField>
        <Button look="primary slim" disabled={state !== "ready"} onClick={onAsk}>
          {state === "asking" ? "Asking…" : `Ask both: ${counted(requests, "request")}`}
        </Button>
        <span class="muted" role="status">
          {cost}
        </span>
      </PromptsField>
      <p class="muted small">
        Billed by the providers, counted for your key, traced with <code>console = comparison</code>; at most{" "}
        {count(MOST_TOKENS)} tokens an answer.
      </p>
    </section>
  );
}

const costText = ({ usd, unknown }: ReturnType<typeof knownSum>): string =>
  `Expected to cost ${unknown === 0 ? "" : "at least "}${dollars(usd)}${unknown === 0 ? "" : `; of ${count(unknown)} answers it is not known`}.`;

interface Asking {
  readonly sides: Readonly<Record<Side, string>>;
  readonly prompts: readonly string[];
  readonly signal: AbortSignal;
}

/** Both sides of one prompt after the other, so that both meet providers in the same state. */
async function askAll(
  { sides, prompts: all, signal }: Asking,
  onOutcome: (key: string, outcome: Outcome) => void,
): Promise<void> {
  for (const prompt of all) {
    await Promise.all(
      SIDES.map(async (side) => {
        const startMs = performance.now();
        try {
          const completion = await complete(
            { model: sides[side], prompt, system: system.value, maxTokens: MOST_TOKENS },
            signal,
          );
          onOutcome(keyOf(side, prompt), { completion, ms: performance.now() - startMs });
        } catch (error) {
          signal.throwIfAborted();
          onOutcome(keyOf(side, prompt), { fault: faultText(error) });
        }
      }),
    );
  }
}

interface TotalsProps extends Pick<Asking, "sides" | "prompts"> {
  readonly outcomes: Outcomes;
  readonly costsOf: (side: Side) => readonly (number | null)[];
}

/** Both sides over all prompts. */
function Totals({ sides, prompts: all, outcomes, costsOf }: TotalsProps) {
  const totalOf = (side: Side) => {
    const answered = all.flatMap((prompt) => {
      const outcome = outcomes.get(keyOf(side, prompt));
      return outcome !== undefined && "completion" in outcome ? outcome : [];
    });
    const failed = all.filter((prompt) => {
      const outcome = outcomes.get(keyOf(side, prompt));
      return outcome !== undefined && "fault" in outcome;
    });
    const expected = knownSum(costsOf(side));
    const billed = knownSum(answered.map(({ completion }) => completion.usage.total_cost_usd));
    const ms = answered.reduce((sum, outcome) => sum + outcome.ms, 0);
    return { side, model: sides[side], answered, failed: failed.length, expected, billed, ms };
  };
  type Total = ReturnType<typeof totalOf>;
  return (
    <TableFrame
      label="Both over all prompts"
      rows={SIDES.map(totalOf)}
      keyOf={({ side }) => side}
      columns={[
        { head: "Model or preset", look: "clip", cell: ({ model }) => <Plain text={model} /> },
        priced<Total>("Expected cost", ({ expected }) =>
          expected.unknown === all.length ? null : expected.usd,
        ),
        priced<Total>("Billed", ({ billed, answered }) => (answered.length === 0 ? null : billed.usd)),
        numeric<Total>("Answers", ({ answered }) => count(answered.length)),
        numeric<Total>("Failed", ({ failed }) => count(failed)),
        numeric<Total>("Tokens out", ({ answered }) =>
          count(answered.reduce((sum, { completion }) => sum + completion.usage.completion_tokens, 0)),
        ),
        numeric<Total>("Mean time", ({ answered, ms }) =>
          duration(answered.length === 0 ? null : ms / answered.length),
        ),
      ]}
    />
  );
}

interface PairProps extends Pick<Asking, "sides"> {
  readonly prompt: string;
  readonly outcomes: Outcomes;
}

/** A prompt with both answers; nothing before it was asked. */
function Pair({ prompt, sides, outcomes }: PairProps) {
  const found = SIDES.map((side) => [side, outcomes.get(keyOf(side, prompt))] as const);
  if (found.every(([, outcome]) => outcome === undefined)) return null;
  return (
    <Section title={<Plain text={prompt} />}>
      <div class="side-by-side">
        {found.map(([side, outcome]) => (
          <article key={side} class="stack" aria-label={`Answer of ${sides[side]}`}>
            <strong>
              <Plain text={sides[side]} />
            </strong>
            {outcome === undefined ? (
              <Loading>Asking…</Loading>
            ) : "fault" in outcome ? (
              <Notice kind="error">{outcome.fault}</Notice>
            ) : (
              <Answer {...outcome} />
            )}
          </article>
        ))}
      </div>
    </Section>
  );
}

function Answer({ completion, ms }: Extract<Outcome, { completion: unknown }>) {
  const { usage, model, request_id: id } = completion;
  const content = completion.choices[0]?.message.content ?? "";
  return (
    <>
      <TextBody text={typeof content === "string" ? content : ""} characters={FIRST_CHARACTERS} />
      <Facts
        facts={[
          ["Model", <Plain key="model" text={model} />],
          ["Cost", dollars(usage.total_cost_usd)],
          ["Tokens in / out", `${count(usage.prompt_tokens)} / ${count(usage.completion_tokens)}`],
          ["Time", duration(ms)],
          [
            "Trace",
            <Link key="trace" href={`/traces/${id}`}>
              …{id.slice(-8)}
            </Link>,
          ],
        ]}
      />
    </>
  );
}
