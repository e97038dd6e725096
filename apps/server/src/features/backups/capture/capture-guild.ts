import type { BackupComponent } from '@holdfast/contract';
import { awaitAll, inParallel } from '../../../kernel/concurrency.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { Channel, ChannelKind } from '../../../platform/guild.ts';
import type { Guild } from '../../../platform/port.ts';
import { isConsistent } from '../rules.ts';
import {
  type CaptureContext,
  type CaptureDependencies,
  type CaptureRequest,
  createProgress,
} from './capture-context.ts';
import { captureEmojis, captureSettings, captureStickers } from './capture-images.ts';
import { SnapshotImpossible } from './failure-message.ts';

/** Each channel has its own rate limit; this many use up the bot's global one. */
const channelsAtOnce = 50;
const bansPerPage = 1000;
const membersPerPage = 1000;
const messagesPerPage = 100;
/** The guild and its channels, which every capture reads. */
const initialPieces = 3;

/**
 * Reads a guild in as few calls as possible: one for most of it, one for the channels, pages for the
 * rest. Returns the components that could be read: a restore leaves an absent section alone, but
 * empties the guild to match an empty one.
 */
export const captureGuild = async (
  dependencies: CaptureDependencies,
  request: CaptureRequest,
): Promise<BackupComponent[]> => {
  const { guild, sink } = dependencies;
  const context = { ...dependencies, progress: createProgress(sink, initialPieces) };
  const isRequested = (component: BackupComponent) => request.components.includes(component);
  const unreadable = new Set<BackupComponent>();
  const unlessUnreadable = (component: 'bans' | 'memberRoles', capturing: Promise<void>) =>
    capturing.catch((error: unknown) => {
      if (!isAccessRefused(error)) throw error;
      unreadable.add(component);
      const label = component === 'bans' ? 'bans' : 'roles and nicknames of members';
      sink.warn(`The ${label} are not in this backup: the bot may not read them`);
    });
  const captureBans = () =>
    capturePages(context, bansPerPage, async (after) => {
      const bans = await guild.readBans(after);
      await sink.add('bans', bans);
      return bans;
    });
  const captureMembers = () =>
    capturePages(context, membersPerPage, async (after) => {
      const members = await guild.readMembers(after);
      await sink.add('memberRoles', members);
      return members;
    });
  await awaitAll([
    captureCore(context, request),
    isRequested('bans') && unlessUnreadable('bans', captureBans()),
    isRequested('memberRoles') && unlessUnreadable('memberRoles', captureMembers()),
  ]);
  return request.components.filter(
    (component) => !unreadable.has(component) && !notCaptured.includes(component),
  );
};

/** A component that no capture reads yet is in no backup. */
const notCaptured: readonly BackupComponent[] = [
  'automod',
  'onboarding',
  'welcomeScreen',
  'events',
  'soundboard',
  'webhooks',
  'threads',
];

const isAccessRefused = (error: unknown): boolean =>
  error instanceof PlatformFailure &&
  (error.kind === 'noAccess' || error.kind === 'missingPermission');

const captureCore = async (context: CaptureContext, request: CaptureRequest): Promise<void> => {
  const isRequested = (component: BackupComponent) => request.components.includes(component);
  const { guild, channels } = await readConsistently(context);
  const { sink } = context;
  if (isRequested('roles')) await sink.add('roles', guild.roles);
  if (isRequested('channels')) await sink.add('channels', channels);
  await awaitAll([
    isRequested('settings') && captureSettings(context, guild.settings),
    isRequested('emojis') && captureEmojis(context, guild),
    isRequested('stickers') && captureStickers(context, guild),
    request.messagesPerChannel > 0 && captureMessages(context, channels, request),
  ]);
};

const maxReads = 3;

/**
 * Two calls cannot see the same moment. Where their answers are not consistent, the guild was changed
 * between them, and both are read again.
 */
const readConsistently = async ({
  guild: platform,
  progress,
}: CaptureContext): Promise<{ guild: Guild; channels: Channel[] }> => {
  for (let reads = 1; ; reads++) {
    const [guild, channels] = await Promise.all([platform.read(), platform.readChannels()]);
    if (isConsistent(guild.roles, channels)) {
      progress.complete(initialPieces);
      return { guild, channels };
    }
    if (reads === maxReads) {
      throw new SnapshotImpossible(
        'The server changes too fast to take a consistent snapshot: try again later',
      );
    }
  }
};

/** The platform lists people in the order of their ids, and every id is after 0. */
const capturePages = async (
  { progress }: CaptureContext,
  entriesPerPage: number,
  capturePage: (after: string) => Promise<{ userId: string }[]>,
): Promise<void> => {
  for (let after = '0'; ; ) {
    const page = await capturePage(after);
    progress.expect(1);
    progress.complete(1);
    const last = page.at(-1);
    if (!last || page.length < entriesPerPage) return;
    after = last.userId;
  }
};

const kindsWithMessages: readonly ChannelKind[] = ['text', 'announcement', 'voice', 'stage'];

const captureMessages = async (
  context: CaptureContext,
  channels: readonly Channel[],
  { messagesPerChannel }: CaptureRequest,
): Promise<void> => {
  const readable = channels.filter(({ kind }) => kindsWithMessages.includes(kind));
  context.progress.expect(readable.length);
  await inParallel(channelsAtOnce, readable, async (channel) => {
    await captureMessagesOf(context, channel, messagesPerChannel);
    context.progress.complete(1);
  });
};

const captureMessagesOf = async (
  { guild, sink }: CaptureContext,
  { id: channelId, name }: Channel,
  maxMessages: number,
): Promise<void> => {
  let storing: Promise<void> | undefined;
  try {
    for (let before: string | undefined, left = maxMessages; left > 0; ) {
      const limit = Math.min(left, messagesPerPage);
      const page = await guild.readMessages(channelId, { before, limit });
      await storing;
      const entries = page.map((message) => ({ ...message, channelId }));
      // The next page is read meanwhile; a failure is thrown where this is awaited.
      storing = sink.add('messages', entries);
      storing.catch(() => undefined);
      if (page.length < limit) return;
      before = page.at(-1)?.id;
      left -= page.length;
    }
  } catch (error) {
    if (!isAccessRefused(error)) throw error;
    sink.warn(`The messages of #${name} are not in this backup: the bot may not read them`);
  } finally {
    await storing;
  }
};
