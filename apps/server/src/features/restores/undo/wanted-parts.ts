import type { Channel } from '../../../platform/guild.ts';
import {
  type AutomodRule,
  automodRule,
  type ScheduledEvent,
  scheduledEvent,
} from '../../../platform/guild-parts.ts';
import type { SectionEntry } from '../../backups/snapshot/snapshot.ts';
import { applyFields } from './apply-fields.ts';
import type { UndoInput } from './scope.ts';
import { honestFieldsOf, idsOf, wantedOf } from './wanted-things.ts';

const plainRule = {
  ...{ name: 'rule', eventType: 1, triggerType: 1, keywords: [], patterns: [], presets: [] },
  ...{ allowedWords: [], mentionLimit: null, isRaidProtectionEnabled: null, actions: [] },
  ...{ isEnabled: false, exemptRoleIds: [], exemptChannelIds: [] },
};

export const wantedAutomod = (input: UndoInput, channels: Channel[]): AutomodRule[] => {
  const { backup, current, scope } = input;
  const saved = backup.automod ?? [];
  const [lostRoles, lostChannels] = [idsOf(scope.deleted, 'role'), idsOf(scope.deleted, 'channel')];
  const there = new Set(channels.map(({ id }) => id));
  return wantedOf(input, {
    ...{ type: 'automod', live: current.parts?.automod ?? [], saved },
    ...{ schema: automodRule, blank: plainRule },
    complete: (rule) => {
      const before = saved.find(({ id }) => id === rule.id);
      if (!before) return rule;
      const withLost = (now: string[], was: string[], lost: Set<string>) => [
        ...new Set([...now, ...was.filter((id) => lost.has(id))]),
      ];
      return {
        ...rule,
        exemptRoleIds: withLost(rule.exemptRoleIds, before.exemptRoleIds, lostRoles),
        exemptChannelIds: withLost(rule.exemptChannelIds, before.exemptChannelIds, lostChannels),
        actions: actionsWithLost(rule, before, { lostChannels, there }),
      };
    },
  });
};

/** Alerts go to the channel that is made again, where no other was chosen since. */
const actionsWithLost = (
  { actions }: AutomodRule,
  before: AutomodRule,
  { lostChannels, there }: { lostChannels: Set<string>; there: Set<string> },
): AutomodRule['actions'] => {
  const lost = before.actions.filter(({ channelId }) => lostChannels.has(channelId ?? ''));
  const replaced = new Set(lost.map(({ type }) => type));
  const isKept = ({ type, channelId }: AutomodRule['actions'][number]) =>
    !replaced.has(type) || (channelId !== null && there.has(channelId));
  const kept = actions.filter(isKept);
  return [...kept, ...lost.filter(({ type }) => !kept.some((one) => one.type === type))];
};

const plainEvent = {
  ...{ name: 'event', description: null, venue: 'external', channelId: null, location: null },
  ...{ startsAt: '', endsAt: null, recurrence: null, imageHash: null },
};

/** Those in a channel that was deleted went with it. */
export const wantedEvents = (input: UndoInput, channels: Channel[]): SectionEntry<'events'>[] => {
  const { backup, current, scope } = input;
  const saved = backup.events ?? [];
  const lostChannels = idsOf(scope.deleted, 'channel');
  const there = new Set(channels.map(({ id }) => id));
  const live = current.parts?.events ?? [];
  const isLive = (eventId: string) => live.some(({ id }) => id === eventId);
  const wanted = wantedOf(input, {
    ...{ type: 'event', live, saved },
    ...{ schema: scheduledEvent, blank: plainEvent },
    complete: (event) => {
      const was = saved.find(({ id }) => id === event.id)?.channelId ?? '';
      const isLost = event.venue !== 'external' && !there.has(event.channelId ?? '');
      return isLost && lostChannels.has(was) ? { ...event, channelId: was } : event;
    },
  }).filter(
    ({ id, startsAt, venue, channelId }) =>
      isLive(id) || (startsAt !== '' && (venue === 'external' || there.has(channelId ?? ''))),
  );
  const known = new Set([...wanted.map(({ id }) => id), ...idsOf(scope.gone ?? [], 'event')]);
  const gone = saved
    .filter(({ id, channelId }) => lostChannels.has(channelId ?? '') && !known.has(id))
    .map((one) =>
      applyFields<ScheduledEvent>(one, honestFieldsOf(scope, 'event', one.id), scheduledEvent),
    );
  return [...wanted, ...gone].map((one) => {
    const before = saved.find(({ id }) => id === one.id);
    const isSamePicture = before?.imageHash === one.imageHash;
    return { ...one, image: isSamePicture ? (before?.image ?? null) : null };
  });
};
