/** What settings of all areas are described with. */
import { z } from "zod";

/** What a bad value is told: the words after "it must be". */
export interface FieldMeta {
  readonly expects: string;
  readonly secret?: true;
}

export const field = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  meta: FieldMeta,
): Schema => schema.meta({ description, ...meta }) as Schema;

/** Texts become numbers where they can, so that one schema reads both the environment and the file. */
export const numberFromText = (schema: z.ZodType<number>) =>
  z.preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);

export const listFromText = z.preprocess(
  (value) => (typeof value === "string" ? value.split(",").map((item) => item.trim()) : value),
  z.array(z.string().min(1)).min(1),
);

export const flag = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean(),
);

export const milliseconds = (defaultValue: number) =>
  numberFromText(z.int().min(1).max(86_400_000)).default(defaultValue);
export const MILLISECONDS = "a whole number of milliseconds from 1 to 86400000";
