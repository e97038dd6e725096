/** In the pixels of a page. */
export type ShownSize = { width: number; height: number };

/** Pixels for each one shown, as `npm run screenshots` takes them. */
const pixelRatio = 1.5;

/** From the header of the extended WebP format, which Chromium writes: 24 bits each, less one. */
export const shownSizeOf = (webp: Uint8Array<ArrayBuffer>): ShownSize => {
  const header = new DataView(webp.buffer);
  const lengthAt = (offset: number): number => {
    const pixels = (header.getUint32(offset, true) & 0xffffff) + 1;
    return Math.round(pixels / pixelRatio);
  };
  return { width: lengthAt(24), height: lengthAt(27) };
};
