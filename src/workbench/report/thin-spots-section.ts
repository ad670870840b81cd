import type { SetReport } from "../../engine/profiles/set-report.js";
import { type Element, element } from "./element.js";
import { count, counted } from "./figures.js";
import { note, section } from "./section.js";

/** Topics on which graded answers could improve decisions. */
export function thinSpotsSection({ thin_spots: spots }: SetReport): Element {
  const title = "Where labels would help most";
  if (spots.length === 0)
    return section("thin", title, note("Nowhere: the best models are told apart on every topic."));
  return section(
    "thin",
    title,
    note(
      "Topics on which the best models are not told apart, weighted by their share of the anchors, and the quality that knowing their order would bring to a prompt there. ",
      element("code", {}, "sextant profile label-next MODEL"),
      " chooses the prompts to label (to grade answers of).",
    ),
    element("ol", { class: "spots" }, spots.map(itemOf)),
  );
}

function itemOf({
  topic,
  anchors,
  at_stake: atStake,
  between,
  label,
}: SetReport["thin_spots"][number]): Element {
  const labels =
    label.samples < anchors
      ? `${label.model} is graded on ${count(label.samples)} of them`
      : "both are graded on all of them: add prompts of this kind";
  return element(
    "li",
    {},
    element("strong", {}, topic),
    ` (${counted(anchors, "anchor")}): up to ${(100 * atStake).toFixed(2)} points of quality, between ${between.join(" and ")}; ${labels}`,
  );
}
