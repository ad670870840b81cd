/** PDFs as small as they can be. */

/** @param pages text of each page, in ASCII */
export function pdfOf(pages: readonly string[]): Buffer {
  const objects: string[] = ["<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", ""];
  const kids: number[] = [];
  for (const page of pages) {
    const lines = (page.match(/.{1,90}/g) ?? []).map((line) => `(${line.replace(/[\\()]/g, "\\$&")}) Tj T*`);
    const stream = `BT /F1 10 Tf 14 TL 40 780 Td ${lines.join(" ")} ET`;
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`);
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${objects.length} 0 R /Resources << /Font << /F1 1 0 R >> >> >>`,
    );
    kids.push(objects.length);
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] /Count ${kids.length} >>`;
  objects.push("<< /Type /Catalog /Pages 2 0 R >>");
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n \n`;
  });
  const start = text.length;
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join("")}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root ${objects.length} 0 R >>\nstartxref\n${start}\n%%EOF`;
  return Buffer.from(text, "latin1");
}
