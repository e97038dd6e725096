import { type RestoreStage, restoreStages } from '@holdfast/contract';
import type { Ban, Channel, GuildMember } from '../../../platform/guild.ts';
import type { Guild } from '../../../platform/port.ts';
import type { Action, SubjectType } from './action.ts';
import type { IdMap } from './id-map.ts';
import type { Loss, StoredLoss } from './loss.ts';
import type { Note } from './note.ts';
import type { LiveParts } from './parts/live-parts.ts';

/**
 * One call of a restore. The stages (`restoreStages`) run one after the other: a stage begins when
 * every step of the one before has ended. Steps that take rights away come first, steps that give
 * them later, steps that delete last. So at every moment the guild is at most as open as it was or as
 * it will be, and it is never empty.
 */
export type Step = {
  seq: number;
  stage: RestoreStage;
  /** Steps of the same stage that must have ended before this one begins. */
  after: number[];
  action: Action;
  type: SubjectType;
  /** For people to read. */
  name: string;
  effect: 'create' | 'update' | 'delete';
};

/** A step before it has its number: steps that wait for it name its key. */
export type DraftStep = Omit<Step, 'seq' | 'after'> & { key: string; after: string[] };

type DraftInput = Pick<DraftStep, 'key' | 'stage' | 'name' | 'action'> & { after?: string[] };

export const draftStep = ({ after = [], ...step }: DraftInput): DraftStep => {
  const [type, effect] = kindOfAction[step.action.do];
  return { ...step, after, type, effect };
};

const kindOfAction: Record<Action['do'], readonly [Step['type'], Step['effect']]> = {
  createRole: ['role', 'create'],
  editRole: ['role', 'update'],
  placeRoles: ['role', 'update'],
  deleteRole: ['role', 'delete'],
  createChannel: ['channel', 'create'],
  editChannel: ['channel', 'update'],
  setOverwrites: ['channel', 'update'],
  placeChannels: ['channel', 'update'],
  deleteChannel: ['channel', 'delete'],
  editSettings: ['settings', 'update'],
  createEmoji: ['emoji', 'create'],
  editEmoji: ['emoji', 'update'],
  deleteEmoji: ['emoji', 'delete'],
  createSticker: ['sticker', 'create'],
  editSticker: ['sticker', 'update'],
  deleteSticker: ['sticker', 'delete'],
  ban: ['ban', 'create'],
  unban: ['ban', 'delete'],
  editMember: ['member', 'update'],
  createAutomodRule: ['automod', 'create'],
  editAutomodRule: ['automod', 'update'],
  deleteAutomodRule: ['automod', 'delete'],
  createEvent: ['event', 'create'],
  editEvent: ['event', 'update'],
  deleteEvent: ['event', 'delete'],
  createSound: ['sound', 'create'],
  editSound: ['sound', 'update'],
  deleteSound: ['sound', 'delete'],
  createWebhook: ['webhook', 'create'],
  editWebhook: ['webhook', 'update'],
  deleteWebhook: ['webhook', 'delete'],
  pauseOnboarding: ['onboarding', 'update'],
  setOnboarding: ['onboarding', 'update'],
  setWelcomeScreen: ['welcomeScreen', 'update'],
  setWidget: ['settings', 'update'],
  deleteInvite: ['settings', 'delete'],
  setRoleIcon: ['role', 'update'],
};

/** Numbers the steps in the order of the stages. A step need not name those of earlier stages. */
export const numberSteps = (drafts: DraftStep[]): Step[] => {
  const sorted = restoreStages.flatMap((stage) => drafts.filter((draft) => draft.stage === stage));
  const seqs = new Map(sorted.map(({ key, stage }, index) => [`${stage} ${key}`, index + 1]));
  return sorted.map(({ key, after, ...step }, index) => ({
    ...step,
    seq: index + 1,
    after: after.flatMap((other) => seqs.get(`${step.stage} ${other}`) ?? []),
  }));
};

/** One field as it is in the target and as it will be, by the platform's name of it. */
export type FieldChange = { field: string; from: FieldValue; to: FieldValue };
export type FieldValue = string | number | boolean | null | unknown[] | Record<string, unknown>;
export type PlannedUpdate = { type: SubjectType; name: string; changes: FieldChange[] };

export type RestorePlan = {
  steps: Step[];
  losses: Loss[];
  /** Why nothing may be begun at all. */
  blockers: string[];
  /** What the owner should know, though nothing is lost by it. */
  warnings: string[];
  /** The same, but nothing to act on: it is shown apart from the warnings. */
  notes: Note[];
  /** Things of the target that are changed, each named once. */
  updates: PlannedUpdate[];
  /** How many things of the components asked for stay as they are. */
  keep: number;
  /** The ids of the target that are known for ids of the backup before the first step. */
  idMap: IdMap;
};

/** What is stored of a plan beside its steps, for a worker that takes the restore over. */
export type StoredPlan = {
  /** The target when it was planned. Absent in plans of earlier versions. */
  guildId?: string;
  idMap: IdMap;
  /** Ids of all that the target had: an id that is not among them was made by the restore. */
  idsBefore: string[];
  losses: StoredLoss[];
  warnings: string[];
  /** Absent in plans of earlier versions. */
  notes?: Note[];
  /** The power that its roles are to get: `comingPowerOf`. Absent in plans of earlier versions. */
  coming?: Record<string, string>;
  /** The power that roles of its members had in the backup: `powerHad`. Absent where nobody gets any by it. */
  had?: Record<string, string>;
  /** Of a restore that gives no power to others than those who had it. */
  given?: GivenPower;
};

/** Power that a step gives, as bits in words, by the step's number and by the role's id in the backup. */
export type GivenPower = Record<number, Record<string, string>>;

/** A guild of which everything is known. */
export type WholeGuild = GuildState & Required<Pick<GuildState, 'bans' | 'members'>>;

/** A guild as it was read; bans, members and parts only where they are restored. */
export type GuildState = Omit<Guild, 'memberCount' | 'widget' | 'vanityCode'> & {
  guildId: string;
  channels: Channel[];
  bans?: Ban[];
  members?: GuildMember[];
  /** Hashes of pictures by the id of their emoji or sticker, of those that must be told apart by it. */
  pictureHashes?: Record<string, string>;
  parts?: LiveParts;
};
