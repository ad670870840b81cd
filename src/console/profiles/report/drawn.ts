import { type ComponentChild, h } from "preact";
import type { Element } from "../../../report/element.js";
import { named } from "../../components/plain.js";

/** What a report draws, as elements of the page. Texts are shown as text, whatever they hold. */
export const drawn = (part: Element | string): ComponentChild =>
  typeof part === "string" ? named(part) : h(part.tag, part.attributes, ...part.content.map(drawn));
