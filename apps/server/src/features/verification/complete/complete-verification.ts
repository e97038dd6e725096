import type { Transaction } from '../../../db/connect.ts';
import { newId } from '../../../kernel/ids.ts';
import { liftErasure } from '../../backups/erasure/erasures.ts';
import { isBlacklisted } from '../../blacklist/queries.ts';
import { findTokenBot, hasConsent, putVerifiedMember } from '../../members/queries/verified.ts';
import { findOwnedServer } from '../../servers/queries.ts';
import { lockTokens } from '../../vault/queries.ts';
import { deleteAndRevokeTokens } from '../../vault/tokens/delete.ts';
import { storeTokens } from '../../vault/tokens/store.ts';
import { openPendingToken } from '../callback/pending-tokens.ts';
import type { Newcomer } from '../check/newcomer.ts';
import { assignRole, discardTokens } from '../jobs.ts';
import type { VerificationDependencies } from '../pages/page-context.ts';
import { advanceAttempt, blockAttempt } from '../queries/attempts.ts';
import {
  isSecondAccount,
  lockIdentityHashes,
  storeIdentityHashes,
} from '../queries/identity-hashes.ts';
import {
  clearPendingTokens,
  type PendingVerification,
  setOutcome,
} from '../queries/pending-verifications.ts';
import { putRoleAssignment } from '../queries/role-assignments.ts';
import { accountCreatedAt, type BlockReason } from '../rules.ts';

type Dependencies = Pick<VerificationDependencies, 'db' | 'ring' | 'clock' | 'queue' | 'platform'>;
type Completion = Dependencies & { tx: Transaction; pending: PendingVerification };

/**
 * Makes the newcomer a member, with everything that follows from it, in one transaction. With
 * `blocksAlts`, they are blocked if the same device or address was verified meanwhile.
 */
export const completeVerification = (
  dependencies: Dependencies,
  pending: PendingVerification,
  newcomer: Newcomer & { blocksAlts: boolean },
): Promise<void> =>
  dependencies.db.transaction(async (tx) => {
    const completion = { ...dependencies, tx, pending };
    const { accountId, serverId, platformId } = pending;
    const { hashes, blocksAlts } = newcomer;
    // Before any row is locked: no transaction that holds rows waits for this lock.
    await lockIdentityHashes(tx, { accountId, hashes, isExclusive: blocksAlts });
    const isAlt = await isSecondAccount(tx, { accountId, platformId }, hashes);
    if (isAlt && blocksAlts) return block(completion, 'ALT');
    if (!(await findOwnedServer(tx, { accountId, serverId }))) return;
    if (!(await setOutcome(tx, pending, { outcome: 'verified' }))) return;
    const lockedBots = await lockTokensOfBots(completion);
    const keepsTokens = pending.wantsRecovery && pending.accessToken !== null;
    // Tokens before the member, as everywhere that locks both: two browsers of one person would
    // otherwise deadlock.
    await (keepsTokens ? moveTokensToVault(completion) : enqueueDiscard(completion));
    const memberId = await putVerifiedMember(tx, {
      ...memberOf(completion, newcomer),
      isAlt: isAlt ?? false,
      blacklisted: await isBlacklisted(tx, { accountId, platformId }),
      botId: keepsTokens ? pending.botId : null,
      tokenStatus: keepsTokens ? 'VALID' : 'NONE',
      consentedAt: keepsTokens ? dependencies.clock.now() : null,
    });
    await deleteUnneededTokens(completion, lockedBots);
    await storeIdentityHashes(tx, { accountId, serverId, platformId }, hashes);
    await advanceAttempt(tx, pending, 'verified');
    await putRoleAssignment(tx, { memberId, accountId, serverId, platformId });
    await liftErasure(tx, dependencies.ring, { accountId, platformId });
    await dependencies.queue.enqueue(tx, assignRole, { memberId, accountId });
  });

/** Their tokens are revoked at the platform. */
export const blockVerification = (
  dependencies: Dependencies,
  pending: PendingVerification,
  blockReason: BlockReason,
): Promise<void> =>
  dependencies.db.transaction((tx) => block({ ...dependencies, tx, pending }, blockReason));

const block = async (completion: Completion, blockReason: BlockReason): Promise<void> => {
  const { tx, pending } = completion;
  if (!(await setOutcome(tx, pending, { outcome: 'blocked', blockReason }))) return;
  await blockAttempt(tx, pending, blockReason);
  await enqueueDiscard(completion);
};

const memberOf = ({ platform, pending }: Completion, { facts, hashes }: Newcomer) => {
  const { accountId, serverId, platformId, username, displayName, avatarHash: hash } = pending;
  const { country, region, asn, isVpn } = facts.ip;
  return {
    ...{ id: newId(), accountId, serverId, platformId, username, displayName },
    ...{ country, region, asn, isVpn },
    avatarUrl:
      hash === null ? null : platform.imageUrl({ kind: 'userAvatar', userId: platformId, hash }),
    fingerprint: hashes.device,
    accountCreatedAt: accountCreatedAt(platformId) ?? null,
  };
};

const moveTokensToVault = async (completion: Completion): Promise<void> => {
  const { tx, ring, pending } = completion;
  const { accountId, botId, platformId, scopes, tokenExpiresAt: expiresAt } = pending;
  const accessToken = openPendingToken(ring, pending, 'accessToken');
  const refreshToken = openPendingToken(ring, pending, 'refreshToken');
  const pair = { accessToken, refreshToken, scopes, expiresAt };
  await storeTokens(tx, completion, { accountId, botId, platformId }, pair);
  await clearPendingTokens(tx, pending);
};

const enqueueDiscard = ({ tx, queue, pending }: Completion): Promise<void> =>
  queue.enqueue(tx, discardTokens, { pendingId: pending.id, accountId: pending.accountId });

/**
 * The bots that may hold tokens of this person: the server's own, and one that it had before. Locked
 * before the member, and in the order in which every other transaction locks both.
 */
const lockTokensOfBots = async ({ tx, pending }: Completion): Promise<string[]> => {
  const { accountId, botId, platformId } = pending;
  const earlier = await findTokenBot(tx, pending);
  const botIds = [...new Set(earlier === null ? [botId] : [botId, earlier])].sort();
  for (const id of botIds) await lockTokens(tx, { accountId, botId: id, platformId });
  return botIds;
};

/** Tokens are kept only while the person consents to recovery on a server of this account. */
const deleteUnneededTokens = async (completion: Completion, botIds: string[]): Promise<void> => {
  const { tx, pending } = completion;
  for (const botId of botIds) {
    const owner = { accountId: pending.accountId, botId, platformId: pending.platformId };
    if (!(await hasConsent(tx, owner))) await deleteAndRevokeTokens(tx, completion, owner);
  }
};
