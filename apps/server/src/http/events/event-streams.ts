import { everyTopic } from '@holdfast/contract';
import { Gauge, type Registry } from 'prom-client';
import type { Change } from '../../db/notify/change.ts';
import { serviceBusy, tooManyStreams } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import {
  createEventStream,
  defaultStreamTimes,
  type EventStream,
  type StreamTimes,
} from './event-stream.ts';

type StreamOwner = { sessionId: string; accountId: string };
/** `network`: the address that it is read from, or the /64 around it. */
type StreamRequest = StreamOwner & { network: string };

/** Of this process. Hidden tabs close theirs, so a person has one for each window. */
const defaultLimits = { perSession: 6, perAccount: 20, perNetwork: 200, perProcess: 2000 };

export type StreamDependencies = {
  log: Log;
  registry: Registry;
  /** Those of the sessions that still exist and whose account does. */
  findSignedIn(owners: StreamOwner[]): Promise<Set<string>>;
  limits?: Partial<typeof defaultLimits>;
  times?: Partial<StreamTimes>;
};

export type EventStreams = {
  /** Throws where the session, the account, the network or the process has too many. */
  open(owner: StreamRequest): ReadableStream<Uint8Array>;
  tell(changes: Change[]): void;
  /** Changes may have been missed: every page reads everything again. */
  tellAll(): void;
  /** Browsers connect again. */
  endAll(): void;
  /** Ends all and opens no more: browsers connect to another process. */
  stop(): void;
};

type Opened = StreamRequest & { stream: EventStream };

/** A session that cannot be checked so often in a row is taken for ended. */
const mostFailedChecks = 2;

/** The open streams of this process. They share their timers, so an idle one costs a heartbeat only. */
export const createEventStreams = (dependencies: StreamDependencies): EventStreams => {
  const times = { ...defaultStreamTimes, ...dependencies.times };
  const streams = createStreamList({ ...defaultLimits, ...dependencies.limits });
  new Gauge({
    name: 'holdfast_event_streams',
    help: 'Streams of events that dashboards hold open',
    registers: [dependencies.registry],
    collect() {
      this.set(streams.count());
    },
  });
  const beating = setInterval(() => {
    for (const { stream } of streams.all()) stream.beat();
  }, times.heartbeatMs);
  const checking = startChecking(dependencies, times.checkMs, streams.all);
  const endAll = () => {
    for (const { stream } of streams.all()) stream.end();
  };
  let isStopped = false;

  return {
    open(owner) {
      // Its request was authenticated while the others were ended.
      if (isStopped) throw serviceBusy('This process is stopping: ask again');
      streams.requireRoom(owner);
      const stream = createEventStream(times, () => streams.remove(opened));
      const opened: Opened = { ...owner, stream };
      streams.add(opened);
      return stream.body;
    },
    tell(changes) {
      for (const { accountId, topic } of changes) {
        for (const { stream } of streams.ofAccount(accountId)) stream.add(topic);
      }
    },
    tellAll() {
      for (const { stream } of streams.all()) stream.add(everyTopic);
    },
    endAll,
    stop() {
      isStopped = true;
      clearInterval(beating);
      clearInterval(checking);
      endAll();
    },
  };
};

const createStreamList = (limits: typeof defaultLimits) => {
  const byAccount = new Map<string, Set<Opened>>();
  const countOfNetwork = new Map<string, number>();
  let count = 0;
  const addToNetwork = (network: string, more: 1 | -1): void => {
    const sum = (countOfNetwork.get(network) ?? 0) + more;
    if (sum === 0) countOfNetwork.delete(network);
    else countOfNetwork.set(network, sum);
    count += more;
  };
  const ofAccount = (accountId: string) => [...(byAccount.get(accountId) ?? [])];
  return {
    count: () => count,
    ofAccount,
    all: (): Opened[] => [...byAccount.values()].flatMap((opened) => [...opened]),
    requireRoom({ sessionId, accountId, network }: StreamRequest): void {
      const own = ofAccount(accountId);
      const ofSession = own.filter((opened) => opened.sessionId === sessionId);
      const isFull =
        ofSession.length >= limits.perSession ||
        own.length >= limits.perAccount ||
        (countOfNetwork.get(network) ?? 0) >= limits.perNetwork;
      if (isFull) throw tooManyStreams();
      if (count >= limits.perProcess) throw serviceBusy('Too many dashboards are open');
    },
    add(opened: Opened): void {
      const { accountId } = opened;
      byAccount.set(accountId, (byAccount.get(accountId) ?? new Set()).add(opened));
      addToNetwork(opened.network, 1);
    },
    remove(opened: Opened): void {
      const own = byAccount.get(opened.accountId);
      if (!own?.delete(opened)) return;
      addToNetwork(opened.network, -1);
      if (own.size === 0) byAccount.delete(opened.accountId);
    },
  };
};

/** Ends streams whose session ended, in whichever way and process: it asks once for all of them. */
const startChecking = (
  { findSignedIn, log }: StreamDependencies,
  everyMs: number,
  all: () => Opened[],
) => {
  let isChecking = false;
  let failures = 0;
  const check = async () => {
    const opened = all();
    if (opened.length === 0 || isChecking) return;
    isChecking = true;
    try {
      const signedIn = await findSignedIn(opened);
      failures = 0;
      for (const one of opened) if (!signedIn.has(one.sessionId)) one.stream.end();
    } catch (err) {
      failures++;
      if (failures < mostFailedChecks) return;
      log.warn({ err }, 'the sessions of open dashboards could not be checked; their streams end');
      for (const { stream } of opened) stream.end();
    } finally {
      isChecking = false;
    }
  };
  return setInterval(check, everyMs);
};
