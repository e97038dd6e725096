import { identifyingPlatformId, newKey, planName } from '@holdfast/contract';
import { z } from 'zod';
import { recordAudit } from '../../features/audit/queries.ts';
import { mintKeyFor } from '../../features/keys/mint.ts';
import { listKeys, revokeAnyKey } from '../../features/keys/queries.ts';
import { findOrCreateUser, isUser, setPlan } from '../../features/accounts/queries.ts';
import { command, operator, pageOptions, paginated } from './command.ts';

export const createKey = command(
  'Create an API key, and the account if there is none yet. The key is shown this once.',
  {
    'platform-id': identifyingPlatformId.describe("the account's id on the platform"),
    plan: planName.optional().describe('put the account on this plan'),
    scopes: z
      .preprocess((text) => String(text).split(','), newKey.shape.scopes)
      .describe("what the key may do, separated by commas; '*' is everything"),
    name: newKey.shape.name.describe('what the key is for'),
  },
  ({ db }, given) =>
    db.transaction(async (tx) => {
      const user = await findOrCreateUser(tx, given['platform-id']);
      const { plan = user.plan, scopes, name } = given;
      if (plan !== user.plan) {
        await setPlan(tx, user.id, plan);
        await recordAudit(tx, {
          accountId: user.id,
          actor: operator,
          action: 'plan.set',
          subject: { type: 'user', id: user.id },
          changes: { plan: { from: user.plan, to: plan } },
        });
      }
      const minted = await mintKeyFor(tx, user.id, operator, { name, scopes, expiresAt: null });
      return { key: minted.key, keyId: minted.id, accountId: user.id };
    }),
);

export const revokeKey = command(
  'Revoke an API key. It is refused everywhere within two seconds.',
  { 'key-id': z.guid().describe('the id of the key, from list-keys') },
  ({ db }, given) =>
    db.transaction(async (tx) => {
      const revoked = await revokeAnyKey(tx, given['key-id']);
      if (!revoked) throw new Error('No such key, or it is revoked already');
      await recordAudit(tx, {
        accountId: revoked.accountId,
        actor: operator,
        action: 'key.revoke',
        subject: { type: 'key', id: revoked.id },
      });
      return { keyId: revoked.id, revoked: true };
    }),
);

export const listKeysOfAccount = command(
  'List the API keys of an account, newest first, revoked ones included. The keys themselves are stored nowhere.',
  { user: z.guid().describe('the id of the account, from find-account'), ...pageOptions },
  async ({ db }, { user, ...asked }) => {
    if (!(await isUser(db, user))) throw new Error('No such account');
    const { rows, total } = await listKeys(db, user, asked);
    const keys = rows.map(({ id: keyId, ...key }) => ({ keyId, ...key }));
    return { accountId: user, keys, ...paginated(asked, total) };
  },
);
