import { isDeepStrictEqual } from 'node:util';
import { withBot } from '../run/bot-access.ts';
import type { PullRun } from '../run/pull-run.ts';
import { mapCurrentRoles } from './map-current.ts';
import type { CurrentGiving, Unrestored } from './map-roles.ts';
import { storeRolesOfPull } from './queries.ts';

/** A role that becomes dangerous during a long pull is not given for longer than this. */
const defaultRereadAfterMs = 60_000;

/** Undefined where no roles are restored. */
export const currentGiving = async (
  run: PullRun,
  botId: string,
): Promise<CurrentGiving | undefined> => {
  if (!run.savedRoles) return undefined;
  const { rereadRolesAfterMs = defaultRereadAfterMs } = run.dependencies.pullPauses ?? {};
  const known = run.givings.get(botId);
  if (known && performance.now() - known.readAtMs < rereadRolesAfterMs) return known;
  return readGiving(run, botId);
};

/** Reads the target again. */
export const readGiving = async (
  run: PullRun,
  botId: string,
  refusals = 0,
): Promise<CurrentGiving | undefined> => {
  const { savedRoles: saved, dependencies, owner, pull, target, watch } = run;
  if (!saved) return undefined;
  const readAtMs = performance.now();
  const mapped = await withBot(run, botId, (bot) =>
    mapCurrentRoles(dependencies.db, bot, {
      ...{ accountId: owner.accountId, guildId: target.guildId, saved },
      ...{ allowed: pull.allowDangerousRoles, signal: watch.signal },
    }),
  );
  const giving = { ...mapped, readAtMs, refusals };
  run.givings.set(botId, giving);
  if (botId === target.botId) await storeUnrestored(run, giving.unrestored);
  return giving;
};

/** What the owner reads about the target's own bot. */
const storeUnrestored = async (run: PullRun, unrestored: Unrestored[]): Promise<void> => {
  if (isDeepStrictEqual(run.pull.unrestored, unrestored)) return;
  await run.lease.transaction(run.dependencies.db, (tx) =>
    storeRolesOfPull(tx, run.owner, { unrestored }),
  );
  run.pull.unrestored = unrestored;
};
