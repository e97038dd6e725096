import { z } from 'zod';
import { inParallel } from '../../kernel/concurrency.ts';
import type { Log } from '../../kernel/log.ts';
import { SealBroken } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import { type Job, ofAccount } from '../../queue/job.ts';
import { useBotClient } from '../bots/use/use-bot.ts';
import {
  findTokens,
  listTokensToRefresh,
  postponeRefreshesOfBot,
  type TokenRow,
} from './queries.ts';
import { longPauseMs } from './rules.ts';
import { refreshRow, type VaultDependencies } from './tokens/refresh.ts';
import { openRevocation } from './tokens/sealed.ts';

const tokensAtATime = 1000;
const atOnce = 8;

export const refreshDueTokens = { name: 'vault.refresh', payload: z.object({}) };

type RefreshDependencies = VaultDependencies & { log: Log };

export const refreshDueTokensJob = (vault: RefreshDependencies): Job => ({
  ...refreshDueTokens,
  cron: '* * * * *',
  run: (_, signal) => refreshDue(vault, signal),
});

/** The longest waiting first. A failure for one person does not stop the others. */
export const refreshDue = async (
  vault: RefreshDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { db, log } = vault;
  const refusedBots = new Set<string>();
  const refresh = async (row: TokenRow) => {
    const result = await refreshRow(vault, row);
    if (result instanceof Secret || result.kind !== 'clientRefused') return;
    refusedBots.add(row.botId);
    await postponeRefreshesOfBot(db, row, longPauseMs);
  };
  await inParallel(atOnce, await listTokensToRefresh(db, tokensAtATime), async (row) => {
    signal.throwIfAborted();
    if (refusedBots.has(row.botId)) return;
    await refresh(row).catch((err) =>
      log.error({ err, tokensId: row.id }, 'a token could not be refreshed'),
    );
  });
};

/** Revokes deleted tokens at the platform. */
export const revokeTokens = {
  name: 'vault.revoke',
  payload: z.object({ id: z.guid(), accountId: z.guid(), botId: z.guid(), sealed: z.string() }),
  groupOf: ofAccount,
  concurrency: 8,
};

type Revocation = z.output<typeof revokeTokens.payload>;
type RevokeDependencies = Pick<VaultDependencies, 'db' | 'ring' | 'oauth' | 'queue'> & { log: Log };

export const revokeTokensJob = (dependencies: RevokeDependencies): Job<Revocation> => ({
  ...revokeTokens,
  async run(revocation) {
    const { log } = dependencies;
    const { botId } = revocation;
    try {
      await revoke(dependencies, revocation);
    } catch (err) {
      if (err instanceof SealBroken)
        log.error({ err, botId }, 'a token to be revoked does not open');
      else if (err instanceof PlatformFailure && err.kind === 'clientRefused') {
        log.warn({ botId }, 'the platform refuses the credentials of a bot');
      } else throw err;
    }
  },
});

/** Not if the person consented again: at the platform, revoking one token ends the whole consent. */
const revoke = async (dependencies: RevokeDependencies, revocation: Revocation): Promise<void> => {
  const { db, ring, oauth } = dependencies;
  const { accountId, botId, sealed } = revocation;
  const { platformId, token } = openRevocation(ring, revocation, sealed);
  if (await findTokens(db, { accountId, botId, platformId })) return;
  await useBotClient(dependencies, { accountId, botId }, (client) =>
    oauth.revoke({ ...client, token: new Secret(token) }),
  );
};
