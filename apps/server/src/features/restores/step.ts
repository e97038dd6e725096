import { type RestoreStage, restoreStages } from '@holdfast/contract';
import type {
  Ban,
  Channel,
  Emoji,
  GuildMember,
  GuildSettings,
  Role,
  Sticker,
} from '../../platform/guild.ts';
import type { Action } from './action.ts';
import type { IdMap } from './id-map.ts';

/**
 * A restore goes through these one after the other: a stage begins when all of the one before has
 * ended. What takes rights away comes first, what gives them later, what deletes last. So at every
 * moment the server is at most as open as it was or as it will be, and never empty.
 */
export const stages = restoreStages;
export type Stage = RestoreStage;

export const subjectTypes = [
  'role',
  'channel',
  'emoji',
  'sticker',
  'ban',
  'member',
  'settings',
] as const;
export type SubjectType = (typeof subjectTypes)[number];

export type Step = {
  seq: number;
  stage: Stage;
  /** Steps of the same stage that must have ended before this one begins. */
  after: number[];
  action: Action;
  type: SubjectType;
  /** For people. */
  name: string;
  effect: 'create' | 'update' | 'delete';
};

/** A step before it has its number: steps that wait for it name its key. */
export type Draft = Omit<Step, 'seq' | 'after'> & { key: string; after: string[] };

/** Something of the backup that will not come back, and why. A restore with a loss ends `partial`. */
export type Loss = { type: SubjectType | 'message'; name: string; reason: string };

export type RestorePlan = {
  steps: Step[];
  losses: Loss[];
  /** Why nothing may be begun at all. */
  blockers: string[];
  /** What the owner should know, though nothing is lost by it. */
  warnings: string[];
  /** What of the backup is known to be what of the target before the first step. */
  idMap: IdMap;
};

/** The target as it was read; bans and members only where they are restored. */
export type PresentGuild = {
  guildId: string;
  ownerId: string;
  settings: GuildSettings;
  roles: Role[];
  channels: Channel[];
  emojis: Emoji[];
  stickers: Sticker[];
  bans?: Ban[];
  members?: GuildMember[];
};
