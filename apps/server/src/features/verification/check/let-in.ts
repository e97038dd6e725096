import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { liftErasureOf } from '../../backups/people/erasures.ts';
import { hasConsent, putVerifiedMember } from '../../members/queries.ts';
import { findOwnedServer } from '../../servers/queries.ts';
import { forgetTokens } from '../../vault/forget.ts';
import { lockTokens } from '../../vault/queries.ts';
import { keepTokens } from '../../vault/vault.ts';
import { blockAttempt, raiseAttempt } from '../attempts/queries.ts';
import { putGrant } from '../grants/queries.ts';
import { giveRole, releaseTokens } from '../job-names.ts';
import { forgetPassageTokens, type StoredPassage, settlePassage } from '../passages/queries.ts';
import { openPassageToken } from '../passages/sealed.ts';
import { findTokenBot } from '../queries.ts';
import { accountCreatedAt, type BlockReason } from '../rules.ts';
import type { VerificationTools } from '../tools.ts';
import { isBlacklisted, isSecondAccount, lockMarks, putTraces } from '../traces/queries.ts';
import type { Newcomer } from './newcomer.ts';

/** Where `refusesAlts`, the newcomer is turned away if the same device or address came in meanwhile. */
type Admitted = Newcomer & { refusesAlts: boolean };

/** The newcomer becomes a member, with everything that follows from it, or nothing of it happens. */
export const letIn = (
  tools: VerificationTools,
  passage: StoredPassage,
  { refusesAlts, ...newcomer }: Admitted,
): Promise<void> =>
  tools.db.transaction(async (tx) => {
    const { accountId, serverId, platformId } = passage;
    // Before any row is locked: whoever holds rows never waits for these.
    await lockMarks(tx, { accountId, marks: newcomer.marks, isExclusive: refusesAlts });
    const isAlt = await isSecondAccount(tx, { accountId, platformId }, newcomer.marks);
    if (isAlt && refusesAlts) return block(tx, tools, passage, 'ALT');
    if (!(await findOwnedServer(tx, { accountId, serverId }))) return;
    if (!(await settlePassage(tx, passage, { outcome: 'verified' }))) return;
    const earlierBots = await lockBotsTokens(tx, passage);
    const isKept = passage.wantsRecovery && passage.accessToken !== null;
    // Tokens before the member, as everybody who touches both: two browsers of one person would
    // otherwise wait for each other.
    await (isKept ? keep(tx, tools, passage) : release(tx, tools, passage));
    const memberId = await putVerifiedMember(tx, {
      ...memberOf(tools, passage, newcomer),
      isAlt: isAlt ?? false,
      blacklisted: await isBlacklisted(tx, { accountId, platformId }),
      botId: isKept ? passage.botId : null,
      tokenStatus: isKept ? 'VALID' : 'NONE',
      consentedAt: isKept ? tools.clock.now() : null,
    });
    await forgetUnwanted(tx, tools, passage, earlierBots);
    await putTraces(tx, { accountId, serverId, platformId }, newcomer.marks);
    await raiseAttempt(tx, passage, 'verified');
    await putGrant(tx, { memberId, accountId, serverId, platformId });
    await liftErasureOf(tx, tools.ring, { accountId, platformId });
    await tools.queue.enqueue(tx, giveRole, { memberId, accountId });
  });

/** Turned away: what they agreed to is given back to the platform. */
export const turnAway = (
  tools: VerificationTools,
  passage: StoredPassage,
  blockReason: BlockReason,
): Promise<void> => tools.db.transaction((tx) => block(tx, tools, passage, blockReason));

const block = async (
  tx: Transaction,
  tools: VerificationTools,
  passage: StoredPassage,
  blockReason: BlockReason,
): Promise<void> => {
  if (!(await settlePassage(tx, passage, { outcome: 'blocked', blockReason }))) return;
  await blockAttempt(tx, passage, blockReason);
  await release(tx, tools, passage);
};

const memberOf = (
  { platform }: VerificationTools,
  passage: StoredPassage,
  { facts, marks }: Newcomer,
) => {
  const { accountId, serverId, platformId, username, displayName, avatarHash } = passage;
  const { country, region, asn, isVpn } = facts.look;
  return {
    ...{ id: newId(), accountId, serverId, platformId, username, displayName },
    ...{ country, region, asn, isVpn },
    avatarUrl:
      avatarHash === null
        ? null
        : platform.imageUrl({ kind: 'userAvatar', userId: platformId, hash: avatarHash }),
    fingerprint: marks.device,
    accountCreatedAt: accountCreatedAt(platformId) ?? null,
  };
};

const keep = async (
  tx: Transaction,
  tools: VerificationTools,
  passage: StoredPassage,
): Promise<void> => {
  const { accountId, botId, platformId, scopes, tokenExpiresAt: expiresAt } = passage;
  const open = (column: 'accessToken' | 'refreshToken') =>
    openPassageToken(tools.ring, passage, column, passage[column] ?? '');
  const pair = { accessToken: open('accessToken'), refreshToken: open('refreshToken') };
  await keepTokens(tx, tools, { accountId, botId, platformId }, { ...pair, scopes, expiresAt });
  await forgetPassageTokens(tx, passage);
};

/**
 * The bots that may hold tokens of this person: the server's own, and one it had before. Their tokens
 * are held before the member is touched, in the order of whoever else does both.
 */
const lockBotsTokens = async (tx: Transaction, passage: StoredPassage): Promise<string[]> => {
  const { accountId, botId, platformId } = passage;
  const earlier = await findTokenBot(tx, passage);
  const botIds = [...new Set(earlier === null ? [botId] : [botId, earlier])].sort();
  for (const id of botIds) await lockTokens(tx, { accountId, botId: id, platformId });
  return botIds;
};

/** Whoever no longer agrees, on any server of this owner, to be brought back leaves no token here. */
const forgetUnwanted = async (
  tx: Transaction,
  tools: VerificationTools,
  { accountId, platformId }: StoredPassage,
  botIds: string[],
): Promise<void> => {
  for (const botId of botIds) {
    const owner = { accountId, botId, platformId };
    if (!(await hasConsent(tx, owner))) await forgetTokens(tx, tools, owner);
  }
};

const release = (tx: Transaction, { queue }: VerificationTools, passage: StoredPassage) =>
  queue.enqueue(tx, releaseTokens, { passageId: passage.id, accountId: passage.accountId });
