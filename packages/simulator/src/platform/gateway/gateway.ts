import type { Guild } from '../guild/guild.ts';
import type { World } from '../guild/world.ts';
import type { IdentityStore } from '../identity/identities.ts';
import type { Gateway, GuildEvent } from '../platform.ts';
import { sendGuild } from './guild-state.ts';
import { endRefused, isOver } from './identify.ts';
import { coversEvent } from './intents.ts';
import { endSession } from './presence.ts';
import { CloseCode, Op } from './protocol.ts';
import { receive } from './receive.ts';
import { detach, isOfShard, sendEvent, sessionsIn } from './session.ts';
import {
  type Connection,
  type GatewaySettings,
  type GatewayState,
  newGatewayState,
  type Session,
} from './state.ts';

/** How many intervals may pass without a heartbeat. */
const MISSED_INTERVALS = 1.5;
const MAX_SWEEP_MS = 1000;

export type GatewayServer = Gateway & {
  state: GatewayState;
  setSettings(settings: GatewaySettings): void;
  /** Ends the sessions of a bot whose token is dead or was replaced. */
  endRefused(botId: string): void;
  open(connection: Connection): void;
  receive(connection: Connection, text: string): void;
  closed(connection: Connection, code: number): void;
  stop(): void;
};

/** The sessions of all bots. One timer looks after all of them. */
export const createGateway = (world: World, identities: IdentityStore): GatewayServer => {
  const state = newGatewayState(world, identities);
  let timer = sweepRegularly(state);
  return {
    state,
    setSettings: (settings) => {
      state.settings = settings;
      clearInterval(timer);
      timer = sweepRegularly(state);
    },
    stop: () => clearInterval(timer),
    open: (connection) => {
      state.connections.add(connection);
      const { heartbeatIntervalMs: heartbeat_interval, helloDelayMs } = state.settings;
      const d = { heartbeat_interval, _trace: [] };
      const hello = () => connection.send(JSON.stringify({ t: null, s: null, op: Op.Hello, d }));
      if (helloDelayMs > 0) setTimeout(hello, helloDelayMs);
      else hello();
    },
    receive: (connection, text) => receive(state, connection, text),
    closed: (connection, code) => {
      state.connections.delete(connection);
      const { session } = connection;
      if (session && detach(connection, code)) endSession(state, session);
    },
    listenersIn: (guild) => [
      ...new Map([...sessionsIn(state, guild)].map(({ bot }) => [bot.id, bot])).values(),
    ],
    isHeard: (guild) => !sessionsIn(state, guild).next().done,
    dispatch: (guild, event) => dispatch(state, guild, event),
    dispatchTo: (botId, guild, event) => dispatchTo(state, botId, guild, event),
    tellGuild: (botId, guild) => {
      for (const session of state.sessionsOfBot.get(botId) ?? []) {
        if (isOfShard(session, guild.id)) sendGuild(state, session, guild);
      }
    },
    endRefused: (botId) => endRefused(state, botId),
  };
};

const sweepRegularly = (state: GatewayState) => {
  const everyMs = Math.min(MAX_SWEEP_MS, state.settings.heartbeatIntervalMs / 2);
  return setInterval(() => sweep(state), everyMs).unref();
};

/** Closes connections whose heartbeat stopped and forgets sessions that nobody resumed. */
const sweep = (state: GatewayState) => {
  const latest = Date.now() - state.settings.heartbeatIntervalMs * MISSED_INTERVALS;
  for (const connection of state.connections) {
    if (connection.lastHeartbeatAtMs < latest) connection.close(CloseCode.SessionTimedOut);
  }
  for (const session of state.sessions.values()) {
    if (isOver(state, session)) endSession(state, session);
  }
};

/** To every session whose bot is in the guild, by its intents. Each shape is encoded once. */
const dispatch = (state: GatewayState, guild: Guild, event: GuildEvent) => {
  const encoded = new Map<string, string>();
  for (const session of sessionsIn(state, guild)) sendTo(state, session, guild, event, encoded);
};

const dispatchTo = (state: GatewayState, botId: string, guild: Guild, event: GuildEvent) => {
  const encoded = new Map<string, string>();
  for (const session of state.sessionsOfBot.get(botId) ?? []) {
    if (isOfShard(session, guild.id)) sendTo(state, session, guild, event, encoded);
  }
};

const sendTo = (
  state: GatewayState,
  session: Session,
  guild: Guild,
  { name, shapeFor, data, exceptFor, alwaysTo }: GuildEvent,
  encoded: Map<string, string>,
) => {
  const { bot, intents } = session;
  if (exceptFor?.has(bot.id)) return;
  if (!coversEvent(intents, name) && alwaysTo !== bot.id) return;
  const shape = shapeFor ? shapeFor({ botId: bot.id, intents, guild }) : '';
  if (shape === undefined) return;
  const payload = encoded.get(shape) ?? JSON.stringify(data(shape));
  encoded.set(shape, payload);
  sendEvent(state, session, name, payload);
};
