import type { Queryable } from '../../../db/connect.ts';
import type { Log } from '../../../kernel/log.ts';
import type { BotPlatform, GuildPlatform } from '../../../platform/port.ts';
import type { Lease } from '../../../queue/lease/lease.ts';
import type { BotDependencies } from '../../bots/use/use-bot.ts';
import type { Watch } from '../../pulls/run/watch.ts';
import type { FindHeldBack } from '../../servers/power/held-back.ts';
import type { ActiveJob, JobOwner } from '../queries.ts';

type Person = { accountId: string; serverId: string; platformId: string };

export type MassVerificationDependencies = BotDependencies & {
  log: Log;
  /** Whether somebody waits for the owner's decision about a raid. */
  isHeld(db: Queryable, person: Person): Promise<boolean>;
  findHeldBack: FindHeldBack;
};

/** One mass verification as one worker runs it. */
export type MassVerificationRun = {
  dependencies: MassVerificationDependencies;
  owner: JobOwner;
  job: ActiveJob;
  bot: BotPlatform;
  guild: GuildPlatform;
  lease: Lease;
  watch: Watch;
};
