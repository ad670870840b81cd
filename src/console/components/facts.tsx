import type { ComponentChildren } from "preact";

export interface FactsProps {
  readonly facts: readonly (readonly [name: string, value: ComponentChildren])[];
  /** Further entries of the list. */
  readonly children?: ComponentChildren;
}

/** What is known of one thing, by name, in a card. */
export function Facts({ facts, children }: FactsProps) {
  return (
    <dl class="card padded facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="number">{value}</dd>
        </div>
      ))}
      {children}
    </dl>
  );
}
