/**
 * The gateway: the socket over which the platform pushes what happens in a bot's guilds. `connect` opens
 * one socket, and it ends once; whether, when and how there is another one is decided by its caller.
 */
import type { PrivilegedIntent } from '@holdfast/contract';
import type { Secret } from '../../kernel/secret.ts';
import type { GuildEvent } from './events.ts';

export type Gateway = { connect(options: ConnectOptions): GatewayConnection };

/** Groups of events that a session can ask for. */
export type GatewayIntent = 'GUILDS' | 'GUILD_MODERATION' | PrivilegedIntent;

/** What is needed to resume: everything after `sequence` is then sent again. */
export type GatewaySession = SessionName & { sequence: number };
type SessionName = { id: string; resumeUrl: string };

export type Presence = {
  status: 'ONLINE' | 'IDLE' | 'DND' | 'INVISIBLE' | 'OFFLINE';
  activityType: 'PLAYING' | 'STREAMING' | 'LISTENING' | 'WATCHING' | 'CUSTOM' | 'COMPETING';
  activityText: string;
};

export type ConnectOptions = {
  token: Secret;
  begin:
    | { kind: 'resume'; session: GatewaySession }
    | {
        kind: 'identify';
        url: string;
        intents: GatewayIntent[];
        presence: Presence;
        /** Asked once, right before the identify; where it is false, none is sent. */
        mayIdentify(): Promise<boolean>;
      };
  /** Asked right before anything is sent: a process that was suspended must not go on by itself. */
  mayAct(): boolean;
  onReady(): void;
  /** In the order of the platform's sequence numbers. */
  onDispatch(dispatch: Dispatch): void;
  /** A message that is not as the platform documents it; it is skipped. */
  onBroken(type: string, problem: string): void;
};

/** One numbered message. It has no events where the product needs nothing of it. */
export type Dispatch = { session: SessionName; sequence: number; events: GuildEvent[] };

export type GatewayConnection = {
  setPresence(presence: Presence): void;
  /** `keepSession` lets another connection resume; `endSession` makes the bot appear offline. */
  close(how: 'keepSession' | 'endSession'): void;
  /** Without a word to the platform. */
  drop(): void;
  ended: Promise<GatewayEnd>;
};

/**
 * - `cut`: the session can be resumed.
 * - `sessionOver`: only a new session can follow.
 * - `notIdentified`: `mayIdentify` said no.
 * - `refused`: trying again by itself would be refused again.
 * - `closed`: by `close` or `drop`.
 */
export type GatewayEnd =
  | { kind: 'cut' | 'sessionOver'; code: number | undefined }
  | { kind: 'notIdentified' }
  | { kind: 'refused'; what: 'token' | 'intents' | 'size' }
  | { kind: 'closed' };
