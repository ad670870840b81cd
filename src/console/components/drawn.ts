import { type ComponentChild, h } from "preact";
import type { Element } from "../../workbench/report/element.js";
import { ScrollArea } from "./scroll-area.js";
import { named } from "./text.js";

/** What a report draws, as elements of the page. Texts are shown as text, whatever they hold. */
export function drawn(part: Element | string): ComponentChild {
  if (typeof part === "string") return named(part);
  const { tag, attributes, content } = part;
  if (attributes.class === "scroll")
    return h(ScrollArea, { label: String(attributes["aria-label"]), children: content.map(drawn) });
  return h(tag, attributes, ...content.map(drawn));
}
