import { ByteWriter, type ColumnSource, ParquetWriter } from "hyparquet-writer";

/**
 * What a column holds: `name`, a short string, of which there are often few; `text`, a string of any length, of which
 * the footer repeats no part; `int64`, a safe integer; `double`; `timestamp`, milliseconds since the epoch, kept as
 * microseconds UTC.
 */
export type ColumnType = "name" | "text" | "int64" | "double" | "timestamp";

export type ColumnValue = string | number | null;

export interface ParquetColumn {
  readonly name: string;
  readonly type: ColumnType;
  /** `absent if empty`: optional, and not in the file at all when no row has a value. */
  readonly presence: "required" | "optional" | "absent if empty";
}

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]["schema"][number];

const ELEMENTS: Readonly<Record<ColumnType, Omit<SchemaElement, "name">>> = {
  name: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  int64: { type: "INT64" },
  double: { type: "DOUBLE" },
  timestamp: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
};

/** To look for texts that are alike costs more than it saves: compression finds them too. */
const ENCODINGS: Readonly<Record<ColumnType, Pick<ColumnSource, "statistics" | "encoding">>> = {
  name: {},
  text: { encoding: "PLAIN", statistics: false },
  int64: {},
  double: {},
  timestamp: {},
};

/**
 * A Parquet file as it comes into being, one row group after the other: what was handed out is not kept, but for some 20 bytes
 * a column and group of the footer. Compressed by Snappy, which every reader knows.
 *
 * Half a surrogate pair becomes U+FFFD.
 */
export class ParquetFile {
  readonly #columns: readonly ParquetColumn[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  readonly #filled = new Set<string>();

  constructor(columns: readonly ParquetColumn[]) {
    this.#columns = columns;
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaOf(columns),
      createdBy: "sextant",
    });
  }

  /** The first bytes. */
  begin(): Uint8Array<ArrayBuffer> {
    return this.#taken();
  }

  /**
   * The bytes of a row group.
   *
   * @param values of each column, in their order: a list of the same length each, at least one long
   */
  group(values: readonly (readonly ColumnValue[])[]): Uint8Array<ArrayBuffer> {
    const columnData = this.#columns.map((column, at): ColumnSource => {
      const own = values[at] ?? [];
      if (own.some((value) => value !== null)) this.#filled.add(column.name);
      const data = own.map((value) => stored(value, column.type));
      return { name: column.name, data, offsetIndex: false, ...ENCODINGS[column.type] };
    });
    void this.#writer.write({ columnData, rowGroupSize: values[0]?.length ?? 0 });
    return this.#taken();
  }

  /** The bytes of the footer. */
  end(): Uint8Array<ArrayBuffer> {
    const absent = this.#columns.filter(
      ({ name, presence }) => presence === "absent if empty" && !this.#filled.has(name),
    );
    if (absent.length > 0) this.#leaveOut(absent.map(({ name }) => name));
    void this.#writer.finish();
    return this.#taken();
  }

  /** Their pages, which hold nothing, stay where they are, and the footer does not name them. */
  #leaveOut(names: readonly string[]): void {
    this.#writer.schema = schemaOf(this.#columns.filter(({ name }) => !names.includes(name)));
    for (const group of this.#writer.row_groups) {
      group.columns = group.columns.filter(
        (chunk) => !names.includes(chunk.meta_data?.path_in_schema[0] ?? ""),
      );
    }
  }

  #taken(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return taken;
  }
}

const schemaOf = (columns: readonly ParquetColumn[]): SchemaElement[] => [
  { name: "schema", num_children: columns.length },
  ...columns.map(({ name, type, presence }): SchemaElement => {
    const repetition_type = presence === "required" ? "REQUIRED" : "OPTIONAL";
    return { name, repetition_type, ...ELEMENTS[type] };
  }),
];

function stored(value: ColumnValue, type: ColumnType): ColumnValue | bigint {
  if (typeof value !== "number" || type === "double") return value;
  return type === "timestamp" ? BigInt(value) * 1000n : BigInt(value);
}
