import type { BackupComponent } from '@holdfast/contract';
import { allEnded, inParallel } from '../../kernel/in-parallel.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import type { Channel, ChannelKind, GuildSettings } from '../../platform/guild.ts';
import type { Guild, GuildPlatform, Image, ImageRef } from '../../platform/port.ts';
import { SnapshotImpossible } from './failure-sentence.ts';
import { fitTogether } from './rules.ts';
import type { SectionEntry, SectionName, StoredImage } from './snapshot.ts';

/** Where a snapshot goes, piece by piece, so that no more than one piece is ever in memory. */
export type SnapshotSink = {
  add<Name extends SectionName>(name: Name, entries: SectionEntry<Name>[]): Promise<void>;
  addImage(image: Image): Promise<NonNullable<StoredImage>>;
  warn(sentence: string): void;
  /** So many of so many pieces of work are done. */
  advance(done: number, total: number): void;
};

type Tools = {
  guildId: string;
  guild: GuildPlatform;
  readImage(image: ImageRef): Promise<Image>;
  sink: SnapshotSink;
};

type Wish = { components: readonly BackupComponent[]; messagesPerChannel: number };

const picturesAtOnce = 4;
/** Each has a bucket of its own; so many use up what the platform gives a bot in all. */
const channelsAtOnce = 50;
const bansPerPage = 1000;
const membersPerPage = 1000;
const messagesPerPage = 100;

/**
 * Reads a guild in the fewest calls there are: one for most of it, one for the channels, pages for
 * the rest. Says what it could read: an absent section is left alone by a restore, an empty one is not.
 */
export const capture = async (tools: Tools, wish: Wish): Promise<BackupComponent[]> => {
  const isWished = (component: BackupComponent) => wish.components.includes(component);
  const work = createProgress(tools.sink, 3);
  const closed = new Set<BackupComponent>();
  const unlessClosed = (component: 'bans' | 'memberRoles', capturing: Promise<void>) =>
    capturing.catch((error: unknown) => {
      if (!isNotForTheBot(error)) throw error;
      closed.add(component);
      const what = component === 'bans' ? 'bans' : 'roles and nicknames of members';
      tools.sink.warn(`The ${what} are not in this backup: the bot may not read them`);
    });
  await allEnded([
    captureCore(tools, wish, work),
    isWished('bans') && unlessClosed('bans', captureBans(tools, work)),
    isWished('memberRoles') && unlessClosed('memberRoles', captureMembers(tools, work)),
  ]);
  return wish.components.filter((component) => !closed.has(component));
};

const isNotForTheBot = (error: unknown): boolean =>
  error instanceof PlatformFailure &&
  (error.kind === 'noAccess' || error.kind === 'missingPermission');

const captureCore = async (tools: Tools, wish: Wish, work: Progress): Promise<void> => {
  const isWished = (component: BackupComponent) => wish.components.includes(component);
  const { guild, channels } = await readConsistently(tools.guild, work);
  const { sink } = tools;
  if (isWished('roles')) await sink.add('roles', guild.roles);
  if (isWished('channels')) await sink.add('channels', channels);
  await allEnded([
    isWished('settings') && captureSettings(tools, guild.settings, work),
    isWished('emojis') && captureEmojis(tools, guild, work),
    isWished('stickers') && captureStickers(tools, guild, work),
    wish.messagesPerChannel > 0 && captureMessages(tools, channels, wish, work),
  ]);
};

const attemptsToFit = 3;

/**
 * Two calls cannot see the same moment. Where what they saw does not fit together, somebody changed
 * the server between them, and we look again.
 */
const readConsistently = async (
  platform: GuildPlatform,
  work: Progress,
): Promise<{ guild: Guild; channels: Channel[] }> => {
  for (let attempt = 1; ; attempt++) {
    const [guild, channels] = await Promise.all([platform.read(), platform.readChannels()]);
    if (fitTogether(guild.roles, channels)) {
      work.done(3);
      return { guild, channels };
    }
    if (attempt === attemptsToFit) {
      throw new SnapshotImpossible(
        'The server changes too fast to take a consistent snapshot: try again later',
      );
    }
  }
};

const captureSettings = async (
  { guildId, sink, ...tools }: Tools,
  settings: GuildSettings,
  work: Progress,
): Promise<void> => {
  const { iconHash, splashHash, discoverySplashHash, bannerHash } = settings;
  const picture = (
    kind: 'guildIcon' | 'guildSplash' | 'guildDiscoverySplash' | 'guildBanner',
    hash: string | null,
    name: string,
  ) =>
    hash === null
      ? null
      : keepImage(
          { ...tools, guildId, sink },
          { kind, guildId, hash },
          `The server's ${name}`,
          work,
        );
  const reading = [
    picture('guildIcon', iconHash, 'icon'),
    picture('guildSplash', splashHash, 'invite splash'),
    picture('guildDiscoverySplash', discoverySplashHash, 'discovery splash'),
    picture('guildBanner', bannerHash, 'banner'),
  ] as const;
  await allEnded(reading);
  const [icon, splash, discoverySplash, banner] = await Promise.all(reading);
  await sink.add('settings', [
    { ...settings, pictures: { icon, splash, discoverySplash, banner } },
  ]);
};

const captureEmojis = async (tools: Tools, { emojis }: Guild, work: Progress): Promise<void> => {
  const kept = await inParallel(picturesAtOnce, emojis, async (emoji) => {
    const ref = { kind: 'emoji', emojiId: emoji.id, isAnimated: emoji.isAnimated } as const;
    return { ...emoji, image: await keepImage(tools, ref, `The emoji ${emoji.name}`, work) };
  });
  await tools.sink.add('emojis', kept);
};

const captureStickers = async (
  tools: Tools,
  { stickers }: Guild,
  work: Progress,
): Promise<void> => {
  const kept = await inParallel(picturesAtOnce, stickers, async (sticker) => {
    const ref = { kind: 'sticker', stickerId: sticker.id, format: sticker.format } as const;
    return { ...sticker, image: await keepImage(tools, ref, `The sticker ${sticker.name}`, work) };
  });
  await tools.sink.add('stickers', kept);
};

/** A picture that cannot be had is a warning; everything else about it is kept. */
const keepImage = async (
  { readImage, sink }: Tools,
  ref: ImageRef,
  name: string,
  work: Progress,
): Promise<StoredImage> => {
  work.expect(1);
  try {
    const image = await readImage(ref);
    return await sink.addImage(image);
  } catch (error) {
    if (!(error instanceof PlatformFailure) || error.kind === 'aborted') throw error;
    sink.warn(`${name} has no picture in this backup: the platform did not give it`);
    return null;
  } finally {
    work.done(1);
  }
};

const captureBans = async ({ guild, sink }: Tools, work: Progress): Promise<void> => {
  for (let after = '0'; ; ) {
    const page = await guild.readBans(after);
    await sink.add('bans', page);
    work.both(1);
    const last = page.at(-1);
    if (!last || page.length < bansPerPage) return;
    after = last.userId;
  }
};

const captureMembers = async ({ guild, sink }: Tools, work: Progress): Promise<void> => {
  for (let after = '0'; ; ) {
    const page = await guild.readMembers(after);
    await sink.add('memberRoles', page);
    work.both(1);
    const last = page.at(-1);
    if (!last || page.length < membersPerPage) return;
    after = last.userId;
  }
};

const kindsWithMessages: readonly ChannelKind[] = ['text', 'announcement', 'voice', 'stage'];

const captureMessages = async (
  tools: Tools,
  channels: readonly Channel[],
  { messagesPerChannel }: Wish,
  work: Progress,
): Promise<void> => {
  const readable = channels.filter(({ kind }) => kindsWithMessages.includes(kind));
  work.expect(readable.length);
  await inParallel(channelsAtOnce, readable, async (channel) => {
    await captureChannel(tools, channel, messagesPerChannel);
    work.done(1);
  });
};

const captureChannel = async (
  { guild, sink }: Tools,
  { id: channelId, name }: Channel,
  most: number,
): Promise<void> => {
  let storing: Promise<void> | undefined;
  try {
    for (let before: string | undefined, left = most; left > 0; ) {
      const limit = Math.min(left, messagesPerPage);
      const page = await guild.readMessages(channelId, { before, limit });
      await storing;
      const entries = page.map((message) => ({ ...message, channelId }));
      // Meanwhile the next page is read; a failure comes out where it is waited for.
      storing = sink.add('messages', entries);
      storing.catch(() => undefined);
      if (page.length < limit) return;
      before = page.at(-1)?.id;
      left -= page.length;
    }
  } catch (error) {
    if (!isNotForTheBot(error)) throw error;
    sink.warn(`The messages of #${name} are not in this backup: the bot may not read them`);
  } finally {
    await storing;
  }
};

/** Counts pieces of work as they turn up, so that progress never has to guess their number. */
type Progress = {
  expect(pieces: number): void;
  done(pieces: number): void;
  both(pieces: number): void;
};

const createProgress = (sink: SnapshotSink, expected: number): Progress => {
  let total = expected;
  let ended = 0;
  const tell = () => sink.advance(ended, total);
  return {
    expect(pieces) {
      total += pieces;
    },
    done(pieces) {
      ended += pieces;
      tell();
    },
    both(pieces) {
      total += pieces;
      ended += pieces;
      tell();
    },
  };
};
