import { CDN } from '@discordjs/rest';
import { createSemaphore } from '../../kernel/concurrency.ts';
import { failureOf, PlatformFailure } from '../failures.ts';
import type { PlatformMetrics } from '../metrics.ts';
import type { Image, ImageRef, Platform } from '../port.ts';
import { traceCall } from '../trace-call.ts';
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
): Pick<Platform, 'readImage' | 'readFile' | 'imageUrl'> => {
  const cdn = new CDN(dependencies.cdnUrl, mediaUrlOf(dependencies.cdnUrl));
  const limitReads = createSemaphore(readsAtOnce);
  const hosts = [dependencies.cdnUrl, mediaUrlOf(dependencies.cdnUrl)];
  return {
    readFile: (url, { largestBytes, signal }) => {
      requireHost(url, hosts);
      return abortable(signal, (own) =>
        limitReads(() =>
          withBackOff(() => readFileOnce(dependencies, url, largestBytes, own), isTransient, own),
        ),
      );
    },
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

/** The address comes from an answer of the platform, which is untrusted input. */
const requireHost = (url: string, hosts: readonly string[]): void => {
  const { href } = new URL(url);
  if (!hosts.some((host) => href.startsWith(`${host}/`))) throw new PlatformFailure('badAnswer');
};

const isResizable = ({ kind }: ImageRef) =>
  kind !== 'emoji' && kind !== 'sticker' && kind !== 'sound';

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
    case 'webhookAvatar':
      return cdn.avatar(image.webhookId, image.hash, still);
    case 'eventCover':
      return cdn.guildScheduledEventCover(image.eventId, image.hash, still);
    case 'sound':
      return cdn.soundboardSound(image.soundId);
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
  dependencies: ImageDependencies,
  url: string,
  image: ImageRef,
  signal: AbortSignal,
): Promise<Image> => {
  const request = { url, kind: image.kind, largestBytes: largestImageBytes };
  return imageOf(await fetchFrom(dependencies, request, signal), image);
};

const readFileOnce = async (
  dependencies: ImageDependencies,
  url: string,
  largestBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> => {
  const response = await fetchFrom(dependencies, { url, kind: 'file', largestBytes }, signal);
  return response.bytes();
};

type CdnRequest = { url: string; kind: string; largestBytes: number };

const fetchFrom = (
  { metrics, timeoutMs }: ImageDependencies,
  request: CdnRequest,
  signal: AbortSignal,
): Promise<Response> => {
  const path = `/cdn/${request.kind}`;
  return traceCall({ method: 'GET', url: request.url, path }, async () => {
    const response = await withinTime(
      timeoutMs ?? longestReadMs,
      (own) => fetchOnce(request, own),
      signal,
    );
    metrics.countCall('GET', path, response.status);
    // Images are requested without a token, so a 401 says nothing about a bot's.
    if (response.status === 401) throw new PlatformFailure('refused', { status: 401 });
    if (!response.ok) throw failureOf(response.status);
    return response;
  });
};

const fetchOnce = async (
  { url, largestBytes }: CdnRequest,
  signal: AbortSignal,
): Promise<Response> => {
  try {
    return await fetchLimited(url, { signal }, largestBytes);
  } catch (cause) {
    throw cause instanceof PlatformFailure ? cause : new PlatformFailure('unreachable', { cause });
  }
};

const soundType = /^audio\/(mpeg|mp3|ogg|x-wav|wav)$/;
const pictureType = /^image\/(png|apng|jpeg|gif|webp|avif)$/;

const imageOf = async (response: Response, image: ImageRef): Promise<Image> => {
  const contentType = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  const isDrawing = image.kind === 'sticker' && image.format === 'lottie';
  const allowed = image.kind === 'sound' ? soundType : pictureType;
  const isRight = isDrawing ? contentType === 'application/json' : allowed.test(contentType ?? '');
  const bytes = await response.bytes();
  if (!contentType || !isRight || bytes.length === 0) {
    throw new PlatformFailure('badAnswer', { status: response.status });
  }
  return { contentType, bytes };
};
