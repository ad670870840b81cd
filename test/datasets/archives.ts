import { deflateRawSync, gzipSync } from "node:zlib";

interface ZipFile {
  readonly name: string;
  readonly content: Buffer;
  readonly method?: 0 | 8;
}

/** A zip archive as common tools write it; checksums of contents are left 0, which no reader here looks at. */
export function zipOf(files: readonly ZipFile[]): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, content, method = 8 } of files) {
    const packed = method === 8 ? deflateRawSync(content) : content;
    const label = Buffer.from(name);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(method, 8);
    local.writeUInt16LE(label.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(content.length, 24);
    entry.writeUInt16LE(label.length, 28);
    entry.writeUInt32LE(at, 42);
    bodies.push(local, label, packed);
    directory.push(entry, label);
    at += local.length + label.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, ...directory, end]);
}

interface TarFile {
  readonly name: string;
  readonly content: string;
  readonly type?: string;
}

export function tarGzOf(files: readonly TarFile[]): Buffer {
  const blocks = files.flatMap(({ name, content, type = "0" }) => {
    const body = Buffer.from(content);
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write(body.length.toString(8).padStart(11, "0"), 124);
    header.write(type, 156);
    header.write("ustar", 257);
    return [header, body, Buffer.alloc((512 - (body.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}
