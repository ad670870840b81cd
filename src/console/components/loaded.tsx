import type { ComponentChildren } from "preact";
import { Loading } from "./loading.js";
import { Notice } from "./notice.js";
import type { Resource } from "./use-resource.js";

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
          <button class="button slim" type="button" onClick={reload}>
            Try again
          </button>
        </Notice>
      )}
      {value !== undefined ? children(value) : fault === undefined && isLoading ? <Loading /> : null}
    </>
  );
}
