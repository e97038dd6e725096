import type { Guild } from '../guild/guild.ts';
import { endsSession, Op } from './protocol.ts';
import type { Connection, GatewayState, Payload, Session } from './state.ts';

/** Bounds what an unread session keeps, whatever its events weigh. */
const MAX_REPLAY_BYTES = 512 * 1024;

export const addSession = ({ sessions, sessionsOfBot }: GatewayState, session: Session) => {
  sessions.set(session.id, session);
  const ofBot = sessionsOfBot.get(session.bot.id) ?? new Set();
  sessionsOfBot.set(session.bot.id, ofBot.add(session));
};

export const removeSession = ({ sessions, sessionsOfBot }: GatewayState, session: Session) => {
  sessions.delete(session.id);
  const ofBot = sessionsOfBot.get(session.bot.id);
  ofBot?.delete(session);
  if (ofBot?.size === 0) sessionsOfBot.delete(session.bot.id);
};

export const attach = (session: Session, connection: Connection) => {
  connection.session = session;
  session.connection = connection;
  session.connectedAtMs = Date.now();
  session.lostAtMs = null;
};

/** Its connection has no session any more; the session waits for another. */
export const release = (session: Session) => {
  if (session.connection) session.connection.session = undefined;
  session.connection = undefined;
  session.lostAtMs = Date.now();
};

/** The socket is gone. True if its session is over with it. */
export const detach = (connection: Connection, code: number): boolean => {
  const { session } = connection;
  if (session?.connection !== connection) return false;
  release(session);
  const { closes } = session.record;
  closes[code] = (closes[code] ?? 0) + 1;
  return endsSession(code);
};

/** Numbers the event, keeps it for a resume and sends it to who is connected. */
export const sendEvent = (
  { settings }: GatewayState,
  session: Session,
  name: Session['replay'][number]['name'],
  payload: Payload,
) => {
  session.seq += 1;
  session.replay.push({ name, payload });
  session.replayBytes += weigh(payload);
  while (session.replay.length > settings.replayLimit || session.replayBytes > MAX_REPLAY_BYTES) {
    const dropped = session.replay.shift();
    if (!dropped) break;
    session.replayBytes -= weigh(dropped.payload);
  }
  if (session.connection) deliver(session, frameOf(session.seq, name, payload));
};

const weigh = (payload: Payload): number => (typeof payload === 'string' ? payload.length : 0);

const frameOf = (seq: number, name: string, payload: Payload): string => {
  const data = typeof payload === 'string' ? payload : payload();
  return `{"t":"${name}","s":${seq},"op":${Op.Dispatch},"d":${data}}`;
};

const deliver = ({ connection, record }: Session, frame: string) => {
  const { faults } = record;
  if (faults.withoutAuditLog && frame.startsWith('{"t":"GUILD_AUDIT_LOG_ENTRY_CREATE"')) return;
  if (faults.drop > 0) {
    faults.drop -= 1;
    return;
  }
  const times = faults.duplicate > 0 ? 2 : 1;
  faults.duplicate = Math.max(0, faults.duplicate - 1);
  const send = () => {
    for (let sent = 0; sent < times; sent += 1) connection?.send(frame);
  };
  if (faults.delayMs > 0) setTimeout(send, faults.delayMs);
  else send();
};

/** What a client that has seen `seq` missed; undefined if some of it is no longer kept. */
export const framesAfter = ({ seq, replay }: Session, seen: number): string[] | undefined => {
  const missed = seq - seen;
  if (missed > replay.length) return undefined;
  return replay
    .slice(replay.length - missed)
    .map(({ name, payload }, index) => frameOf(seen + 1 + index, name, payload));
};

/** A shard holds its share of the guilds. */
export const isOfShard = ({ shard: [index, count] }: Session, guildId: string): boolean =>
  count === 1 || Number((BigInt(guildId) >> 22n) % BigInt(count)) === index;

/** The guilds of a session's bot that belong to its shard. */
export const guildsOf = ({ world }: GatewayState, session: Session): Guild[] => {
  const guilds = [];
  for (const guild of world.guilds.values()) {
    if (guild.members.has(session.bot.id) && isOfShard(session, guild.id)) guilds.push(guild);
  }
  return guilds;
};

/** Iterates over the smaller of the two: the members, or the bots that have sessions. */
export function* sessionsIn({ sessionsOfBot }: GatewayState, guild: Guild) {
  const ids = guild.members.size < sessionsOfBot.size ? guild.members.keys() : sessionsOfBot.keys();
  for (const id of ids) {
    if (!guild.members.has(id)) continue;
    for (const session of sessionsOfBot.get(id) ?? []) {
      if (isOfShard(session, guild.id)) yield session;
    }
  }
}
