import { useEffect, useRef, useState } from "preact/hooks";
import { EXPORT_FORMATS, type ExportFormat, exportTraces } from "../api/traces.js";
import { messageOf } from "../components/message-of.js";
import { Notice } from "../components/notice.js";
import { apiFilters } from "./filters.js";

const NAMES: Readonly<Record<ExportFormat, string>> = { jsonl: "JSONL", csv: "CSV" };

/** Saves all traces of the address's filters, whatever page and order are shown, oldest first. */
export function ExportButtons({ query }: { readonly query: URLSearchParams }) {
  const [busy, setBusy] = useState<ExportFormat | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const leaving = useRef(new AbortController());
  useEffect(() => () => leaving.current.abort(), []);
  const save = async (format: ExportFormat): Promise<void> => {
    setBusy(format);
    setFault(null);
    const { signal } = leaving.current;
    try {
      saveFile(await exportTraces(format, apiFilters(query, Date.now()), signal), `traces.${format}`);
    } catch (error) {
      if (!signal.aborted) setFault(messageOf(error));
    }
    setBusy(null);
  };
  return (
    <>
      <fieldset class="row">
        <legend class="unseen">Export all that match</legend>
        <span class="muted small" aria-hidden="true">
          Export
        </span>
        {EXPORT_FORMATS.map((format) => (
          <button
            key={format}
            class="button slim"
            type="button"
            disabled={busy !== null}
            onClick={() => void save(format)}
          >
            {busy === format ? "Exporting…" : NAMES[format]}
          </button>
        ))}
      </fieldset>
      {fault !== null && <Notice kind="error">{fault}</Notice>}
    </>
  );
}

function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
