import { SCOPES } from "./scopes.js";

export function ScopeChoice() {
  return (
    <fieldset class="scope-list">
      <legend class="field-name">Scopes</legend>
      {Object.entries(SCOPES).map(([scope, meaning]) => (
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
