import { z } from 'zod';
import type { World } from '../guild/world.ts';
import type { IdentityStore } from '../identity/identities.ts';
import type { Application } from '../platform.ts';
import type { EventName } from './intents.ts';
import type { Presence } from './protocol.ts';

const DAY_MS = 86_400_000;

/** What tests may change; the defaults are the platform's, where it documents them. */
export const settingsSchema = z.strictObject({
  heartbeatIntervalMs: z.int().min(20).default(41_250),
  identifiesPerDay: z.int().min(0).default(1000),
  identifyDayMs: z.int().min(1).default(DAY_MS),
  maxConcurrency: z.int().min(1).default(1),
  concurrencyMs: z.int().min(0).default(5000),
  guildsPerShard: z.int().min(1).default(2500),
  /** How long a connection stays without its first word. */
  helloDelayMs: z.int().min(0).default(0),
  sendLimit: z.int().min(1).default(120),
  sendWindowMs: z.int().min(1).default(60_000),
  /** How long a session without a connection can be resumed, and how much of it is kept. */
  resumeWithinMs: z.int().min(0).default(300_000),
  replayLimit: z.int().min(0).default(1000),
});

export type GatewaySettings = z.output<typeof settingsSchema>;

/** One socket, before and after it has a session. */
export type Connection = {
  /** The address that the client came by. */
  origin: string;
  session: Session | undefined;
  lastHeartbeatAtMs: number;
  sends: { endsAtMs: number; used: number };
  send: (text: string) => void;
  close: (code: number) => void;
  /** Without a word, as a broken network does. */
  cut: () => void;
};

/** Text that is encoded once, or made when it is sent because thousands of sessions would keep it. */
export type Payload = string | (() => string);

type Sent = { name: EventName | 'READY' | 'RESUMED' | AnswerName; payload: Payload };
/** Answers to what a session asks for; no intent belongs to them. */
type AnswerName = 'GUILD_MEMBERS_CHUNK' | 'SOUNDBOARD_SOUNDS';

export type Session = {
  readonly id: string;
  readonly bot: Application;
  readonly record: BotRecord;
  readonly token: string;
  readonly intents: number;
  readonly shard: readonly [number, number];
  readonly largeThreshold: number;
  readonly startedAtMs: number;
  presence: Presence;
  connection: Connection | undefined;
  connectedAtMs: number;
  /** Null while connected. */
  lostAtMs: number | null;
  seq: number;
  /** The last of these has the number `seq`. */
  replay: Sent[];
  replayBytes: number;
};

/** What is counted and made to fail for one bot, over all its sessions. */
export type BotRecord = {
  id: string;
  identifies: number;
  resumes: number;
  /** How often its connections were closed, by code. */
  closes: Record<string, number>;
  day: { endsAtMs: number; used: number };
  lastIdentifyAtMs: Map<number, number>;
  faults: BotFaults;
};

type BotFaults = {
  /** The next dispatches that are not sent; they keep their numbers, and a resume replays them. */
  drop: number;
  /** The next dispatches that are sent twice. */
  duplicate: number;
  delayMs: number;
  refusedUntilMs: number;
  ignoresHeartbeats: boolean;
  /** Entries of audit logs are not sent; they keep their numbers, and a resume replays them. */
  withoutAuditLog: boolean;
};

export type GatewayState = {
  world: World;
  identities: IdentityStore;
  settings: GatewaySettings;
  /** Until then no connection is taken. */
  refusedUntilMs: number;
  connections: Set<Connection>;
  sessions: Map<string, Session>;
  sessionsOfBot: Map<string, Set<Session>>;
  bots: Map<string, BotRecord>;
};

export const newGatewayState = (world: World, identities: IdentityStore): GatewayState => ({
  world,
  identities,
  settings: settingsSchema.parse({}),
  refusedUntilMs: 0,
  connections: new Set(),
  sessions: new Map(),
  sessionsOfBot: new Map(),
  bots: new Map(),
});

export const noFaults = (): BotFaults => ({
  ...{ drop: 0, duplicate: 0, delayMs: 0, refusedUntilMs: 0, ignoresHeartbeats: false },
  withoutAuditLog: false,
});

export const recordOf = ({ bots }: GatewayState, id: string): BotRecord => {
  const record = bots.get(id) ?? {
    id,
    identifies: 0,
    resumes: 0,
    closes: {},
    day: { endsAtMs: 0, used: 0 },
    lastIdentifyAtMs: new Map(),
    faults: noFaults(),
  };
  bots.set(id, record);
  return record;
};
