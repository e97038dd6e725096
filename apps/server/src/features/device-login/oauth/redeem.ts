import type { KeyScope } from '@holdfast/contract';
import type { Database, Transaction } from '../../../db/connect.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { sha256Hex } from '../../../kernel/hash.ts';
import { lockAccountRow } from '../../accounts/queries.ts';
import { createApiKey, hasRoomForKey } from '../../keys/queries.ts';
import { findSignedIn } from '../../sessions/queries.ts';
import { lockAuthorization, recordPoll, setStatus } from '../queries.ts';
import { type AuthorizationStatus, keyNameOf, type PollRefusal, refusePoll } from '../rules.ts';

type Grant = { key: string; scopes: KeyScope[]; expiresInSeconds: number };

type Outcome = { refusal: PollRefusal } | { grant: Grant };

const unknown = { error: 'invalid_grant', description: 'No such device code: begin again' };

const daySeconds = 24 * 60 * 60;

/**
 * Answers one poll. The key is made here and not at the approval, so that it is stored nowhere. The row is
 * locked: of many polls at once one gets the key.
 */
export const pollAuthorization = (
  { db, clock }: { db: Database; clock: Clock },
  deviceCode: string,
): Promise<Outcome> =>
  db.transaction(async (tx) => {
    const found = await lockAuthorization(tx, sha256Hex(deviceCode));
    if (!found) return { refusal: unknown };
    const refusal = refusePoll(found);
    if (found.status === 'PENDING') await recordPoll(tx, found.id, found);
    if (refusal) return { refusal };
    const status = await finalStatus(tx, found);
    await setStatus(tx, found.id, status);
    const ended = refusePoll({ ...found, status });
    if (status !== 'REDEEMED') return { refusal: ended ?? unknown };
    return { grant: await makeKey(tx, clock, found) };
  });

type Authorization = NonNullable<Awaited<ReturnType<typeof lockAuthorization>>>;

/** What becomes of an approved one, decided under the account's lock. */
const finalStatus = async (
  tx: Transaction,
  { accountId, sessionId }: Authorization,
): Promise<AuthorizationStatus> => {
  if (accountId === null || sessionId === null) return 'SIGNED_OUT';
  if (!(await lockAccountRow(tx, accountId))) return 'SIGNED_OUT';
  const signedIn = await findSignedIn(tx, [{ sessionId, accountId }]);
  if (!signedIn.has(sessionId)) return 'SIGNED_OUT';
  return (await hasRoomForKey(tx, accountId)) ? 'REDEEMED' : 'KEY_LIMIT';
};

const makeKey = async (
  tx: Transaction,
  clock: Clock,
  { accountId, machine, scopes, keyDays }: Authorization,
): Promise<Grant> => {
  if (accountId === null || keyDays === null) throw new Error('The authorization is not approved');
  const expiresInSeconds = keyDays * daySeconds;
  const expiresAt = new Date(clock.now().getTime() + expiresInSeconds * 1000);
  const owner = { type: 'USER', id: accountId } as const;
  const request = { name: keyNameOf(machine), scopes, expiresAt };
  const { key } = await createApiKey(tx, accountId, owner, request);
  return { key, scopes, expiresInSeconds };
};
