import { CDN } from '@discordjs/rest';
import { createSemaphore } from '../../kernel/concurrency.ts';
import { failureOf, PlatformFailure } from '../failures.ts';
import type { PlatformMetrics } from '../metrics.ts';
import type { Image, ImageRef, Platform } from '../port.ts';
import { abortable, withinTime } from './abortable.ts';
import { isTransient, withBackOff } from './back-off.ts';
import { fetchLimited } from './transport.ts';
import { mediaUrlOf, requirePlatformId } from './urls.ts';

type ImageDependencies = { cdnUrl: string; metrics: PlatformMetrics; timeoutMs?: number };

const largestImageBytes = 12 * 1024 * 1024;
const longestReadMs = 15_000;
const readsAtOnce = 4;
/** The platform scales images down unless asked not to, and never up. */
const originalSize = 4096;
const smallSize = 128;

/** Images have no rate-limit buckets and need no token; they come from the platform's own hosts only. */
export const createImages = (
  dependencies: ImageDependencies,
): Pick<Platform, 'readImage' | 'imageUrl'> => {
  const cdn = new CDN(dependencies.cdnUrl, mediaUrlOf(dependencies.cdnUrl));
  const limitReads = createSemaphore(readsAtOnce);
  return {
    imageUrl: (image) => urlOf(cdn, image),
    readImage: (image, signal, { isSmall = false } = {}) => {
      const size = isSmall ? smallSize : originalSize;
      const url = urlOf(cdn, image, isResizable(image) ? size : undefined);
      return abortable(signal, (own) =>
        limitReads(() =>
          withBackOff(() => readOnce(dependencies, url, image, own), isTransient, own),
        ),
      );
    },
  };
};

const isResizable = ({ kind }: ImageRef) => kind !== 'emoji' && kind !== 'sticker';

const imageHash = /^\w{1,64}$/;

const urlOf = (
  cdn: CDN,
  image: ImageRef,
  size?: typeof originalSize | typeof smallSize,
): string => {
  requireSafe(image);
  const still = { extension: 'png', size } as const;
  switch (image.kind) {
    case 'guildIcon':
      return cdn.icon(image.guildId, image.hash, still);
    case 'guildBanner':
      return cdn.banner(image.guildId, image.hash, still);
    case 'guildSplash':
      return cdn.splash(image.guildId, image.hash, still);
    case 'guildDiscoverySplash':
      return cdn.discoverySplash(image.guildId, image.hash, still);
    case 'roleIcon':
      return cdn.roleIcon(image.roleId, image.hash, still);
    case 'userAvatar':
      // A list of people is easier to read without animated avatars.
      return cdn.avatar(image.userId, image.hash, { ...still, forceStatic: true });
    case 'emoji':
      return cdn.emoji(image.emojiId, { extension: image.isAnimated ? 'gif' : 'png' });
    case 'sticker':
      return cdn.sticker(image.stickerId, extensionOfFormat[image.format]);
  }
};

const extensionOfFormat = { png: 'png', apng: 'png', lottie: 'json', gif: 'gif' } as const;

const requireSafe = (image: ImageRef): void => {
  for (const [field, value] of Object.entries(image)) {
    if (field.endsWith('Id')) requirePlatformId(String(value));
    if (field === 'hash' && !imageHash.test(String(value))) {
      throw new Error('Not the hash of an image');
    }
  }
};

const readOnce = async (
  { metrics, timeoutMs }: ImageDependencies,
  url: string,
  image: ImageRef,
  signal: AbortSignal,
): Promise<Image> => {
  const response = await withinTime(
    timeoutMs ?? longestReadMs,
    (own) => fetchImage(url, own),
    signal,
  );
  metrics.countCall('GET', `/cdn/${image.kind}`, response.status);
  // Images are requested without a token, so a 401 says nothing about a bot's.
  if (response.status === 401) throw new PlatformFailure('refused', { status: 401 });
  if (!response.ok) throw failureOf(response.status);
  return imageOf(response, image);
};

const fetchImage = async (url: string, signal: AbortSignal): Promise<Response> => {
  try {
    return await fetchLimited(url, { signal }, largestImageBytes);
  } catch (cause) {
    throw cause instanceof PlatformFailure ? cause : new PlatformFailure('unreachable', { cause });
  }
};

const pictureType = /^image\/(png|apng|jpeg|gif|webp|avif)$/;

const imageOf = async (response: Response, image: ImageRef): Promise<Image> => {
  const contentType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const isDrawing = image.kind === 'sticker' && image.format === 'lottie';
  const isRight = isDrawing
    ? contentType === 'application/json'
    : pictureType.test(contentType ?? '');
  const bytes = await response.bytes();
  if (!contentType || !isRight || bytes.length === 0) {
    throw new PlatformFailure('badAnswer', { status: response.status });
  }
  return { contentType, bytes };
};
