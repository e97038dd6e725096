import { awaitAll, inParallel } from '../../../kernel/concurrency.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { Invite } from '../../../platform/guild-parts.ts';
import type { Guild, ImageRef } from '../../../platform/port.ts';
import type { StoredImage } from '../snapshot/snapshot.ts';
import type { CaptureContext } from './capture-context.ts';
import { isSectionFailure, whyUnreadable } from './section-failure.ts';

const imagesAtOnce = 4;

export const captureSettings = async (context: CaptureContext, core: Guild) => {
  const { guildId, sink } = context;
  const { settings, widget, vanityCode } = core;
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
  const reading = readInvites(context);
  await awaitAll([...captures, reading]);
  const [icon, splash, discoverySplash, banner] = await Promise.all(captures);
  const pictures = { icon, splash, discoverySplash, banner };
  const invites = await reading;
  await sink.add('settings', [{ ...settings, pictures, widget, vanityCode, invites }]);
};

/** No restore brings them back, so a backup without them is as good as one with them. */
const readInvites = async ({ guild, sink }: CaptureContext): Promise<Invite[] | null> => {
  try {
    const invites = await guild.readInvites();
    return invites.toSorted((one, other) => (one.code < other.code ? -1 : 1));
  } catch (error) {
    if (!isSectionFailure(error)) throw error;
    sink.warn(`The invites are not recorded in this backup: ${whyUnreadable(error, 'settings')}`);
    return null;
  }
};

export const captureRoles = async (context: CaptureContext, { roles }: Guild): Promise<void> => {
  const captured = await inParallel(imagesAtOnce, roles, async (role) => {
    if (role.iconHash === null) return role;
    const ref = { kind: 'roleIcon', roleId: role.id, hash: role.iconHash } as const;
    return { ...role, icon: await captureImage(context, ref, `The role ${role.name}`) };
  });
  await context.sink.add('roles', captured);
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
export const captureImage = async (
  { readImage, sink, progress }: CaptureContext,
  ref: ImageRef,
  name: string,
): Promise<StoredImage> => {
  progress.expect(1);
  try {
    return await sink.addImage(await readImage(ref));
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.kind === 'aborted') throw error;
    const what = ref.kind === 'sound' ? 'sound' : 'picture';
    sink.warn(`${name} has no ${what} in this backup: the platform did not give it`);
    return null;
  } finally {
    progress.complete(1);
  }
};
