import type { ModelProfile } from "../../engine/profiles/model-profile.js";

/** What is expected of a model on a topic. */
export interface TopicStrength {
  readonly quality: number;
  /** Standard error. */
  readonly error: number;
  /** Share of the topic's anchors that the model was scored on. */
  readonly measured: number;
}

/** What is expected of a model on each topic of its set, as decisions estimate it, `[topics]`. */
export function topicStrengths({ table, facts }: ModelProfile): readonly TopicStrength[] {
  return Array.from(table.quality, (quality, topic) => {
    const measured = table.coverage[topic] as number;
    // Of the skill: where the topic was scored, and where it was not.
    const variance = measured * facts.measured_variance + (1 - measured) * facts.placed_variance;
    return { quality, measured, error: Math.max(quality * (1 - quality), 0.01) * Math.sqrt(variance) };
  });
}
