export interface TopicPool {
  /** Prompts of the topic that could be labelled. */
  readonly prompts: number;
  /** Prompts of the topic that are labelled already. */
  readonly graded: number;
}

/**
 * Shares labels out over the topics so that, with the labels there are, each topic has a share like its share of all prompts
 * (proportional allocation by the method of Webster and Sainte-Laguë). Ties go to the first topic. O(labels × topics).
 *
 * @param count at most the number of prompts
 * @returns labels of each topic, `[topics]`
 */
export function shareLabels(count: number, pools: readonly TopicPool[]): Uint32Array {
  const labels = new Uint32Array(pools.length);
  for (let label = 0; label < count; label++) {
    let next = -1;
    let most = 0;
    pools.forEach(({ prompts, graded }, topic) => {
      const given = labels[topic] as number;
      const quotient = (prompts + graded) / (given + graded + 0.5);
      if (given < prompts && quotient > most) [next, most] = [topic, quotient];
    });
    if (next < 0) break;
    labels[next] = (labels[next] as number) + 1;
  }
  return labels;
}
