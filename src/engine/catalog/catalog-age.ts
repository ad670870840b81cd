import { ofCatalog } from "./catalog-file.js";

const DAY_MS = 86_400_000;
/** New models come every week: after a month some that people call are not known (guess). */
const OLD_DAYS = 30;

const asOf = ofCatalog(({ as_of }) => as_of);

/** A note that models and prices are those of more than 30 days ago; none before. */
export function catalogAgeNotes(at: Date): readonly string[] {
  const days = Math.floor((at.getTime() - Date.parse(asOf())) / DAY_MS);
  if (days <= OLD_DAYS) return [];
  return [
    `Models and prices are those of ${asOf()}, ${days} days ago: newer models have no price, and are not chosen. ` +
      "A newer version of the package has newer ones, and `sextant catalog update` takes its `catalog/models.json` alone; in a checkout `npm run catalog:update` writes those of today.",
  ];
}
