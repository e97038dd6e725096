import type { BackupComponent } from '@holdfast/contract';
import { awaitAll } from '../../../kernel/concurrency.ts';
import type { ChannelActivity } from '../../../platform/conversation.ts';
import type { Channel } from '../../../platform/guild.ts';
import type { Guild } from '../../../platform/port.ts';
import { isConsistent } from '../rules.ts';
import {
  type CaptureContext,
  type CaptureDependencies,
  type CaptureRequest,
  createProgress,
} from './capture-context.ts';
import { captureConversation } from './capture-conversation.ts';
import { captureEmojis, captureSettings, captureStickers } from './capture-images.ts';
import { isAccessRefused, SnapshotImpossible } from './failure-message.ts';

const bansPerPage = 1000;
const membersPerPage = 1000;
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
    captureCore(context, request, unreadable),
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
];

const captureCore = async (
  context: CaptureContext,
  request: CaptureRequest,
  unreadable: Set<BackupComponent>,
): Promise<void> => {
  const isRequested = (component: BackupComponent) => request.components.includes(component);
  const { guild, channels, activity } = await readConsistently(context);
  const { sink } = context;
  const captureUnlessUnreadable = async () => {
    for (const component of await captureConversation(context, { channels, activity }, request)) {
      unreadable.add(component);
    }
  };
  if (isRequested('roles')) await sink.add('roles', guild.roles);
  if (isRequested('channels')) await sink.add('channels', channels);
  await awaitAll([
    isRequested('settings') && captureSettings(context, guild.settings),
    isRequested('emojis') && captureEmojis(context, guild),
    isRequested('stickers') && captureStickers(context, guild),
    captureUnlessUnreadable(),
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
}: CaptureContext): Promise<{ guild: Guild; channels: Channel[]; activity: ChannelActivity }> => {
  for (let reads = 1; ; reads++) {
    const [guild, { channels, activity }] = await Promise.all([
      platform.read(),
      platform.readChannelsWithActivity(),
    ]);
    if (isConsistent(guild.roles, channels)) {
      progress.complete(initialPieces);
      return { guild, channels, activity };
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
