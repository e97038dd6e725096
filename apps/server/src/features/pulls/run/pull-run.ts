import type { SealedBlobs } from '../../../integrations/blobs/sealed-blobs.ts';
import type { Log } from '../../../kernel/log.ts';
import type { BotPlatform } from '../../../platform/port.ts';
import type { Lease } from '../../../queue/lease/lease.ts';
import type { BotDependencies } from '../../bots/use/use-bot.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import type { VaultDependencies } from '../../vault/tokens/refresh.ts';
import type { ActivePull, PullOwner } from '../queries/pulls.ts';
import type { CurrentGiving, SavedRoles } from '../roles/map-roles.ts';
import type { Outage } from './outage.ts';
import type { PullTarget } from './target.ts';
import type { Watch } from './watch.ts';

/** How long a pull waits, where it is not the default. */
export type PullPauses = {
  /** Before it tries a platform again that does not answer at all; longer each time. */
  firstPauseMs?: number;
  /** Before the members for whom no answer came are tried once more. */
  secondRoundAfterMs?: number;
  /** Before the target's roles are read again. */
  rereadRolesAfterMs?: number;
};

export type PullDependencies = VaultDependencies &
  BotDependencies & {
    log: Log;
    blobs: SealedBlobs;
    findHeldBack: FindHeldBack;
    pullPauses?: PullPauses;
  };

/** One pull as one worker runs it, with one target. */
export type PullRun = {
  dependencies: PullDependencies;
  owner: PullOwner;
  pull: ActivePull;
  target: PullTarget;
  /** The target's own. */
  bot: BotPlatform;
  lease: Lease;
  watch: Watch;
  outage: Outage;
  /** Whether a bot can add members to the target, as far as is known. */
  botAccess: Map<string, boolean>;
  /** The backup's roles that members had; undefined where none are given back. */
  savedRoles: SavedRoles | undefined;
  /** What each bot can give back in the target. */
  givings: Map<string, CurrentGiving>;
  /** The bots whose applications the platform refuses to refresh tokens for, with the round. */
  refusedClients: Set<string>;
};
