/** What the thread that reads PDFs does. */
export type FileTextApi = {
  /** The next piece of the file that is read next, in base64. */
  take(piece: string): void;
  readPdf(bounds: PdfBounds): PdfText;
};

export interface PdfBounds {
  readonly maxPages: number;
  readonly maxCharacters: number;
}

/** The text of the first pages; or why there is none, as the end of a sentence about the file. */
export type PdfText =
  | { readonly text: string; readonly pages: number; readonly pagesRead: number }
  | { readonly unread: string };
