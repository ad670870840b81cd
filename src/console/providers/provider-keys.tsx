import type { Provider } from "../api/providers.js";
import { count, duration, percent, share } from "../components/format.js";
import { type Column, numeric, TableFrame } from "../components/table.js";
import { Plain, TwoLines } from "../components/text.js";

type Key = Provider["keys"][number];

/** The keys of a provider that has several, by their names. */
export const ProviderKeys = ({ provider }: { readonly provider: Provider }) => (
  <TableFrame
    label={`Keys of ${provider.id}`}
    class="provider-keys"
    columns={COLUMNS}
    rows={provider.keys}
    keyOf={({ name }) => name}
  />
);

const COLUMNS: readonly Column<Key>[] = [
  { head: "Key", look: "clip", titleOf: ({ name }) => name, cell: ({ name }) => <Plain text={name} /> },
  { head: "State", cell: (key) => <State of={key} /> },
  {
    head: "Resting for",
    hint: "Vendors limit each model by itself",
    cell: ({ models }) => {
      const resting = models.filter(({ state }) => state !== "usable");
      return (
        <>
          {resting.map((model) => (
            <div key={model.upstream_model}>
              <Plain text={model.upstream_model} /> <State of={model} />
            </div>
          ))}
        </>
      );
    },
  },
  numeric("Weight", ({ weight }) => weight),
  numeric("In flight", ({ in_flight: calls }) => count(calls)),
  numeric("Calls", ({ calls }) => count(calls)),
  numeric("Failed", ({ calls, failures }) => percent(share(failures, calls))),
];

const LOOKS: Readonly<Record<Key["state"], { readonly look: string; readonly words: string }>> = {
  usable: { look: "good", words: "usable" },
  resting: { look: "warn", words: "resting" },
  refused: { look: "bad", words: "refused" },
  not_set: { look: "bad", words: "not set" },
};

function State({ of }: { readonly of: Pick<Key, "state" | "reason" | "rests_for_ms"> }) {
  const { look, words } = LOOKS[of.state];
  const below = of.reason === null ? null : `${of.reason}, again in ${duration(of.rests_for_ms)}`;
  return (
    <TwoLines below={below}>
      <span class={`pill ${look}`}>{words}</span>
    </TwoLines>
  );
}
