import { METADATA } from "./filters.js";

type Metadata = Readonly<Record<string, string | number | boolean>>;

/** Keys whose values few requests share, by their names (a guess): not `env`, `team` or `tier`. */
export const namesFew = (key: string): boolean =>
  /id$|session|conversation|thread|chat|user|customer|order|ticket|case/i.test(key);

/** Keys that name a conversation, by their names (a guess). */
export const namesConversation = (key: string): boolean => /session|conversation|thread|chat/i.test(key);

/** The tag that names the conversation of a request, as a filter of traces; undefined without one. */
export function conversationOf(metadata: Metadata): string | undefined {
  const tag = Object.entries(metadata).find(([key]) => namesConversation(key));
  return tag && tagQuery(...tag);
}

export const tagQuery = (key: string, value: string | number | boolean): string =>
  new URLSearchParams({ [`${METADATA}${key}`]: String(value) }).toString();

/** The traces with those of one conversation as one, the first of them. @returns each with the number of its turns here */
export function groupedTurns<Row extends { readonly metadata: Metadata; readonly request_id: string }>(
  traces: readonly Row[],
): readonly { readonly trace: Row; readonly turns: number }[] {
  const names = traces.map(({ metadata, request_id: id }) => conversationOf(metadata) ?? id);
  return traces.flatMap((trace, at) => {
    const turns = names.filter((name) => name === names[at]).length;
    return names.indexOf(names[at] ?? "") === at ? [{ trace, turns }] : [];
  });
}
