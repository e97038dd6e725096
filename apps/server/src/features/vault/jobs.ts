import { z } from 'zod';
import type { Database } from '../../db/connect.ts';
import { inParallel } from '../../kernel/in-parallel.ts';
import type { Log } from '../../kernel/log.ts';
import { type KeyRing, SealBroken } from '../../kernel/seal.ts';
import { Secret } from '../../kernel/secret.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import type { PlatformOAuth } from '../../platform/port-oauth.ts';
import type { Job } from '../../queue/job.ts';
import { useBotClient } from '../bots/use-client.ts';
import { findTokens, listTokensToRefresh, putOffBot, type TokenRow } from './queries.ts';
import { refreshRow, type VaultTools } from './refresh.ts';
import { longPauseMs } from './rules.ts';
import { openFarewell } from './sealed.ts';

const tokensAtATime = 1000;
const atOnce = 8;

export const refreshDueTokens = { name: 'vault.refresh', payload: z.object({}) };

/** Tells the platform that we have let go of a person's token. */
export const revokeTokens = {
  name: 'vault.revoke',
  payload: z.object({ id: z.guid(), accountId: z.guid(), botId: z.guid(), sealed: z.string() }),
};

type Revocation = z.output<typeof revokeTokens.payload>;
type RefreshTools = VaultTools & { log: Log };
type RevokeTools = { db: Database; ring: KeyRing; oauth: PlatformOAuth; log: Log };

export const refreshDueTokensJob = (tools: RefreshTools): Job => ({
  ...refreshDueTokens,
  cron: '* * * * *',
  run: (_, signal) => refreshDue(tools, signal),
});

/** Those whose time has come, the longest waiting first. */
export const refreshDue = async (tools: RefreshTools, signal: AbortSignal): Promise<void> => {
  const due = await listTokensToRefresh(tools.db, tokensAtATime);
  const refused = new Set<string>();
  await inParallel(atOnce, due, async (row) => {
    signal.throwIfAborted();
    if (!refused.has(row.botId)) await refreshOne(tools, row, refused);
  });
};

/** One person's trouble must not keep the others' tokens from being kept alive. */
const refreshOne = async (
  tools: RefreshTools,
  row: TokenRow,
  refused: Set<string>,
): Promise<void> => {
  try {
    const outcome = await refreshRow(tools, row);
    if (outcome instanceof Secret || outcome.kind !== 'clientRefused') return;
    refused.add(row.botId);
    await putOffBot(tools.db, row, longPauseMs);
  } catch (err) {
    tools.log.error({ err, tokensId: row.id }, 'a token could not be refreshed');
  }
};

export const revokeTokensJob = (tools: RevokeTools): Job<Revocation> => ({
  ...revokeTokens,
  concurrency: 2,
  async run(revocation) {
    const { botId } = revocation;
    try {
      await revoke(tools, revocation);
    } catch (err) {
      if (err instanceof SealBroken) {
        tools.log.error({ err, botId }, 'a token to be revoked does not open');
      } else if (err instanceof PlatformFailure && err.kind === 'clientRefused') {
        tools.log.warn({ botId }, 'the platform refuses the bot its own tokens');
      } else throw err;
    }
  },
});

/** Nothing is said where the person has agreed anew: to the platform one token stands for the whole consent. */
const revoke = async (
  tools: RevokeTools,
  { id, accountId, botId, sealed }: Revocation,
): Promise<void> => {
  const { platformId, token } = openFarewell(tools.ring, { id, accountId }, sealed);
  if (await findTokens(tools.db, { accountId, botId, platformId })) return;
  await useBotClient(tools, { accountId, botId }, (client) =>
    tools.oauth.revoke({ ...client, token: new Secret(token) }),
  );
};
