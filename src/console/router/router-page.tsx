import { Segments } from "../components/controls.js";
import { PageHead } from "../components/page.js";
import { CompareModels } from "./compare-models.js";
import { OnePrompt } from "./one-prompt.js";
import { useQuestion } from "./question.js";
import { SeveralPrompts } from "./several-prompts.js";
import { PastTraffic } from "./traffic/past-traffic.js";

const VIEWS = ["one prompt", "several prompts", "compare", "past traffic"] as const;
type View = (typeof VIEWS)[number];

const LEADS: Readonly<Record<View, string>> = {
  "one prompt":
    "Type a prompt, move the slider, and watch the decision change. No model is called, and nothing is recorded.",
  "several prompts":
    "Which model each prompt goes to, at each cost weight. No model is called, and nothing is recorded.",
  compare:
    "Two models or presets on the same prompts, side by side. Models are called only when you ask, at the cost shown.",
  "past traffic":
    "What other cost weights would have chosen for finished requests, what that would have cost, and how good it would have been.",
};

/** Decisions for a prompt as it is typed, and for the requests of the last days; two models side by side. */
export function RouterPage() {
  const { query, change } = useQuestion();
  const view = VIEWS.find((name) => name === query.get("view")) ?? "one prompt";
  return (
    <>
      <PageHead title="Router" lead={LEADS[view]}>
        <Segments
          label="Decide"
          values={VIEWS}
          value={view}
          onChange={(value) => change({ view: value === "one prompt" ? null : value }, "add")}
        />
      </PageHead>
      {view === "one prompt" && <OnePrompt />}
      {view === "several prompts" && <SeveralPrompts />}
      {view === "compare" && <CompareModels />}
      {view === "past traffic" && <PastTraffic />}
    </>
  );
}
