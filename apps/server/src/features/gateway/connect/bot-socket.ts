import { once } from '../../../kernel/concurrency.ts';
import { SealBroken } from '../../../kernel/seal.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type {
  ConnectOptions,
  Dispatch,
  Gateway,
  GatewayConnection,
  GatewayEnd,
  Presence,
} from '../../../platform/gateway/port.ts';
import { openCredential } from '../../bots/credentials/credentials.ts';
import type { BotDependencies } from '../../bots/use/use-bot.ts';
import type { HeldBot, Holding } from '../queries/connections.ts';
import { claimIdentify, prepareSession } from './begin-session.ts';
import type { EventStore, OnArrival, OnConnecting, StoreDependencies } from './event-store.ts';

export type SocketDependencies = StoreDependencies &
  BotDependencies & {
    gateway: Gateway;
    /** Bounds how many bots of the process are connecting at once. */
    connectInTurn: StoreDependencies['inTurn'];
    identifyWindowMs: number;
    onArrival: OnArrival;
    onConnecting: OnConnecting;
  };

type Surroundings = {
  bot: HeldBot;
  store: EventStore;
  signal: AbortSignal;
  onConnected(): void;
};

type Begin = ConnectOptions['begin'];

/** How a connection ended, or that none was begun and for how long. */
export type SocketEnd = GatewayEnd | { kind: 'heldBack'; waitMs: number };

/** From the third failure on, a session is resumed where the platform says now, not where it said then. */
const doubtsAfter = 3;

/** The platform allows so many changes of presence in so much time. */
const presenceLimit = { changes: 5, perMs: 20_000 };

/** One bot's connections, one at a time. */
export const createBotSocket = (
  dependencies: SocketDependencies,
  holding: Holding,
  { bot, store, signal, onConnected }: Surroundings,
) => {
  const { ring, lease, log, metrics, gateway, connectInTurn } = dependencies;
  const tokenOf = ({ botId: id, accountId, botToken }: HeldBot) =>
    openCredential(ring, { id, accountId, botToken }, 'botToken');
  const token = once(() => tokenOf(bot));
  const presence = createPresence(bot);
  let connection: GatewayConnection | undefined;
  let isSessionOver = false;
  let readyAt: number | undefined;
  let heldBackMs = 0;

  const beginNew = async (): Promise<Begin> => {
    const { url, access, intents } = await prepareSession(dependencies, holding, signal);
    const mayIdentify = async () => {
      const application = { token: token(), clientId: bot.clientId };
      heldBackMs = await claimIdentify(dependencies, application, access);
      return heldBackMs === 0;
    };
    return { kind: 'identify', url, intents, presence: presence.wanted(), mayIdentify };
  };
  const begin = async (failures: number): Promise<Begin> => {
    const session = isSessionOver ? undefined : store.session();
    if (!session) return beginNew();
    if (failures < doubtsAfter) return { kind: 'resume', session };
    const { url } = await prepareSession(dependencies, holding, signal);
    return { kind: 'resume', session: { ...session, resumeUrl: url } };
  };

  const onReady = (how: Begin['kind']) => {
    readyAt = performance.now();
    isSessionOver = false;
    metrics.countBegun(how);
    metrics.addConnected(1);
    if (how === 'identify') presence.sent();
    else if (connection) presence.sendAgain(connection);
    onConnected();
  };
  const open = async (beginning: Begin) => {
    if (signal.aborted || !lease.isHeld()) return undefined;
    const { promise: ready, resolve } = Promise.withResolvers<void>();
    const told = new Set<string>();
    dependencies.onConnecting({ botId: holding.botId, accountId: holding.accountId });
    const opened = gateway.connect({
      token: token(),
      begin: beginning,
      mayAct: lease.isHeld,
      onReady() {
        onReady(beginning.kind);
        resolve();
      },
      onDispatch(dispatch) {
        announceArrival(dependencies, holding, dispatch);
        if (store.add(dispatch)) return;
        store.discard();
        opened.drop();
      },
      onBroken(type, problem) {
        metrics.countSkipped(1);
        // One line for each type and connection, however many of them come.
        if (told.has(type)) return;
        told.add(type);
        log.warn({ botId: holding.botId, type, problem }, 'a message of the gateway is broken');
      },
    });
    connection = opened;
    await Promise.race([ready, opened.ended]);
    // Bots connect no faster than their sessions are stored: one that is not cannot be resumed.
    await store.flush().catch(() => undefined);
    return opened;
  };

  return {
    /** Resolves when the connection has ended. */
    async connect(failures: number): Promise<{ end: SocketEnd; lastedMs: number }> {
      readyAt = undefined;
      heldBackMs = 0;
      const beginning = await begin(failures);
      const opened = await connectInTurn(() => open(beginning));
      const end: GatewayEnd = opened ? await opened.ended : { kind: 'closed' };
      connection = undefined;
      if (readyAt !== undefined) metrics.addConnected(-1);
      const lastedMs = readyAt === undefined ? 0 : performance.now() - readyAt;
      if (end.kind === 'sessionOver') isSessionOver = true;
      const isHeldBack = end.kind === 'notIdentified' && heldBackMs > 0;
      return { end: isHeldBack ? { kind: 'heldBack', waitMs: heldBackMs } : end, lastedMs };
    },
    token,
    hasTokenOf: (other: HeldBot) =>
      other.botToken === bot.botToken || isSameToken(token, () => tokenOf(other)),
    showPresence(other: HeldBot) {
      presence.want(other);
      if (connection && readyAt !== undefined) presence.send(connection);
    },
    isConnecting: () => connection !== undefined && readyAt === undefined,
    async close(how: 'keepSession' | 'endSession') {
      connection?.close(how);
      await connection?.ended;
    },
    drop: () => connection?.drop(),
  };
};

/** Whoever listens must not keep an event from being stored. */
const announceArrival = (
  { onArrival, log }: Pick<SocketDependencies, 'onArrival' | 'log'>,
  { botId, accountId }: Holding,
  { events }: Dispatch,
): void => {
  if (events.length === 0) return;
  try {
    onArrival({ botId, accountId }, events);
  } catch (err) {
    log.error({ err, botId }, 'events of a bot were not heard as they arrived');
  }
};

/** Another sealed text can be the same token, sealed under another key. */
const isSameToken = (one: () => Secret, other: () => Secret): boolean => {
  try {
    return one().reveal() === other().reveal();
  } catch (error) {
    if (error instanceof SealBroken) return false;
    throw error;
  }
};

/** What the platform should show of a bot, and what it was last told to. */
const createPresence = (bot: Presence) => {
  let wanted = presenceOf(bot);
  let shown: string | undefined;
  let sentAt: number[] = [];
  const sent = () => {
    shown = JSON.stringify(wanted);
    sentAt = [...sentAt, performance.now()].slice(-presenceLimit.changes);
  };
  const isEarly = () => {
    const [first, ...rest] = sentAt;
    const isFull = rest.length === presenceLimit.changes - 1;
    return isFull && first !== undefined && performance.now() - first < presenceLimit.perMs;
  };
  return {
    wanted: () => wanted,
    want(changed: Presence) {
      wanted = presenceOf(changed);
    },
    sent,
    /** The session may have been told by another process. */
    sendAgain(connection: GatewayConnection) {
      connection.setPresence(wanted);
      sent();
    },
    /** Where it is too early for another change, the next call sends it. */
    send(connection: GatewayConnection) {
      if (shown === JSON.stringify(wanted) || isEarly()) return;
      connection.setPresence(wanted);
      sent();
    },
  };
};

const presenceOf = ({ status, activityType, activityText }: Presence): Presence => ({
  status,
  activityType,
  activityText,
});
