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

interface Range {
  /** Both inclusive. */
  readonly from: number;
  readonly to: number;
  /** ` of milliseconds`. */
  readonly unit?: string;
}

/** `usual`: the default. */
type UsualRange = Range & { readonly usual: number };

/** Texts become numbers where they can, so that one schema reads both the environment and the file. */
export const numberFromText = (schema: z.ZodType<number>) =>
  z.preprocess((value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : value), schema);

const wholeFromText = ({ from, to }: Range) => numberFromText(z.int().min(from).max(to));
const expectsWhole = ({ from, to, unit = "" }: Range): FieldMeta => ({
  expects: `a whole number${unit} from ${from} to ${to}`,
});

export const whole = (range: UsualRange, description: string) =>
  field(wholeFromText(range).default(range.usual), description, expectsWhole(range));

export const wholeOrNone = (range: Range, description: string) =>
  field(wholeFromText(range).optional(), description, expectsWhole(range));

export const decimal = ({ from, to, usual }: UsualRange, description: string) =>
  field(numberFromText(z.number().min(from).max(to)).default(usual), description, {
    expects: `a number from ${from} to ${to}`,
  });

/** A time of at most a day. */
export const milliseconds = (usual: number, description: string) =>
  whole({ from: 1, to: 86_400_000, usual, unit: " of milliseconds" }, description);

export const switchField = ({ usual }: { readonly usual: boolean }, description: string) =>
  field(
    z
      .preprocess((value) => (value === "true" ? true : value === "false" ? false : value), z.boolean())
      .default(usual),
    description,
    { expects: "`true` or `false`" },
  );

interface Values<Value extends string> {
  readonly values: readonly Value[];
  readonly usual: NoInfer<Value>;
}

export const oneOf = <Value extends string>({ values, usual }: Values<Value>, description: string) => {
  const quoted = values.map((value) => `\`${value}\``);
  const expects = `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  return field(z.enum(values).default(usual as z.util.NoUndefined<Value>), description, { expects });
};

/** A list, written with commas in the environment. */
export const listFromText = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value) => (typeof value === "string" ? value.split(",").map((part) => part.trim()) : value),
    z.array(item).min(1),
  );
