import type { ComponentType, VNode } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { BASE } from "./link.js";
import { Loading, Notice } from "./resource.js";

/**
 * A page, or a part of one, whose code is fetched when it is first shown.
 *
 * @param path address of the page, whose code is fetched as soon as it is opened there; null: of a part of pages
 */
export function lazily<Props extends object>(
  path: string | null,
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => VNode {
  let Page: ComponentType<Props> | undefined;
  const loadPage = async (): Promise<void> => {
    Page = await load();
  };
  if (path !== null && location.pathname === `${BASE}${path}`) loadPage().catch(() => {});
  return function LazyPage(props) {
    const [state, setState] = useState(Page === undefined ? "loading" : "loaded");
    // Not an effect, which would only begin after the next frame.
    useLayoutEffect(() => {
      if (state !== "loaded") {
        loadPage().then(
          () => setState("loaded"),
          () => setState("failed"),
        );
      }
    }, []);
    if (Page !== undefined) return <Page {...props} />;
    if (state === "failed") {
      return <Notice kind="error">The page could not be loaded. Reload it in the browser.</Notice>;
    }
    return <Loading />;
  };
}
