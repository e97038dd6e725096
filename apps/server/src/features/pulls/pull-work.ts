import type { Log } from '../../kernel/log.ts';
import type { BotPlatform } from '../../platform/port.ts';
import type { Lease } from '../../queue/lease.ts';
import type { BotTools } from '../bots/use-bot.ts';
import type { VaultTools } from '../vault/refresh.ts';
import type { Outage } from './outage.ts';
import type { ActivePull, PullOwner } from './queries.ts';
import type { Watch } from './watch.ts';

/** How long a pull waits, where it is not as long as usual. */
export type PullPauses = {
  /** Before it asks a platform again that says nothing at all; longer each time. */
  firstPauseMs?: number;
  /** Before the members who got no answer are tried once more. */
  secondRoundAfterMs?: number;
};

export type PullTools = VaultTools & BotTools & { log: Log; pullPauses?: PullPauses };
export type PullRun = { signal: AbortSignal; lease: Lease };

/** Where members are called to, and through which bot first of all. */
export type PullTarget = { guildId: string; botId: string };

/** One pull in the hands of one worker. */
export type PullWork = {
  tools: PullTools;
  owner: PullOwner;
  pull: ActivePull;
  target: PullTarget;
  /** The target's own. */
  bot: BotPlatform;
  lease: Lease;
  watch: Watch;
  outage: Outage;
  /** Which bots can bring somebody in, as far as is known. */
  seats: Map<string, boolean>;
  /** Whose application the platform refuses to refresh tokens for, in which round. */
  refusedClients: Set<string>;
};

/** The owner cancelled it, or a server that it needs is being deleted. */
export class PullStopped extends Error {
  constructor(readonly reason: 'cancelled' | 'gone' | 'targetGone') {
    super(`The pull is ${reason}`);
    this.name = 'PullStopped';
  }
}

/** The target has moved to another guild, or has another bot: the work begins anew from there. */
export class PullMoved extends Error {
  constructor() {
    super('The target of the pull has changed');
    this.name = 'PullMoved';
  }
}

/** It cannot go on, in words for its owner. */
export class PullRefused extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'PullRefused';
  }
}
