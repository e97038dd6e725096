import { awaitAll, inParallel } from '../../../kernel/concurrency.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { GuildSettings } from '../../../platform/guild.ts';
import type { Guild, ImageRef } from '../../../platform/port.ts';
import type { StoredImage } from '../snapshot/snapshot.ts';
import type { CaptureContext } from './capture-context.ts';

const imagesAtOnce = 4;

export const captureSettings = async (context: CaptureContext, settings: GuildSettings) => {
  const { guildId, sink } = context;
  const capture = (
    kind: 'guildIcon' | 'guildSplash' | 'guildDiscoverySplash' | 'guildBanner',
    hash: string | null,
    name: string,
  ) =>
    hash === null ? null : captureImage(context, { kind, guildId, hash }, `The server's ${name}`);
  const captures = [
    capture('guildIcon', settings.iconHash, 'icon'),
    capture('guildSplash', settings.splashHash, 'invite splash'),
    capture('guildDiscoverySplash', settings.discoverySplashHash, 'discovery splash'),
    capture('guildBanner', settings.bannerHash, 'banner'),
  ] as const;
  await awaitAll(captures);
  const [icon, splash, discoverySplash, banner] = await Promise.all(captures);
  const pictures = { icon, splash, discoverySplash, banner };
  await sink.add('settings', [{ ...settings, pictures }]);
};

export const captureEmojis = async (context: CaptureContext, { emojis }: Guild): Promise<void> => {
  const captured = await inParallel(imagesAtOnce, emojis, async (emoji) => {
    const ref = { kind: 'emoji', emojiId: emoji.id, isAnimated: emoji.isAnimated } as const;
    return { ...emoji, image: await captureImage(context, ref, `The emoji ${emoji.name}`) };
  });
  await context.sink.add('emojis', captured);
};

export const captureStickers = async (context: CaptureContext, { stickers }: Guild) => {
  const captured = await inParallel(imagesAtOnce, stickers, async (sticker) => {
    const ref = { kind: 'sticker', stickerId: sticker.id, format: sticker.format } as const;
    return { ...sticker, image: await captureImage(context, ref, `The sticker ${sticker.name}`) };
  });
  await context.sink.add('stickers', captured);
};

/** An image that the platform does not give is a warning; the rest of its entry is still captured. */
const captureImage = async (
  { readImage, sink, progress }: CaptureContext,
  ref: ImageRef,
  name: string,
): Promise<StoredImage> => {
  progress.expect(1);
  try {
    return await sink.addImage(await readImage(ref));
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.kind === 'aborted') throw error;
    sink.warn(`${name} has no picture in this backup: the platform did not give it`);
    return null;
  } finally {
    progress.complete(1);
  }
};
