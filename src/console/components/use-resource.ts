import { useLayoutEffect, useState } from "preact/hooks";
import { messageOf } from "./message-of.js";

/** Something that is fetched: what was last there, and what is wrong now. */
export interface Resource<Value> {
  readonly value: Value | undefined;
  readonly fault: string | undefined;
  readonly isLoading: boolean;
  /** Fetches it again; what was there stays until the new is there. */
  readonly reload: () => void;
}

/**
 * Fetches when the page opens and whenever `key` changes. What comes too late is dropped, so that the last question is the one
 * that is answered.
 *
 * @param key undefined: there is nothing to fetch now
 */
export function useResource<Value>(
  key: string | undefined,
  fetchValue: (signal: AbortSignal) => Promise<Value>,
): Resource<Value> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ key?: string | undefined; value?: Value; fault?: string }>({});
  // Not an effect, which would only begin after the next frame.
  useLayoutEffect(() => {
    if (key === undefined) return;
    const leaving = new AbortController();
    fetchValue(leaving.signal).then(
      (value) => !leaving.signal.aborted && setState({ key, value }),
      (error) =>
        !leaving.signal.aborted &&
        setState((last) => ({ ...(last.key === key ? last : {}), key, fault: messageOf(error) })),
    );
    return () => leaving.abort();
  }, [key, turn]);
  return {
    value: state.value,
    fault: state.key === key ? state.fault : undefined,
    isLoading: key !== undefined && state.key !== key,
    reload: () => setTurn((last) => last + 1),
  };
}
