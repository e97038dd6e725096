import { z } from 'zod';
import { withBody } from '../control/guard.ts';
import type { PlatformApp } from '../platform.ts';
import { snowflake } from '../snowflakes.ts';
import type { GatewayServer } from './gateway.ts';
import { budgetOf, refuseSession } from './identify.ts';
import { describePresence, endSession, presenceOf } from './presence.ts';
import { CloseCode, Op } from './protocol.ts';
import { release } from './session.ts';
import {
  type BotRecord,
  type GatewayState,
  noFaults,
  recordOf,
  type Session,
  settingsSchema,
} from './state.ts';

const actionSchema = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('close'),
    botId: snowflake.optional(),
    code: z.int().min(1000).max(4999).default(CloseCode.UnknownError),
  }),
  z.strictObject({ action: z.literal('cut'), botId: snowflake.optional() }),
  z.strictObject({ action: z.literal('reconnect'), botId: snowflake.optional() }),
  z.strictObject({
    action: z.literal('invalidate'),
    botId: snowflake.optional(),
    isResumable: z.boolean().default(false),
  }),
]);

const faultsSchema = z.strictObject({
  botId: snowflake.optional(),
  drop: z.int().min(0).optional(),
  duplicate: z.int().min(0).optional(),
  delayMs: z.int().min(0).optional(),
  refuseMs: z.int().min(0).optional(),
  ignoresHeartbeats: z.boolean().optional(),
  withoutAuditLog: z.boolean().optional(),
});

/** Part of the control API: who is connected, and what goes wrong on the way. */
export const mountGatewayControl = (app: PlatformApp, gateway: GatewayServer) => {
  const { state } = gateway;
  app.get('/__sim/gateway', (c) => c.json(describe(state, c.req.query('botId'))));
  app.put(
    '/__sim/gateway',
    withBody(settingsSchema, (settings, c) => {
      gateway.setSettings(settings);
      return c.json(settings);
    }),
  );
  app.post(
    '/__sim/gateway/actions',
    withBody(actionSchema, (asked, c) => {
      const sessions = sessionsOf(state, asked.botId);
      for (const session of sessions) act(state, session, asked);
      return c.json({ sessions: sessions.length });
    }),
  );
  app.put(
    '/__sim/gateway/faults',
    withBody(faultsSchema, (asked, c) => {
      setFaults(state, asked);
      return c.body(null, 204);
    }),
  );
};

/** All of them, where no bot is named. */
const sessionsOf = (state: GatewayState, botId: string | undefined): Session[] =>
  botId === undefined ? [...state.sessions.values()] : [...(state.sessionsOfBot.get(botId) ?? [])];

const act = (state: GatewayState, session: Session, asked: z.output<typeof actionSchema>) => {
  const { connection } = session;
  if (!connection) return;
  if (asked.action === 'close') connection.close(asked.code);
  if (asked.action === 'cut') connection.cut();
  if (asked.action === 'reconnect') {
    connection.send(JSON.stringify({ t: null, s: null, op: Op.Reconnect, d: null }));
  }
  if (asked.action === 'invalidate') {
    // The client may begin anew, or take the session up again, on the same connection.
    release(session);
    if (!asked.isResumable) endSession(state, session);
    refuseSession(connection, asked.isResumable);
  }
};

/** What is left out ends. Without a bot it is for all that were seen so far. */
const setFaults = (
  state: GatewayState,
  { botId, refuseMs = 0, ...faults }: z.output<typeof faultsSchema>,
) => {
  const refusedUntilMs = Date.now() + refuseMs;
  if (botId === undefined) state.refusedUntilMs = refusedUntilMs;
  const records = botId === undefined ? state.bots.values() : [recordOf(state, botId)];
  for (const record of records) record.faults = { ...noFaults(), ...faults, refusedUntilMs };
};

const describe = (state: GatewayState, botId: string | undefined) => {
  const records = botId === undefined ? [...state.bots.values()] : [recordOf(state, botId)];
  return {
    settings: state.settings,
    connections: state.connections.size,
    bots: records.map((record) => describeBot(state, record)),
  };
};

const describeBot = (state: GatewayState, record: BotRecord) => ({
  botId: record.id,
  identifies: record.identifies,
  resumes: record.resumes,
  identifiesLeft: budgetOf(state, record).remaining,
  closes: record.closes,
  presence: presenceOf(state, record.id),
  sessions: sessionsOf(state, record.id).map((session) => ({
    sessionId: session.id,
    isConnected: session.connection !== undefined,
    startedAt: new Date(session.startedAtMs).toISOString(),
    connectedAt: new Date(session.connectedAtMs).toISOString(),
    seq: session.seq,
    intents: session.intents,
    shard: session.shard,
    presence: describePresence(session),
  })),
});
