import type { Scope } from "../api/keys.js";

const MEANINGS: readonly { readonly scope: Scope; readonly meaning: string }[] = [
  { scope: "inference", meaning: "Run models and route prompts." },
  { scope: "traces:read", meaning: "Read traces of its own source." },
  { scope: "traces:read:all", meaning: "Read traces of every source." },
  { scope: "admin", meaning: "Everything, including this console and other keys." },
];

export function ScopeChoice() {
  return (
    <fieldset class="scope-list">
      <legend class="field-name">Scopes</legend>
      {MEANINGS.map(({ scope, meaning }) => (
        <label key={scope} class="tick">
          <input type="checkbox" name="scope" value={scope} defaultChecked={scope === "inference"} />
          <span>
            <code>{scope}</code>
            <small class="hint">{meaning}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
