import type { TraceDimension as Dimension } from "../../gateway/features/traces/schema/series.js";
import { namesOf } from "./names.js";

export type { Dimension };

type NamedDimension = Exclude<Dimension, `metadata.${string}`>;

/** What figures can be split by beside metadata, with the filter that finds the traces of one value, where there is one. */
const DIMENSION_FILTERS: Readonly<Record<NamedDimension, string | null>> = {
  model: "model_id",
  provider: "provider",
  source: "source",
  key: "key",
  kind: "kind",
  effort: "effort",
  preset: null,
  day: null,
};

export const DIMENSIONS = namesOf(DIMENSION_FILTERS);

/** What an address calls a dimension: any other name is a metadata key, with or without `metadata.` before it. */
export function dimensionNamed(name: string | null): Dimension {
  if (name === null || name === "") return "model";
  const known = DIMENSIONS.find((dimension) => dimension === name);
  return known ?? `metadata.${name.replace(/^metadata\./, "")}`;
}

/** The filter that finds the traces of a value of the dimension, under its name in the API; null where there is none. */
export const filterOf = (dimension: Dimension): string | null =>
  dimension in DIMENSION_FILTERS ? DIMENSION_FILTERS[dimension as NamedDimension] : dimension;

/** As people call it: metadata by its key. */
export const dimensionTitle = (dimension: string): string => dimension.replace(/^metadata\./, "");
