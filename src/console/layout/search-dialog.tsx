import { useEffect, useId, useState } from "preact/hooks";
import { navigate } from "wouter-preact/use-browser-location";
import { attention } from "../api/attention.js";
import { documentationAt, listDocumentation } from "../api/documentation.js";
import { listKeys } from "../api/keys.js";
import { reloadProfiles } from "../api/router.js";
import { findText, traceValues } from "../api/traces.js";
import { Dialog } from "../components/dialog.js";
import { BASE } from "../components/link.js";
import { show } from "../components/overlay.js";
import { Loading, Notice, useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { chooseTheme, THEMES } from "../components/theme.js";
import { useSettled } from "../components/use-settled.js";
import { KeyDialogs, type OpenDialog } from "../keys/key-dialogs.js";
import { choicesFor, type PauseChoice } from "../pauses/pause-choices.js";
import { openPause } from "../pauses/pause-dialog.js";
import { PAGES } from "./pages.js";
import { type SearchEntry, searchResults, valueEntries } from "./search-results.js";

const TYPING_MS = 200;

/** A text of one character is in most traces. */
const LEAST_CHARACTERS = 2;

/** The arrows choose among the results, Enter opens the chosen one; the focus stays in the field. */
export function SearchDialog() {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const wanted = text.trim();
  const settled = useSettled(wanted, TYPING_MS);
  const asked = settled.length < LEAST_CHARACTERS ? undefined : settled;
  const found = useResource(asked, (signal) => findText(settled, signal));
  const isKnown = settled === wanted && !found.isLoading;
  const results = searchResults(text, {
    entries: useEntries(),
    found: asked && isKnown ? found.value : undefined,
  });
  const option = (at: number): HTMLElement | null => document.getElementById(`${id}-${at}`);
  useEffect(() => option(chosen)?.scrollIntoView({ block: "nearest" }), [chosen]);
  const move = (event: KeyboardEvent): void => {
    if (event.key === "Enter") option(chosen)?.click();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || results.length === 0) return;
    event.preventDefault();
    setChosen((chosen + step + results.length) % results.length);
  };
  const choose = (to: SearchEntry[2]): void => {
    show(null);
    if (typeof to !== "string") to();
  };
  return (
    <Dialog title="Find" onClose={() => show(null)}>
      <input
        class="input"
        role="combobox"
        autofocus
        autocomplete="off"
        aria-label="Text, id, name or action"
        aria-expanded={results.length > 0}
        aria-controls={id}
        aria-activedescendant={results.length > 0 ? `${id}-${chosen}` : undefined}
        placeholder="Text of a prompt, id, key, model, customer, page, action"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={move}
      />
      <div class="search-results" role="listbox" id={id} aria-label="Results" hidden={results.length === 0}>
        {results.map(([group, text, to], at) => (
          <a
            key={`${group} ${text}`}
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === chosen}
            href={typeof to === "string" ? to : undefined}
            target={group === "Documentation" ? "_blank" : undefined}
            onClick={() => choose(to)}
          >
            <span class={group === results[at - 1]?.[0] ? "unseen" : "muted small"}>{group}</span>{" "}
            <Plain text={text} />
          </a>
        ))}
      </div>
      {!isKnown ? <Loading>Searching…</Loading> : results.length === 0 && <p role="status">Nothing found</p>}
    </Dialog>
  );
}

/** Everything that has a name, and what can be done. */
function useEntries(): readonly SearchEntry[] {
  const keys = useResource("keys", (signal) => listKeys(signal));
  const { value: values } = useResource("values", traceValues);
  const docs = useResource("docs", listDocumentation);
  const pause = (label: string, choices: readonly PauseChoice[]): SearchEntry => [
    "Actions",
    `Pause ${label}`,
    () => openPause({ choices }),
  ];
  return [
    ...PAGES.map(({ path, title }): SearchEntry => ["Pages", title, `${BASE}${path}`]),
    ["Actions", "Send a test prompt", `${BASE}/start`],
    ["Actions", "Create key", () => show(<NewKey />)],
    ...THEMES.map((name): SearchEntry => ["Actions", `${name} colours`, () => chooseTheme(name)]),
    ["Actions", "Reload profiles", () => show(<Reload />)],
    ...(values?.models ?? []).map((model) => pause(`model ${model}`, choicesFor(model, null))),
    ...(attention.value.value?.providers ?? []).map((id) => pause(`provider ${id}`, choicesFor(null, id))),
    ...(keys.value ?? []).map(({ id, name }): SearchEntry => ["Keys", name, `${BASE}/keys/${id}`, id]),
    ...(values === undefined ? [] : valueEntries(values)),
    ...(docs.value ?? []).map(
      ({ path, title }): SearchEntry => ["Documentation", title, documentationAt(path), path],
    ),
  ];
}

/** Open as long as it takes: an answer that comes when it is closed opens nothing. */
function Reload() {
  const { fault } = useResource("reload", async (signal) => {
    await reloadProfiles();
    if (signal.aborted) return;
    show(null);
    navigate(`${BASE}/profiles`);
  });
  return (
    <Dialog title="Reload profiles" onClose={() => show(null)}>
      {fault === undefined ? <Loading>Reloading…</Loading> : <Notice kind="error">{fault}</Notice>}
    </Dialog>
  );
}

function NewKey() {
  const [dialog, setDialog] = useState<OpenDialog | null>({ dialog: "create" });
  return <KeyDialogs open={dialog} onOpen={setDialog} onChanged={() => {}} />;
}
