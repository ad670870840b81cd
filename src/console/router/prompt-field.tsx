import { EXAMPLES, prompt } from "./prompt.js";

export function PromptField() {
  return (
    <div class="stack tight-stack">
      <label class="field">
        <span>Prompt</span>
        <textarea
          class="input"
          rows={6}
          dir="auto"
          spellcheck={false}
          value={prompt.value}
          onInput={(event) => {
            prompt.value = event.currentTarget.value;
          }}
          placeholder="Enter a prompt"
        />
      </label>
      <div class="row">
        <span class="muted small">Examples:</span>
        {EXAMPLES.map((example) => (
          <button
            key={example}
            class="button slim"
            type="button"
            title={example}
            onClick={() => {
              prompt.value = example;
            }}
          >
            {example.split(" ").slice(0, 4).join(" ")}…
          </button>
        ))}
      </div>
    </div>
  );
}
