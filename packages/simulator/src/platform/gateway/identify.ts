import type { z } from 'zod';
import { botUserOf } from '../identity/identities.ts';
import { flagsOfIntents, privilegedIntentsOf } from '../identity/intents.ts';
import { userBody } from '../identity/routes.ts';
import type { Application } from '../platform.ts';
import { sendGuild } from './guild-state.ts';
import { areKnownIntents } from './intents.ts';
import { endSession, tellPresence } from './presence.ts';
import { CloseCode, type identifySchema, Op, type resumeSchema } from './protocol.ts';
import { addSession, attach, framesAfter, guildsOf, sendEvent } from './session.ts';
import {
  type BotRecord,
  type Connection,
  type GatewayState,
  recordOf,
  type Session,
} from './state.ts';

/** Where a lost session is taken up again: another path than the first, as another host is there. */
const RESUME_PATH = '/gateway/resume';

const botOf = ({ identities }: GatewayState, token: string): Application | undefined =>
  identities.botOf(`Bot ${token.replace(/^Bot /, '')}`);

type Identification = z.output<typeof identifySchema>;

/** Begins a session: READY, then each guild. A refusal closes the connection with its code. */
export const identify = (state: GatewayState, connection: Connection, asked: Identification) => {
  const { intents } = asked;
  const shard = readShard(asked.shard);
  if (!shard) return connection.close(CloseCode.InvalidShard);
  if (!areKnownIntents(intents)) return connection.close(CloseCode.InvalidIntents);
  const bot = botOf(state, asked.token);
  if (!bot) return connection.close(CloseCode.AuthenticationFailed);
  const record = recordOf(state, bot.id);
  if (record.faults.refusedUntilMs > Date.now()) return connection.cut();
  const isAllowed = privilegedIntentsOf(intents).every((intent) => bot.intents.includes(intent));
  if (!isAllowed) return connection.close(CloseCode.DisallowedIntents);
  if (!takeTurn(state, record, shard[0])) return refuseSession(connection, false);
  if (!takeFromBudget(state, record)) return resetToken(state, connection, bot);
  startSession(state, connection, newSession(bot, record, { ...asked, intents, shard }));
};

const readShard = (shard: unknown): [number, number] | undefined => {
  if (shard == null) return [0, 1];
  if (!Array.isArray(shard) || shard.length !== 2) return undefined;
  const [index, count] = shard;
  const isValid = Number.isInteger(index) && Number.isInteger(count) && index >= 0 && index < count;
  return isValid ? [index, count] : undefined;
};

/** So many identifies within five seconds, counted for each remainder of the shard's number. */
const takeTurn = ({ settings }: GatewayState, record: BotRecord, shardIndex: number): boolean => {
  const key = shardIndex % settings.maxConcurrency;
  const last = record.lastIdentifyAtMs.get(key);
  if (last !== undefined && Date.now() - last < settings.concurrencyMs) return false;
  record.lastIdentifyAtMs.set(key, Date.now());
  return true;
};

export const budgetOf = ({ settings }: GatewayState, { day }: BotRecord) => {
  const isOver = day.endsAtMs <= Date.now();
  return {
    total: settings.identifiesPerDay,
    remaining: Math.max(0, settings.identifiesPerDay - (isOver ? 0 : day.used)),
    reset_after: isOver ? 0 : day.endsAtMs - Date.now(),
    max_concurrency: settings.maxConcurrency,
  };
};

const takeFromBudget = (state: GatewayState, record: BotRecord): boolean => {
  if (budgetOf(state, record).remaining === 0) return false;
  const { day } = record;
  if (day.endsAtMs <= Date.now()) {
    record.day = { endsAtMs: Date.now() + state.settings.identifyDayMs, used: 1 };
  } else day.used += 1;
  record.identifies += 1;
  return true;
};

/** Who identifies too often loses the token: every session ends, and the token is refused from then on. */
const resetToken = (state: GatewayState, connection: Connection, { id }: Application) => {
  state.identities.putApplication(id, { isDead: true });
  endRefused(state, id);
  connection.close(CloseCode.AuthenticationFailed);
};

/** Sessions whose token is good no longer are over, connected or not. */
export const endRefused = (state: GatewayState, botId: string) => {
  for (const session of state.sessionsOfBot.get(botId) ?? []) {
    if (botOf(state, session.token)) continue;
    if (session.connection) session.connection.close(CloseCode.AuthenticationFailed);
    else endSession(state, session);
  }
};

const newSession = (
  bot: Application,
  record: BotRecord,
  asked: Identification & { intents: number; shard: [number, number] },
): Session => ({
  id: crypto.randomUUID().replaceAll('-', ''),
  bot,
  record,
  token: asked.token,
  intents: asked.intents,
  shard: asked.shard,
  largeThreshold: asked.large_threshold ?? 50,
  startedAtMs: Date.now(),
  presence: asked.presence ?? { status: 'online', activities: [] },
  connection: undefined,
  connectedAtMs: Date.now(),
  lostAtMs: null,
  seq: 0,
  replay: [],
  replayBytes: 0,
});

const startSession = (state: GatewayState, connection: Connection, session: Session) => {
  const guilds = guildsOf(state, session);
  if (guilds.length > state.settings.guildsPerShard) {
    return connection.close(CloseCode.ShardingRequired);
  }
  addSession(state, session);
  attach(session, connection);
  const guildIds = guilds.map(({ id }) => id);
  sendEvent(state, session, 'READY', JSON.stringify(ready(state, connection, session, guildIds)));
  for (const guild of guilds) sendGuild(state, session, guild);
  tellPresence(state, session.bot.id);
};

const ready = (
  { identities }: GatewayState,
  { origin }: Connection,
  { id, bot, shard }: Session,
  guildIds: string[],
) => ({
  v: 10,
  user_settings: {},
  user: {
    ...userBody(identities.findUser(bot.id) ?? botUserOf(bot)),
    ...{ email: null, mfa_enabled: false, verified: true },
  },
  session_type: 'normal',
  session_id: id,
  resume_gateway_url: `${origin}${RESUME_PATH}`,
  ...{ relationships: [], private_channels: [], presences: [], geo_ordered_rtc_regions: [] },
  shard,
  application: { id: bot.id, flags: flagsOfIntents(bot.intents) },
  guilds: guildIds.map((guildId) => ({ id: guildId, unavailable: true })),
  auth: {},
  _trace: ['["holdfast-simulator"]'],
});

/** The client is to begin anew on the same connection or, where it may, to resume on another. */
export const refuseSession = (connection: Connection, isResumable: boolean) =>
  connection.send(JSON.stringify({ t: null, s: null, op: Op.InvalidSession, d: isResumable }));

/** Takes a session up where the client lost it: what it missed, then RESUMED. */
export const resume = (
  state: GatewayState,
  connection: Connection,
  { token, session_id, seq }: z.output<typeof resumeSchema>,
) => {
  const bot = botOf(state, token);
  if (!bot) return connection.close(CloseCode.AuthenticationFailed);
  const session = state.sessions.get(session_id);
  if (recordOf(state, bot.id).faults.refusedUntilMs > Date.now()) return connection.cut();
  if (session?.bot.id !== bot.id || isOver(state, session)) {
    return refuseSession(connection, false);
  }
  if (seq > session.seq) {
    endSession(state, session);
    return connection.close(CloseCode.InvalidSeq);
  }
  const missed = framesAfter(session, seq);
  if (!missed) {
    endSession(state, session);
    return refuseSession(connection, false);
  }
  const before = session.connection;
  attach(session, connection);
  // A session has one connection: who held it until now loses it.
  before?.close(CloseCode.UnknownError);
  session.record.resumes += 1;
  for (const frame of missed) connection.send(frame);
  sendEvent(state, session, 'RESUMED', JSON.stringify({ _trace: ['["holdfast-simulator"]'] }));
};

/** Nobody came back for it in time. */
export const isOver = ({ settings }: GatewayState, { lostAtMs }: Session): boolean =>
  lostAtMs !== null && Date.now() - lostAtMs > settings.resumeWithinMs;
