import { ActivityType, GatewayIntentBits, GatewayOpcodes } from 'discord-api-types/v10';
import { z } from 'zod';
import type { GatewayEnd, GatewayIntent, Presence } from './port.ts';

export const frame = z.object({
  op: z.number(),
  /** An acknowledgement has none. */
  d: z.unknown().optional(),
  s: z.int().min(0).nullish(),
  t: z.string().nullish(),
});

export const hello = z.object({ heartbeat_interval: z.number().min(10).max(600_000) });

/** Both are stored with the session. */
const plainText = z.string().regex(/^[\x21-\x7e]{1,500}$/);

export const ready = z.object({
  session_id: plainText,
  resume_gateway_url: plainText,
  guilds: z.array(z.object({ id: z.string() })),
});

const intentBits: Record<GatewayIntent, number> = {
  GUILDS: GatewayIntentBits.Guilds,
  GUILD_MODERATION: GatewayIntentBits.GuildModeration,
  GUILD_MEMBERS: GatewayIntentBits.GuildMembers,
  GUILD_PRESENCES: GatewayIntentBits.GuildPresences,
  MESSAGE_CONTENT: GatewayIntentBits.MessageContent,
};

const properties = { os: process.platform, browser: 'holdfast', device: 'holdfast' };

type Identify = { token: string; intents: GatewayIntent[]; presence: Presence };

export const identifyFrame = ({ token, intents, presence }: Identify) => ({
  op: GatewayOpcodes.Identify,
  d: {
    token,
    properties,
    intents: intents.reduce((bits, intent) => bits | intentBits[intent], 0),
    presence: presenceBody(presence),
  },
});

export const resumeFrame = (token: string, { id, sequence }: { id: string; sequence: number }) => ({
  op: GatewayOpcodes.Resume,
  d: { token, session_id: id, seq: sequence },
});

export const heartbeatFrame = (sequence: number | null) => ({
  op: GatewayOpcodes.Heartbeat,
  d: sequence,
});

export const presenceFrame = (presence: Presence) => ({
  op: GatewayOpcodes.PresenceUpdate,
  d: presenceBody(presence),
});

/** A bot cannot choose to be offline while it is connected: invisible looks the same to others. */
const statuses: Record<Presence['status'], string> = {
  ONLINE: 'online',
  IDLE: 'idle',
  DND: 'dnd',
  INVISIBLE: 'invisible',
  OFFLINE: 'invisible',
};

const activities: Record<Presence['activityType'], ActivityType> = {
  PLAYING: ActivityType.Playing,
  STREAMING: ActivityType.Streaming,
  LISTENING: ActivityType.Listening,
  WATCHING: ActivityType.Watching,
  CUSTOM: ActivityType.Custom,
  COMPETING: ActivityType.Competing,
};

const presenceBody = ({ status, activityType, activityText }: Presence) => ({
  status: statuses[status],
  activities: activityText === '' ? [] : [activityBody(activityType, activityText)],
  afk: false,
  since: null,
});

/** The text of a custom status is its state; its name is not shown. */
const activityBody = (type: Presence['activityType'], text: string) => ({
  type: activities[type],
  ...(type === 'CUSTOM' ? { name: 'Custom Status', state: text } : { name: text }),
});

const refusals = new Map<number, 'token' | 'intents' | 'size'>([
  [4004, 'token'],
  [4011, 'size'],
  [4013, 'intents'],
  [4014, 'intents'],
]);

/** A wrong sequence, a session that timed out, and two that say that the connection itself was wrong. */
const sessionEnds = [4007, 4009, 4010, 4012];

/** What a close by the platform means. An attempt to resume costs nothing, so it is the rule. */
export const endOfCode = (code: number | undefined): GatewayEnd => {
  const what = code === undefined ? undefined : refusals.get(code);
  if (what) return { kind: 'refused', what };
  const isOver = code !== undefined && sessionEnds.includes(code);
  return { kind: isOver ? 'sessionOver' : 'cut', code };
};
