import { identifyingPlatformId, newKey, planName } from '@holdfast/contract';
import { z } from 'zod';
import { accountExists, findOrCreateAccount, setPlan } from '../../features/accounts/queries.ts';
import { recordAudit } from '../../features/audit/queries.ts';
import { systemActor } from '../../features/audit/rules.ts';
import { createApiKey, listKeys, revokeAnyKey } from '../../features/keys/queries.ts';
import { command, pageOptions, paginated } from './command.ts';

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
      const account = await findOrCreateAccount(tx, given['platform-id']);
      const { plan = account.plan, scopes, name } = given;
      if (plan !== account.plan) {
        await setPlan(tx, account.id, plan);
        await recordAudit(tx, {
          accountId: account.id,
          actor: systemActor,
          action: 'plan.set',
          subject: { type: 'user', id: account.id },
          changes: { plan: { from: account.plan, to: plan } },
        });
      }
      const created = await createApiKey(tx, account.id, systemActor, {
        name,
        scopes,
        expiresAt: null,
      });
      return { key: created.key, keyId: created.id, userId: account.id };
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
        actor: systemActor,
        action: 'key.revoke',
        subject: { type: 'key', id: revoked.id },
      });
      return { keyId: revoked.id, revoked: true };
    }),
);

export const listKeysOfAccount = command(
  'List the API keys of an account, newest first, revoked ones included. The keys themselves are stored nowhere.',
  { user: z.guid().describe('the id of the account, from find-account'), ...pageOptions },
  async ({ db }, { user: accountId, ...asked }) => {
    if (!(await accountExists(db, accountId))) throw new Error('No such account');
    const { rows, total } = await listKeys(db, accountId, asked);
    const keys = rows.map(({ id: keyId, ...key }) => ({ keyId, ...key }));
    return { userId: accountId, keys, ...paginated(asked, total) };
  },
);
