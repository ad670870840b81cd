import { z } from "zod";
import { closedObject } from "../../foundation/closed-object.js";

/** Parameters of `PUT` and `DELETE /admin/views/{name}`. */
export const viewNameSchema = z.object({ name: z.string().min(1).max(80) });

/** Body of `PUT /admin/views/{name}`. */
export const newViewSchema = closedObject(
  {
    path: z
      .string()
      .max(4000)
      .regex(/^\/(?!\/)[^\s\\]*$/, {
        error: "it must be a path below the console, such as /?by=team&range=30d",
      })
      .describe("Page below the console with its query, such as `/?by=team&range=30d`."),
  },
  "it must be an object with `path`",
);

const savedViewSchema = z.strictObject({
  name: z.string(),
  path: z.string(),
  saved_by: z.string().describe("Id of the key that saved it last."),
  saved_at: z.string().describe("ISO 8601, UTC."),
});

/** Answer of `PUT /admin/views/{name}`. */
export const viewSchema = savedViewSchema.extend({ request_id: z.string() });

/** Answer of `GET /admin/views`. */
export const viewListSchema = z.strictObject({
  object: z.literal("list"),
  data: z.array(savedViewSchema).describe("By name."),
  request_id: z.string(),
});

export type ViewBody = z.infer<typeof savedViewSchema>;

interface StoredView {
  readonly name: string;
  readonly path: string;
  readonly savedBy: string;
  readonly savedAtMs: number;
}

export const viewBody = ({ name, path, savedBy, savedAtMs }: StoredView): ViewBody => ({
  ...{ name, path, saved_by: savedBy },
  saved_at: new Date(savedAtMs).toISOString(),
});
