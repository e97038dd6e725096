import { z } from 'zod';
import { snowflakeField } from '../http/read-body.ts';

/** The words of the gateway, version 10: opcodes, close codes and what clients send. */
export const Op = {
  Dispatch: 0,
  Heartbeat: 1,
  Identify: 2,
  PresenceUpdate: 3,
  VoiceStateUpdate: 4,
  Resume: 6,
  Reconnect: 7,
  RequestMembers: 8,
  InvalidSession: 9,
  Hello: 10,
  HeartbeatAck: 11,
  RequestSounds: 31,
} as const;

export const CloseCode = {
  UnknownError: 4000,
  UnknownOpcode: 4001,
  DecodeError: 4002,
  NotAuthenticated: 4003,
  AuthenticationFailed: 4004,
  AlreadyAuthenticated: 4005,
  InvalidSeq: 4007,
  RateLimited: 4008,
  SessionTimedOut: 4009,
  InvalidShard: 4010,
  ShardingRequired: 4011,
  InvalidVersion: 4012,
  InvalidIntents: 4013,
  DisallowedIntents: 4014,
} as const;

const REASONS: Record<number, string> = {
  4000: 'Unknown error.',
  4001: 'Unknown opcode.',
  4002: 'Error while decoding payload.',
  4003: 'Not authenticated.',
  4004: 'Authentication failed.',
  4005: 'Already authenticated.',
  4007: 'Invalid seq.',
  4008: 'You are being rate limited.',
  4009: 'Session timed out.',
  4010: 'Invalid shard.',
  4011: 'Sharding required.',
  4012: 'Invalid API version.',
  4013: 'Invalid intent(s).',
  4014: 'Disallowed intent(s).',
};

export const reasonOfClose = (code: number): string => REASONS[code] ?? '';

/** After these, whoever closed, the session cannot be resumed. Any other close keeps it. */
const ENDING_CODES: number[] = [
  ...[1000, 1001],
  CloseCode.AuthenticationFailed,
  CloseCode.InvalidSeq,
  CloseCode.InvalidShard,
  CloseCode.ShardingRequired,
  CloseCode.InvalidVersion,
  CloseCode.InvalidIntents,
  CloseCode.DisallowedIntents,
];

export const endsSession = (code: number): boolean => ENDING_CODES.includes(code);

export const frameSchema = z.object({ op: z.int(), d: z.unknown() });

const activitySchema = z.looseObject({
  name: z.string().max(128),
  type: z.int().min(0).max(5).default(0),
  state: z.string().max(128).nullish(),
  url: z.string().nullish(),
});

export const presenceSchema = z.object({
  status: z.enum(['online', 'dnd', 'idle', 'invisible', 'offline']).default('online'),
  activities: z
    .array(activitySchema)
    .nullish()
    .transform((activities) => activities ?? []),
  since: z.number().nullish(),
  afk: z.boolean().nullish(),
});

export type Presence = { status: string; activities: z.output<typeof activitySchema>[] };

export const identifySchema = z.object({
  token: z.string(),
  properties: z.looseObject({}).nullish(),
  intents: z.unknown(),
  shard: z.unknown().optional(),
  presence: presenceSchema.nullish(),
  large_threshold: z.int().min(50).max(250).nullish(),
});

export const resumeSchema = z.object({
  token: z.string(),
  session_id: z.string(),
  seq: z.int().min(0),
});

export const requestMembersSchema = z.object({
  guild_id: snowflakeField,
  query: z.string().nullish(),
  limit: z.int().min(0).default(0),
  user_ids: z.union([snowflakeField.transform((id) => [id]), z.array(snowflakeField)]).nullish(),
  presences: z.boolean().nullish(),
  nonce: z.string().nullish(),
});

export const requestSoundsSchema = z.object({ guild_ids: z.array(snowflakeField) });
