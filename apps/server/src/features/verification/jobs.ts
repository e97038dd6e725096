import type { Database } from '../../db/connect.ts';
import type { Log } from '../../kernel/log.ts';
import { SealBroken } from '../../kernel/seal.ts';
import { PlatformFailure } from '../../platform/failures.ts';
import type { PlatformOAuth } from '../../platform/port-oauth.ts';
import type { Job } from '../../queue/job.ts';
import { type BotTools, BotUnusable, useBot } from '../bots/use-bot.ts';
import { forgetFingerprints, markIfBlacklisted } from '../members/verified/queries.ts';
import type { ServerPurger } from '../servers/jobs.ts';
import { purgeAppeals } from './appeals/queries.ts';
import { purgeAttempts } from './attempts/queries.ts';
import { withBotClient } from './bot-client.ts';
import { forgetSolutions } from './captcha/queries.ts';
import { grantTroubleOf } from './grants/grant-trouble.ts';
import { findGrantToDo, purgeGrants, storeGrant } from './grants/queries.ts';
import { forgetPast, giveRole, releaseTokens } from './job-names.ts';
import {
  findPassageTokens,
  forgetPassages,
  forgetPassageTokens,
  isConsentNeeded,
  listExpiredWithTokens,
  type PassageTokens,
  purgePassages,
} from './passages/queries.ts';
import { openPassageToken } from './passages/sealed.ts';
import { forgetAuthorizations, purgeAuthorizations } from './queries.ts';
import { forgetTraces, purgeTraces } from './traces/queries.ts';

type Owner = { memberId: string; accountId: string };
type Grant = NonNullable<Awaited<ReturnType<typeof findGrantToDo>>>;
type GrantTools = BotTools & { log: Log };

export const giveRoleJob = (tools: GrantTools): Job<Owner> => ({
  ...giveRole,
  concurrency: 8,
  async run(owner) {
    await markIfBlacklisted(tools.db, owner);
    const grant = await findGrantToDo(tools.db, owner);
    if (!grant) return;
    try {
      await give(tools, owner, grant);
    } catch (failure) {
      await noteFailure(tools.db, owner, failure);
      return;
    }
    await storeGrant(tools.db, owner, { status: 'done', error: null });
    await tellChannel(tools, owner, grant);
  },
});

const give = async (tools: GrantTools, { accountId }: Owner, grant: Grant): Promise<void> => {
  const { botId, guildId, platformId, roleId } = grant;
  if (roleId === null) return;
  await useBot(tools, { botId, accountId }, (bot) => bot.guild(guildId).giveRole(platformId, roleId));
};

/** What time may heal is thrown, and so tried again; the rest is told to the member. */
const noteFailure = async (db: Database, owner: Owner, failure: unknown): Promise<void> => {
  if (!(failure instanceof PlatformFailure) && !(failure instanceof BotUnusable)) throw failure;
  const { isPassing, sentence } = grantTroubleOf(failure);
  await storeGrant(db, owner, { status: isPassing ? 'waiting' : 'failed', error: sentence });
  if (isPassing) throw failure;
};

/** Said at most once: better a line too few than one twice. */
const tellChannel = async (tools: GrantTools, { accountId }: Owner, grant: Grant): Promise<void> => {
  const { botId, guildId, logChannelId, platformId, username } = grant;
  if (logChannelId === null) return;
  const text = `Verified: ${plainName(username)} (${platformId})`;
  try {
    await useBot(tools, { botId, accountId }, (bot) =>
      bot.guild(guildId).sendMessage(logChannelId, text),
    );
  } catch (failure) {
    if (!(failure instanceof PlatformFailure) && !(failure instanceof BotUnusable)) throw failure;
    tools.log.warn({ err: failure, accountId }, 'the log channel was not told of a verification');
  }
};

/** A name must not look like anything but a name. */
const plainName = (name: string): string => name.replace(/[^\p{L}\p{M}\p{N} ._-]/gu, '');

type ReleaseTools = { db: Database; ring: BotTools['ring']; oauth: PlatformOAuth; log: Log };

export const releaseTokensJob = (
  tools: ReleaseTools,
): Job<{ passageId: string; accountId: string }> => ({
  ...releaseTokens,
  concurrency: 4,
  run: ({ passageId, accountId }) => release(tools, { id: passageId, accountId }),
});

const release = async (
  tools: ReleaseTools,
  passage: { id: string; accountId: string },
): Promise<void> => {
  const tokens = await findPassageTokens(tools.db, passage);
  if (!tokens) return;
  if (!(await isConsentNeeded(tools.db, tokens))) await revoke(tools, tokens);
  await forgetPassageTokens(tools.db, passage);
};

/** Where nobody can give them back any more, they run out by themselves. */
const revoke = async (tools: ReleaseTools, tokens: PassageTokens): Promise<void> => {
  try {
    const token = openPassageToken(tools.ring, tokens, 'accessToken', tokens.accessToken ?? '');
    await withBotClient(tools, tokens, (client) => tools.oauth.revoke({ ...client, token }));
  } catch (failure) {
    const isFinal =
      failure instanceof SealBroken ||
      (failure instanceof PlatformFailure &&
        ['clientRefused', 'grantRevoked', 'refused'].includes(failure.kind));
    if (!isFinal) throw failure;
    tools.log.warn({ err: failure, accountId: tokens.accountId }, 'tokens could not be given back');
  }
};

const passagesAtATime = 500;
const rowsAtATime = 1000;

export const forgetPastJob = (tools: ReleaseTools) =>
  ({
    ...forgetPast,
    cron: '* * * * *',
    async run(_: object, signal: AbortSignal) {
      for (const passage of await listExpiredWithTokens(tools.db, passagesAtATime)) {
        signal.throwIfAborted();
        // One that cannot be given back now is tried again next time; the others need not wait for it.
        await release(tools, passage).catch((err) =>
          tools.log.warn({ err, accountId: passage.accountId }, 'tokens could not be given back yet'),
        );
      }
      await forgetPassages(tools.db);
      while ((await forgetAuthorizations(tools.db, rowsAtATime)) > 0) signal.throwIfAborted();
      await forgetSolutions(tools.db);
      while ((await forgetSomeTraces(tools.db)) > 0) signal.throwIfAborted();
    },
  }) satisfies Job;

const tracesAtATime = 500;

/** Ninety days later nobody is known again by their device or address. */
const forgetSomeTraces = (db: Database): Promise<number> =>
  db.transaction(async (tx) => {
    const gone = await forgetTraces(tx, tracesAtATime);
    await forgetFingerprints(
      tx,
      gone.filter(({ kind }) => kind === 'device'),
    );
    return gone.length;
  });

/** All that is kept for a server here. */
export const verificationPurgers: ServerPurger[] = [
  purgeAttempts,
  purgeAuthorizations,
  purgePassages,
  purgeTraces,
  purgeGrants,
  purgeAppeals,
];
