/** The worker thread that reads PDFs: the only file that imports the library. */
import { getDocumentProxy } from "unpdf";
import { serveThread } from "../../../foundation/workers/thread-entry.js";
import type { FileTextApi, PdfBounds, PdfText } from "./pdf-reader.js";

const pieces: string[] = [];

async function readPdf({ maxPages, maxCharacters }: PdfBounds): Promise<PdfText> {
  const bytes = Buffer.from(pieces.splice(0).join(""), "base64");
  const opening = getDocumentProxy(new Uint8Array(bytes), { verbosity: 0 });
  const pdf = await opening.catch((error: unknown) => error);
  if (pdf instanceof Error)
    return { unread: pdf.name === "PasswordException" ? "is encrypted" : "is damaged, or no PDF" };
  const { numPages: pages, getPage } = pdf as Awaited<typeof opening>;
  let text = "";
  let pagesRead = 0;
  try {
    while (pagesRead < Math.min(pages, maxPages) && text.length < maxCharacters) {
      const page = await getPage.call(pdf, pagesRead + 1);
      const { items } = await page.getTextContent();
      for (const item of items) if ("str" in item) text += item.hasEOL ? `${item.str}\n` : item.str;
      text += "\n";
      pagesRead += 1;
    }
  } catch {
    if (text.trim() === "") return { unread: "is damaged" };
  } finally {
    await (pdf as Awaited<typeof opening>).loadingTask.destroy();
  }
  text = text.trim().slice(0, maxCharacters);
  return text === "" ? { unread: "has no text" } : { text, pages, pagesRead };
}

await serveThread<FileTextApi>(() => ({ methods: { take: (piece) => void pieces.push(piece), readPdf } }));
