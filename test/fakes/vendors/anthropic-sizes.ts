/** What Anthropic refuses for its size: requests, images, and PDFs by their pages. */
import { pdfOf } from "../pdf.js";
import { blocks, messagesOf, refusal, versionOf } from "./anthropic.js";
import { type JsonObject, member, type Refusal, rulesOf } from "./rule.js";

/** Documented as 32 MB; that a MB has 1,000,000 bytes is a guess. */
const MOST_BYTES = 32_000_000;
const MOST_PIXELS = 8000;
const MOST_PIXELS_OF_MANY = 2000;
const MANY_IMAGES = 20;

/** Pages and images of a request: 100 where the context has 200,000 tokens, 600 on the models since 4.6, where it has a million. */
const mostMedia = (model: string): number => (versionOf(model) >= 406 ? 600 : 100);

interface Medium {
  /** As the texts name it. */
  readonly place: string;
  /** In base64; empty for an address. */
  readonly data: string;
}

const mediaOf = (body: JsonObject, wanted: "image" | "document"): readonly Medium[] =>
  messagesOf(body).flatMap((message, index) =>
    blocks(message).flatMap(({ type, source }, at) =>
      type === wanted
        ? [{ place: `messages.${index}.content.${at}`, data: String(member(source, "data") ?? "") }]
        : [],
    ),
  );

/** The longer side of a PNG; 0 for anything else. */
function sideOf({ data }: Medium): number {
  const head = Buffer.from(data.slice(0, 40), "base64");
  return head.length >= 24 && head.toString("latin1", 1, 4) === "PNG"
    ? Math.max(head.readUInt32BE(16), head.readUInt32BE(20))
    : 0;
}

/** Enough of a PNG to tell how wide it is. */
export function pngOf(width: number): string {
  const head = Buffer.alloc(33);
  head.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(1, 20);
  return head.toString("base64");
}

export const longPdf = (pages: number): string =>
  pdfOf(Array.from({ length: pages }, (_, page) => `Page ${page + 1}`)).toString("base64");

const pagesIn = ({ data }: Medium): number =>
  Buffer.from(data, "base64")
    .toString("latin1")
    .match(/\/Type\s*\/Page\b/g)?.length ?? 0;

const tooWide = (images: readonly Medium[], most: number, words: string): Refusal | null => {
  const wide = images.find((image) => sideOf(image) > most);
  return wide === undefined
    ? null
    : refusal(
        `${wide.place}.image.source.base64.data: At least one of the image dimensions exceed max allowed size${words}: ${most} pixels`,
      );
};

export const ANTHROPIC_SIZE_RULES = rulesOf("anthropic", {
  "request-size": {
    refused: "a request above 32 MB",
    // The limit: https://platform.claude.com/docs/en/api/overview#request-size-limits, read 2026-11-25
    reported: "https://github.com/anthropics/anthropic-sdk-python/issues/938 (2026-08-05)",
    check: ({ body, bytes = Buffer.byteLength(JSON.stringify(body)) }) => {
      const text = "Request exceeds the maximum size";
      return (
        bytes > MOST_BYTES && {
          status: 413,
          text,
          body: { error: { type: "request_too_large", message: text } },
        }
      );
    },
  },
  "pdf-pages": {
    refused: "a PDF of more than 100 pages, 600 on models with a context of a million tokens",
    // 600: https://platform.claude.com/docs/en/build-with-claude/vision.md, read 2026-11-25
    reported: "https://github.com/warpdotdev/warp/issues/8114 (2025-11-20)",
    check: ({ model, body }) => {
      const most = mostMedia(model);
      const long = mediaOf(body, "document").find((pdf) => pagesIn(pdf) > most);
      if (long === undefined) return null;
      return refusal(`${long.place}.pdf.source.base64.data: A maximum of ${most} PDF pages may be provided.`);
    },
  },
  "media-count": {
    refused: "more than 100 images and pages, 600 on models with a context of a million tokens",
    reported: "https://github.com/anthropics/claude-code/issues/24541 (2026-02-09)",
    check: ({ model, body }) => {
      const most = mostMedia(model);
      const pages = mediaOf(body, "document").reduce((sum, pdf) => sum + pagesIn(pdf), 0);
      const images = mediaOf(body, "image").length;
      if (pages + images <= most) return null;
      return refusal(`Too much media: ${pages} document pages + ${images} images > ${most}`);
    },
  },
  "image-side": {
    refused: "an image of more than 8,000 pixels on a side",
    reported: "https://github.com/anthropics/claude-code/issues/4778 (2025-08-04)",
    check: ({ body }) => tooWide(mediaOf(body, "image"), MOST_PIXELS, ""),
  },
  "many-images-side": {
    refused: "an image of more than 2,000 pixels on a side among more than 20",
    reported: "https://github.com/anthropics/claude-code/issues/49537 (2026-04-16)",
    check: ({ body }) => {
      const images = mediaOf(body, "image");
      return images.length > MANY_IMAGES && tooWide(images, MOST_PIXELS_OF_MANY, " for many-image requests");
    },
  },
});
