/** Names of the forms in which traces leave; each is also the usual extension of such files. */
export const EXPORT_FORMAT_NAMES = ["jsonl", "parquet"] as const;

export type ExportFormatName = (typeof EXPORT_FORMAT_NAMES)[number];
