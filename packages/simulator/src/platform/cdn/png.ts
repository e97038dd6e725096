import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** A square PNG: a disc of one colour on a transparent background. */
export const drawDiscPng = (sizePx: number, colour: number): Buffer => {
  const rows = Buffer.alloc((sizePx * 4 + 1) * sizePx);
  const centre = (sizePx - 1) / 2;
  for (let y = 0; y < sizePx; y += 1) {
    for (let x = 0; x < sizePx; x += 1) {
      const insidePx = sizePx / 2 - Math.hypot(x - centre, y - centre);
      // The edge is soft: a hard one shows its steps wherever the picture is enlarged.
      const alpha = Math.round(0xff * Math.min(1, Math.max(0, insidePx)));
      // Each row begins with its filter byte: 0 means none.
      rows.writeUInt32BE(((colour << 8) | alpha) >>> 0, y * (sizePx * 4 + 1) + 1 + x * 4);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(sizePx, 0);
  header.writeUInt32BE(sizePx, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const chunk = (type: string, content: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
};
