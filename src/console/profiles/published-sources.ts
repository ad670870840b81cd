interface PublishedScore {
  readonly benchmark: string;
  readonly source: string;
  readonly date: string | null;
}

interface PublishedSource {
  readonly source: string;
  /** Where it can be read; null when the source does not say. */
  readonly href: string | null;
  /** The only date of its scores, or the first and the last; null when it gives none. */
  readonly dates: string | null;
  /** Each once, in the order given. */
  readonly benchmarks: readonly string[];
}

/** What a model was placed by, source by source, in the order given. */
export function publishedSources(published: readonly PublishedScore[]): readonly PublishedSource[] {
  const sources = [...new Set(published.map(({ source }) => source))];
  return sources.map((source) => {
    const scores = published.filter((score) => score.source === source);
    return {
      source,
      href: addressOf(source),
      dates: datesOf(scores),
      benchmarks: [...new Set(scores.map(({ benchmark }) => benchmark))],
    };
  });
}

function datesOf(scores: readonly PublishedScore[]): string | null {
  const dates = scores.flatMap(({ date }) => date ?? []).toSorted();
  const [first, last] = [dates[0], dates.at(-1)];
  if (first === undefined || last === undefined) return null;
  return first === last ? first : `${first} to ${last}`;
}

/** An address of the web, or a commit of a repository: `owner/name@0123abcd`, also behind "…, by ". */
function addressOf(source: string): string | null {
  if (/^https:\/\/[^\s]+$/.test(source)) return source;
  const [, repository, commit] = /(?:^|by )([\w.-]+\/[\w.-]+)@([0-9a-f]{7,40})$/.exec(source) ?? [];
  return repository === undefined ? null : `https://github.com/${repository}/tree/${commit}`;
}
