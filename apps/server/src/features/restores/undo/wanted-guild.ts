import type { BackupComponent } from '@holdfast/contract';
import type { Snapshot } from '../../backups/snapshot/snapshot.ts';
import type { UndoInput, UndoScope } from './scope.ts';
import type { ThingType } from './set-atoms.ts';
import {
  wantedEmojis,
  wantedSounds,
  wantedStickers,
  wantedWebhooks,
} from './wanted-expressions.ts';
import { wantedOnboarding, wantedScreen } from './wanted-newcomers.ts';
import { wantedAutomod, wantedEvents } from './wanted-parts.ts';
import { wantedBans, wantedMembers, wantedSettings } from './wanted-people-and-settings.ts';
import { wantedChannels, wantedRoles } from './wanted-structure.ts';

/**
 * The guild as it would be without the attackers: the guild as it is, in which only what the scope names
 * is as it was. A repair to it changes nothing else, however the guild differs from the backup.
 */
export const wantedGuild = (
  input: UndoInput,
): Required<Pick<Snapshot, UndoComponent>> & Snapshot => {
  const { current } = input;
  const [roles, channels] = [wantedRoles(input), wantedChannels(input)];
  return {
    guildId: current.guildId,
    roles,
    channels,
    emojis: wantedEmojis(input),
    stickers: wantedStickers(input),
    webhooks: wantedWebhooks(input, channels),
    automod: wantedAutomod(input, channels),
    events: wantedEvents(input, channels),
    soundboard: wantedSounds(input),
    onboarding: wantedOnboarding(input, { roles, channels }),
    welcomeScreen: wantedScreen(input, channels),
    bans: wantedBans(input),
    memberRoles: wantedMembers(input),
    settings: [wantedSettings(input, channels)],
  };
};

type UndoComponent = Exclude<BackupComponent, 'messages' | 'threads'>;

const componentsOfType: Record<ThingType, [UndoComponent, ...UndoComponent[]]> = {
  // What is deleted takes with it what names it.
  channel: [
    ...(['channels', 'webhooks', 'settings'] as const),
    ...(['automod', 'events', 'onboarding', 'welcomeScreen'] as const),
  ],
  role: ['roles', 'channels', 'emojis', 'memberRoles', 'automod', 'onboarding'],
  emoji: ['emojis'],
  sticker: ['stickers'],
  webhook: ['webhooks'],
  automod: ['automod'],
  event: ['events'],
  sound: ['soundboard'],
  onboarding: ['onboarding'],
  invite: ['settings'],
  ban: ['bans'],
  member: ['memberRoles'],
  settings: ['settings'],
};

/** What an undo of this scope reads and changes. */
export const undoComponents = (scope: UndoScope): BackupComponent[] => {
  const { deleted, created, changed, places } = scope;
  const [ownOf, allOf] = [
    (type: ThingType) => componentsOfType[type].slice(0, 1),
    (type: ThingType) => componentsOfType[type],
  ];
  return [
    ...new Set([
      ...deleted.flatMap(({ type }) => allOf(type)),
      ...created.flatMap(({ type }) => ownOf(type)),
      ...changed.flatMap(({ type }) => ownOf(type)),
      ...(places?.during ?? []).flatMap(({ type }) => ownOf(type)),
    ]),
  ];
};

const named = ['automod', 'events', 'onboarding', 'welcomeScreen'] as const;

/**
 * Parts that only name channels and roles are touched where those of the backup name something that is
 * made again: otherwise nothing of them is lost, whatever the bot may do there.
 */
export const concernedComponents = (
  { scope, backup }: UndoInput,
  components: readonly BackupComponent[],
): BackupComponent[] => {
  const own = new Set(
    [...scope.deleted, ...scope.created, ...scope.changed].map(
      ({ type }) => componentsOfType[type][0],
    ),
  );
  const lost = scope.deleted.filter(({ type }) => type === 'channel' || type === 'role');
  return components.filter((component) => {
    const part = named.find((one) => one === component);
    if (!part || own.has(part)) return true;
    const saved = JSON.stringify(backup[part] ?? []);
    return lost.some(({ id }) => saved.includes(JSON.stringify(id)));
  });
};
