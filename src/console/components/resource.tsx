import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Button } from "./controls.js";

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
 * @returns another object after each answer, also where that is the same
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
        setState((last) => ({ ...(last.key === key ? last : {}), key, fault: faultText(error) })),
    );
    return () => leaving.abort();
  }, [key, turn]);
  return useMemo(
    () => ({
      value: state.value,
      fault: state.key === key ? state.fault : undefined,
      isLoading: key !== undefined && state.key !== key,
      reload: () => setTurn((last) => last + 1),
    }),
    [state, key],
  );
}

/** Without the value of another key, for what must not be shown under this one. */
export const current = <Value,>(resource: Resource<Value>): Resource<Value> =>
  resource.isLoading ? { ...resource, value: undefined } : resource;

interface Action<Arguments extends readonly unknown[]> {
  readonly run: (...of: Arguments) => void;
  /** What it was last run with, while it runs. */
  readonly running: Arguments | undefined;
  readonly fault: string | undefined;
}

/** Something that is done on demand. The signal ends when the part of the page that does it closes. */
export function useAction<Arguments extends readonly unknown[]>(
  act: (signal: AbortSignal, ...of: Arguments) => Promise<void>,
): Action<Arguments> {
  const [state, setState] = useState<Pick<Action<Arguments>, "running" | "fault">>({
    running: undefined,
    fault: undefined,
  });
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const run = (...of: Arguments): void => {
    setState({ running: of, fault: undefined });
    act(leaving.current.signal, ...of).then(
      () => setState({ running: undefined, fault: undefined }),
      (error) => setState({ running: undefined, fault: faultText(error) }),
    );
  };
  return { ...state, run };
}

interface LoadedProps<Value> {
  readonly resource: Resource<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

/** Something that is fetched: its fault, the value as far as it is known, or that it is on its way. */
export function Loaded<Value>({
  resource: { value, fault, isLoading, reload },
  children,
}: LoadedProps<Value>) {
  return (
    <>
      {fault !== undefined && (
        <Notice kind="error">
          {fault}{" "}
          <Button look="slim" onClick={reload}>
            Try again
          </Button>
        </Notice>
      )}
      {value !== undefined ? children(value) : fault === undefined && isLoading ? <Loading /> : null}
    </>
  );
}

/** What is said while something is on its way. */
export const Loading = ({ children = "Loading…" }: { readonly children?: ComponentChildren }) => (
  <p class="muted" role="status">
    {children}
  </p>
);

interface NoticeProps {
  readonly kind: "error" | "info" | "success" | "warning";
  readonly children: ComponentChildren;
}

/** A message that concerns the whole of what it stands in. Screen readers say it when it appears. */
export function Notice({ kind, children }: NoticeProps) {
  return (
    <div class={`notice ${kind}`} role={kind === "error" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** What to tell a person of a fault. */
export const faultText = (fault: unknown): string =>
  fault instanceof Error ? fault.message : "Something went wrong. Reload the page.";

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
}

/** What stands where there is nothing to show, and what to do about it. */
export const Empty = ({ title, children }: EmptyProps) => (
  <div class="empty">
    <h2>{title}</h2>
    {children !== undefined && <p class="muted">{children}</p>}
  </div>
);
