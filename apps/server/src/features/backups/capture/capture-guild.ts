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
import { captureEmojis, captureRoles, captureSettings, captureStickers } from './capture-images.ts';
import { capturedParts, capturePart } from './capture-parts.ts';
import { SnapshotImpossible } from './failure-message.ts';
import { isSectionFailure, whyUnreadable } from './section-failure.ts';

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
  const unlessUnreadable = (component: OptionalComponent, capturing: Promise<void>) =>
    capturing.catch((error: unknown) => {
      const isIntentMissing = error instanceof IntentMissing;
      if (!isIntentMissing && !isSectionFailure(error)) throw error;
      unreadable.add(component);
      const reason = isIntentMissing ? membersIntentReason : whyUnreadable(error, component);
      sink.warn(`The ${labels[component]} are not in this backup: ${reason}`);
    });
  const captureBans = () =>
    capturePages(context, bansPerPage, async (after) => {
      const bans = await guild.readBans(after);
      await sink.add('bans', bans);
      return bans;
    });
  const captureMembers = async () => {
    if (!(await dependencies.readIntents()).includes('GUILD_MEMBERS')) throw new IntentMissing();
    return capturePages(context, membersPerPage, async (after) => {
      const members = await guild.readMembers(after);
      await sink.add(
        'memberRoles',
        members.map(({ timedOutUntil: _, ...member }) => member),
      );
      return members;
    });
  };
  const reading = readConsistently(context);
  // A function: a promise that no part awaits would end the process when the read fails.
  const readGuild = async () => (await reading).guild;
  await awaitAll([
    captureCore(context, request, reading, unreadable),
    isRequested('bans') && unlessUnreadable('bans', captureBans()),
    isRequested('memberRoles') && unlessUnreadable('memberRoles', captureMembers()),
    ...capturedParts
      .filter(isRequested)
      .map((part) => unlessUnreadable(part, capturePart(context, readGuild, part))),
  ]);
  return request.components.filter((component) => !unreadable.has(component));
};

/** The platform would refuse to list the members. */
class IntentMissing extends Error {}
const membersIntentReason = "switch on the Server Members intent of the bot's application";

type OptionalComponent = keyof typeof labels;

const labels = {
  bans: 'bans',
  memberRoles: 'roles and nicknames of members',
  automod: 'AutoMod rules',
  onboarding: 'questions of the onboarding',
  welcomeScreen: 'texts of the welcome screen',
  events: 'events',
  soundboard: 'sounds',
  webhooks: 'webhooks',
} as const satisfies Partial<Record<BackupComponent, string>>;

type Core = { guild: Guild; channels: Channel[]; activity: ChannelActivity };

const captureCore = async (
  context: CaptureContext,
  request: CaptureRequest,
  reading: Promise<Core>,
  unreadable: Set<BackupComponent>,
): Promise<void> => {
  const isRequested = (component: BackupComponent) => request.components.includes(component);
  const { guild, channels, activity } = await reading;
  const { sink } = context;
  const captureUnlessUnreadable = async () => {
    for (const component of await captureConversation(context, { channels, activity }, request)) {
      unreadable.add(component);
    }
  };
  if (isRequested('channels')) await sink.add('channels', channels);
  await awaitAll([
    isRequested('roles') && captureRoles(context, guild),
    isRequested('settings') && captureSettings(context, guild),
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
const readConsistently = async ({ guild: platform, progress }: CaptureContext): Promise<Core> => {
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
