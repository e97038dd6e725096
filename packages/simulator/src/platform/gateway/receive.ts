import type { z } from 'zod';
import { presentMember } from '../guild/present.ts';
import { parseIfJson } from '../http/request-log.ts';
import { identify, resume } from './identify.ts';
import { Intent } from './intents.ts';
import { tellPresence } from './presence.ts';
import {
  CloseCode,
  frameSchema,
  identifySchema,
  Op,
  presenceSchema,
  requestMembersSchema,
  requestSoundsSchema,
  resumeSchema,
} from './protocol.ts';
import { sendEvent } from './session.ts';
import type { Connection, GatewayState, Session } from './state.ts';

/** What the platform takes in one frame. */
const MAX_FRAME_BYTES = 15_360;

/** One frame of a client. What breaks the rules closes the connection with the rule's code. */
export const receive = (state: GatewayState, connection: Connection, text: string) => {
  if (!maySend(state, connection)) return connection.close(CloseCode.RateLimited);
  const frame = frameSchema.safeParse(parseIfJson(text));
  if (!frame.success || text.length > MAX_FRAME_BYTES) {
    return connection.close(CloseCode.DecodeError);
  }
  const { op, d } = frame.data;
  const handle = HANDLERS[op];
  if (!handle) return connection.close(CloseCode.UnknownOpcode);
  handle(state, connection, d);
};

const maySend = ({ settings }: GatewayState, { sends }: Connection): boolean => {
  if (sends.endsAtMs <= Date.now()) {
    sends.endsAtMs = Date.now() + settings.sendWindowMs;
    sends.used = 0;
  }
  sends.used += 1;
  return sends.used <= settings.sendLimit;
};

type Handler = (state: GatewayState, connection: Connection, data: unknown) => void;

const parsed =
  <Schema extends z.ZodType>(
    schema: Schema,
    handle: (state: GatewayState, connection: Connection, data: z.output<Schema>) => void,
  ): Handler =>
  (state, connection, data) => {
    const result = schema.safeParse(data);
    if (result.success) handle(state, connection, result.data);
    else connection.close(CloseCode.DecodeError);
  };

/** Before there is a session, and only then. */
const beginning =
  (handle: Handler): Handler =>
  (state, connection, data) => {
    if (connection.session) connection.close(CloseCode.AlreadyAuthenticated);
    else handle(state, connection, data);
  };

const inSession =
  <Schema extends z.ZodType>(
    schema: Schema,
    handle: (state: GatewayState, session: Session, data: z.output<Schema>) => void,
  ): Handler =>
  (state, connection, data) => {
    const { session } = connection;
    if (!session) return connection.close(CloseCode.NotAuthenticated);
    parsed(schema, (_, __, read) => handle(state, session, read))(state, connection, data);
  };

const HANDLERS: Record<number, Handler> = {
  [Op.Heartbeat]: (_, connection) => {
    if (connection.session?.record.faults.ignoresHeartbeats) return;
    connection.lastHeartbeatAtMs = Date.now();
    connection.send(HEARTBEAT_ACK);
  },
  [Op.Identify]: beginning(parsed(identifySchema, identify)),
  [Op.Resume]: beginning(parsed(resumeSchema, resume)),
  [Op.PresenceUpdate]: inSession(presenceSchema, (state, session, presence) => {
    session.presence = presence;
    tellPresence(state, session.bot.id);
  }),
  // Nobody speaks here.
  [Op.VoiceStateUpdate]: inSession(frameSchema.partial(), () => {}),
  [Op.RequestMembers]: inSession(requestMembersSchema, (...args) => sendMembers(...args)),
  [Op.RequestSounds]: inSession(requestSoundsSchema, (state, session, { guild_ids }) => {
    for (const guild_id of guild_ids) {
      const guild = memberGuild(state, session, guild_id);
      const sounds = [...(guild?.soundboard.values() ?? [])].map(({ user_id: _, ...one }) => one);
      const answer = { guild_id, soundboard_sounds: sounds };
      sendEvent(state, session, 'SOUNDBOARD_SOUNDS', JSON.stringify(answer));
    }
  }),
};

const HEARTBEAT_ACK = JSON.stringify({ t: null, s: null, op: Op.HeartbeatAck, d: null });

const memberGuild = ({ world }: GatewayState, { bot }: Session, guildId: string) => {
  const guild = world.guilds.get(guildId);
  return guild?.members.has(bot.id) ? guild : undefined;
};

const MEMBERS_PER_CHUNK = 1000;

/** Members by id or by the beginning of their name, in chunks; all of them only with the intent. */
const sendMembers = (
  state: GatewayState,
  session: Session,
  asked: z.output<typeof requestMembersSchema>,
) => {
  const guild = memberGuild(state, session, asked.guild_id);
  if (!guild) return;
  const { query, user_ids, limit, nonce } = asked;
  const isForAll = !user_ids && (query ?? '') === '' && limit === 0;
  if (isForAll && !(session.intents & Intent.Members)) return;
  const prefix = (query ?? '').toLowerCase();
  const members = (user_ids ?? guild.memberOrder)
    .flatMap((id) => guild.members.get(id) ?? [])
    .map((member) => presentMember(state.identities, member))
    .filter(({ user, nick }) =>
      [user.username, nick ?? ''].some((name) => name.toLowerCase().startsWith(prefix)),
    )
    .slice(0, limit || undefined);
  const chunk_count = Math.max(1, Math.ceil(members.length / MEMBERS_PER_CHUNK));
  for (let chunk_index = 0; chunk_index < chunk_count; chunk_index += 1) {
    const start = chunk_index * MEMBERS_PER_CHUNK;
    const chunk = {
      guild_id: guild.id,
      members: members.slice(start, start + MEMBERS_PER_CHUNK),
      ...{ chunk_index, chunk_count },
      not_found: (user_ids ?? []).filter((id) => !guild.members.has(id)),
      ...(nonce && { nonce }),
    };
    sendEvent(state, session, 'GUILD_MEMBERS_CHUNK', JSON.stringify(chunk));
  }
};
