import { PageHead, Tabs } from "../components/page.js";
import { CompareModels } from "./compare-models.js";
import { OnePrompt } from "./one-prompt.js";
import { useQuestion } from "./question.js";
import { SeveralPrompts } from "./several-prompts.js";

const VIEWS = ["One prompt", "Several prompts", "Compare"] as const;

/** The address of a view, which keeps what the others have in it. */
function hrefOf(view: string, query: URLSearchParams): string {
  const next = new URLSearchParams(query);
  next.delete("view");
  if (view !== VIEWS[0]) next.set("view", view.toLowerCase());
  return `/router${next.size === 0 ? "" : `?${next}`}`;
}

/** Decisions for a prompt as it is typed, and for several; two models side by side. */
export function RouterPage() {
  const { query } = useQuestion();
  const view = VIEWS.find((name) => name.toLowerCase() === query.get("view")) ?? VIEWS[0];
  return (
    <>
      <PageHead title="Router" />
      <Tabs label="Views" tabs={VIEWS.map((name) => ({ name, href: hrefOf(name, query) }))} current={view} />
      {view === "One prompt" && <OnePrompt />}
      {view === "Several prompts" && <SeveralPrompts />}
      {view === "Compare" && <CompareModels />}
    </>
  );
}
