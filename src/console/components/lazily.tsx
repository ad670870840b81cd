import type { ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loading } from "./loading.js";
import { Notice } from "./notice.js";

/** A page whose code is fetched when it is first opened. */
export function lazily(load: () => Promise<ComponentType>): () => VNode {
  let Page: ComponentType | undefined;
  return function LazyPage() {
    const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
    useEffect(() => {
      if (Page !== undefined) return;
      load().then(
        (page) => {
          Page = page;
          setState("loaded");
        },
        () => setState("failed"),
      );
    }, []);
    if (Page !== undefined) return <Page />;
    if (state === "failed") {
      return <Notice kind="error">The page could not be loaded. Reload it in the browser.</Notice>;
    }
    return <Loading />;
  };
}
