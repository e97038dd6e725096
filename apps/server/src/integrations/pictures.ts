import { largestPictureSide } from '@holdfast/contract';
import { once } from '../kernel/concurrency.ts';
import { createFairSemaphore, WaitedTooLong } from '../kernel/fair-semaphore.ts';

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
/** About the time of a request; the wait is long enough for the picture of another to end. */
const [timeoutSeconds, longestWaitMs] = [2, 2500];

/** A decoded picture takes up to 64 MiB, so one at a time. */
const oneAtATime = createFairSemaphore({ atOnce: 1, longestWaitMs });

/**
 * Decodes a picture and encodes its pixels as WebP. Nothing else of the file is kept: no metadata, no
 * frames after the first, no bytes that another program could read as something else.
 */
export const encodePicture = (accountId: string, file: Uint8Array): Promise<EncodedPicture> =>
  oneAtATime(accountId, () => encode(file)).catch((error: unknown) => {
    throw error instanceof WaitedTooLong ? new PictureTooSlow() : error;
  });

const encode = async (file: Uint8Array): Promise<EncodedPicture> => {
  const sharp = await loadSharp();
  const decode = () => sharp(file, { limitInputPixels: largestPixels, failOn: 'error', pages: 1 });
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
};

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
