import { largestPictureSide } from '@holdfast/contract';
import { createSemaphore, once } from '../kernel/concurrency.ts';

type EncodedPicture = { bytes: Uint8Array; width: number; height: number };

/** What was sent is no picture that we take; the message is for whoever sent it. */
export class PictureRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PictureRefused';
  }
}

/** This machine could not do it in time: the same picture may pass later. */
export class PictureTooSlow extends Error {
  constructor() {
    super('The picture could not be encoded in time');
    this.name = 'PictureTooSlow';
  }
}

const formats = ['png', 'jpeg', 'webp', 'gif'];
const largestPixels = 4096 * 4096;
const timeoutSeconds = 3;

/** A decoded picture takes up to 64 MiB, so one at a time. */
const oneAtATime = createSemaphore(1);

/**
 * Decodes a picture and encodes its pixels as WebP. Nothing else of the file is kept: no metadata, no
 * frames after the first, no bytes that another program could read as something else.
 */
export const encodePicture = (file: Uint8Array): Promise<EncodedPicture> =>
  oneAtATime(async () => {
    const sharp = await loadSharp();
    const decode = () =>
      sharp(file, { limitInputPixels: largestPixels, failOn: 'error', pages: 1 });
    try {
      const { format, width, height } = await decode().metadata();
      if (!formats.includes(format)) throw new PictureRefused(wrongFormat);
      if (width * height > largestPixels) throw new PictureRefused(tooManyPixels);
      const size = { width: largestPictureSide, height: largestPictureSide };
      const { data, info } = await decode()
        .autoOrient()
        .resize({ ...size, fit: 'inside', withoutEnlargement: true })
        .timeout({ seconds: timeoutSeconds })
        .webp({ quality: 85, effort: 2 })
        .toBuffer({ resolveWithObject: true });
      return { bytes: data, width: info.width, height: info.height };
    } catch (error) {
      throw failureOf(error);
    }
  });

const wrongFormat = 'Must be a PNG, JPEG, WebP or GIF picture';
const tooManyPixels = 'Must have at most 16 megapixels';

/** The library tells failures apart by their words alone. */
const failureOf = (error: unknown): Error => {
  if (error instanceof PictureRefused) return error;
  const message = error instanceof Error ? error.message : '';
  if (message.includes('timeout')) return new PictureTooSlow();
  return new PictureRefused(message.includes('pixel limit') ? tooManyPixels : wrongFormat);
};

/** At the first picture: most processes never see one, and the library takes memory. */
const loadSharp = once(async () => {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  // Whatever else it could read, such as SVG and PDF, stays shut.
  sharp.block({ operation: ['VipsForeignLoad'] });
  const loaders = ['Png', 'Jpeg', 'Webp', 'Nsgif'];
  sharp.unblock({ operation: loaders.map((name) => `VipsForeignLoad${name}Buffer`) });
  return sharp;
});
