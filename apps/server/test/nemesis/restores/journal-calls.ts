import type { LogRow } from '@holdfast/simulator';
import {
  type Action,
  isPartAction,
  type PartAction,
  type Ref,
} from '../../../src/features/restores/plan/action.ts';
import {
  type IdMap,
  recordCreated,
  resolveRef,
} from '../../../src/features/restores/plan/id-map.ts';
import type { StepRow } from '../../../src/features/restores/queries/journal.ts';

/** The call that a step makes, told from its journal alone: method and path. */
const callOf = (action: Action, guildId: string, map: IdMap): string => {
  const guild = `/guilds/${guildId}`;
  const role = (ref: Ref) => resolveRef(map.roles, ref);
  switch (action.do) {
    case 'createRole':
      return `POST ${guild}/roles`;
    case 'editRole':
      return `PATCH ${guild}/roles/${role(action.role)}`;
    case 'placeRoles':
      return `PATCH ${guild}/roles`;
    case 'deleteRole':
      return `DELETE ${guild}/roles/${action.roleId}`;
    case 'createChannel':
      return `POST ${guild}/channels`;
    case 'editChannel':
    case 'setOverwrites':
      return `PATCH /channels/${resolveRef(map.channels, action.channel)}`;
    case 'placeChannels':
      return `PATCH ${guild}/channels`;
    case 'deleteChannel':
      return `DELETE /channels/${action.channelId}`;
    case 'editSettings':
      return `PATCH ${guild}`;
    default:
      return isPartAction(action) ? callOfPart(action, guild, map) : callOfOther(action, guild);
  }
};

const callOfPart = (action: PartAction, guild: string, map: IdMap): string => {
  switch (action.do) {
    case 'createAutomodRule':
      return `POST ${guild}/auto-moderation/rules`;
    case 'editAutomodRule':
      return `PATCH ${guild}/auto-moderation/rules/${action.ruleId}`;
    case 'deleteAutomodRule':
      return `DELETE ${guild}/auto-moderation/rules/${action.ruleId}`;
    case 'createEvent':
      return `POST ${guild}/scheduled-events`;
    case 'editEvent':
      return `PATCH ${guild}/scheduled-events/${action.eventId}`;
    case 'deleteEvent':
      return `DELETE ${guild}/scheduled-events/${action.eventId}`;
    case 'createSound':
      return `POST ${guild}/soundboard-sounds`;
    case 'editSound':
      return `PATCH ${guild}/soundboard-sounds/${action.soundId}`;
    case 'deleteSound':
      return `DELETE ${guild}/soundboard-sounds/${action.soundId}`;
    case 'createWebhook':
      return `POST /channels/${map.channels[action.channelId]}/webhooks`;
    case 'editWebhook':
      return `PATCH /webhooks/${action.webhookId}`;
    case 'deleteWebhook':
      return `DELETE /webhooks/${action.webhookId}`;
    case 'pauseOnboarding':
    case 'setOnboarding':
      return `PUT ${guild}/onboarding`;
    case 'setWelcomeScreen':
      return `PATCH ${guild}/welcome-screen`;
    case 'setWidget':
      return `PATCH ${guild}/widget`;
    case 'deleteInvite':
      return `DELETE /invites/${action.inviteCode}`;
    case 'setRoleIcon':
      return `PATCH ${guild}/roles/${resolveRef(map.roles, action.role)}`;
  }
};

const callOfOther = (action: Action, guild: string): string => {
  switch (action.do) {
    case 'createEmoji':
      return `POST ${guild}/emojis`;
    case 'editEmoji':
      return `PATCH ${guild}/emojis/${action.emojiId}`;
    case 'deleteEmoji':
      return `DELETE ${guild}/emojis/${action.emojiId}`;
    case 'createSticker':
      return `POST ${guild}/stickers`;
    case 'editSticker':
      return `PATCH ${guild}/stickers/${action.stickerId}`;
    case 'deleteSticker':
      return `DELETE ${guild}/stickers/${action.stickerId}`;
    case 'ban':
      return `PUT ${guild}/bans/${action.userId}`;
    case 'unban':
      return `DELETE ${guild}/bans/${action.userId}`;
    case 'editMember':
      return `PATCH ${guild}/members/${action.userId}`;
    default:
      throw new Error(`Unknown step ${action.do}`);
  }
};

type Journal = {
  guildId: string;
  idMap: IdMap;
  /** As it was when the worker died; undefined where it did not, or where there was none yet. */
  atDeath: StepRow[] | undefined;
  atEnd: StepRow[];
};

type Calls = { beforeDeath: LogRow[]; afterDeath: LogRow[] };

/** Where the calls that took effect are more than the journal accounts for. */
export const findRepeats = (journal: Journal, calls: Calls): string[] => {
  const { guildId, atDeath = [], atEnd } = journal;
  const idMap = atEnd.reduce(
    (map, { action, createdId }) => recordCreated(map, action, createdId ?? undefined),
    journal.idMap,
  );
  const keyOf = ({ action }: StepRow) => callOf(action, guildId, idMap);
  const planned = count(atEnd.map(keyOf));
  const done = count(atDeath.filter(({ status }) => status === 'done').map(keyOf));
  const begun = count(atDeath.filter(({ status }) => status === 'begun').map(keyOf));
  const later = count(calls.afterDeath.map(spell));
  const all = count([...calls.beforeDeath, ...calls.afterDeath].map(spell));

  return [...all].flatMap(([call, times]) => {
    const plannedTimes = planned.get(call) ?? 0;
    if (plannedTimes === 0) return [`${call} was not planned`];
    const isCreate = call.startsWith('POST ');
    if (isCreate && times !== plannedTimes) {
      return [`${call} took effect ${times} times for ${plannedTimes} steps`];
    }
    const stillOpen = plannedTimes - (done.get(call) ?? 0);
    const laterTimes = later.get(call) ?? 0;
    if (laterTimes > stillOpen) return [`${call} was repeated after it was journalled as done`];
    const mayRepeat = begun.get(call) ?? 0;
    return times > plannedTimes + mayRepeat ? [`${call} was repeated without need`] : [];
  });
};

const spell = ({ method, path }: LogRow): string => `${method} ${path.split('?')[0]}`;

const count = (keys: string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
};
