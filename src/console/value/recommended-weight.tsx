import { useState } from "preact/hooks";
import { autoWeight, type CostWeights, loadCostWeights } from "../api/router.js";
import { changeSettings, fetchSettings } from "../api/settings.js";
import { Button } from "../components/controls.js";
import { FormDialog } from "../components/dialog.js";
import { Notice, useAction, useResource } from "../components/resource.js";

/** Why it is recommended. */
const BASES: Readonly<Record<CostWeights["recommended"]["basis"], string>> = {
  comparisons: "as good in blind comparisons, at lower cost",
  traffic: "as good on past traffic, at lower cost",
  profiles: "tuned for the profile set in use",
  default: "the default; past traffic and profiles give no reason to change it",
};

/** What is recommended for `auto`, on every page the same, and the button that has it used; nothing while it is not known. */
export function RecommendedWeight({ onUsed = () => {} }: { readonly onUsed?: () => void }) {
  const weights = useResource("cost-weights", loadCostWeights);
  const settings = useResource("settings", fetchSettings);
  const [isAsking, setAsking] = useState(false);
  /** What it was before it was used here; null: as the settings file has it. */
  const [before, setBefore] = useState<{ readonly weight: number | null }>();
  /** @throws Error where somebody else has changed the weight since it was shown here */
  const change = async (weight: number | null, next: typeof before): Promise<void> => {
    const { settings: newest, version } = await fetchSettings();
    const now = newest.auto_cost_weight;
    const isShown = now === (settings.value?.settings.auto_cost_weight ?? now);
    if (isShown) await changeSettings({ auto_cost_weight: weight, version });
    setBefore(isShown ? next : undefined);
    weights.reload();
    settings.reload();
    onUsed();
    if (!isShown) throw new Error(`Somebody else has set it to ${now} since. Nothing was changed.`);
  };
  const undo = useAction(() => change(before?.weight ?? null, undefined));
  const auto = autoWeight(weights.value);
  const isSetHere = settings.value?.sources.auto_cost_weight === "console";
  if (weights.value === undefined || auto === undefined) return null;
  const { cost_weight: recommended, basis } = weights.value.recommended;
  const use = async (): Promise<void> => {
    await change(recommended, { weight: isSetHere ? auto : null });
    setAsking(false);
  };
  return (
    <>
      <div class="row" data-testid="recommended-weight">
        <span>
          Recommended cost weight: <span class="number">{recommended}</span>{" "}
          <span class="muted">({BASES[basis]})</span>. Current default of <code>auto</code>:{" "}
          <span class="number">{auto}</span>.
        </span>
        {auto !== recommended && <Button onClick={() => setAsking(true)}>Use it</Button>}
        {(before !== undefined || isSetHere) && (
          <Button look="quiet" disabled={undo.running !== undefined} onClick={() => undo.run()}>
            {before === undefined ? "Reset to the settings file" : "Undo"}
          </Button>
        )}
      </div>
      {undo.fault !== undefined && <Notice kind="error">{undo.fault}</Notice>}
      {isAsking && (
        <FormDialog
          title={`Use cost weight ${recommended}`}
          action="Use it"
          busyAction="Changing…"
          onClose={() => setAsking(false)}
          onSubmit={use}
        >
          <p>
            Within a second, all instances decide <code>auto</code> at {recommended} instead of {auto}:{" "}
            {recommended > auto ? "cost counts more" : "quality counts more"}. Requests, presets and keys with
            a weight of their own keep it. The change is recorded as an event, and Undo takes it back.
          </p>
        </FormDialog>
      )}
    </>
  );
}
