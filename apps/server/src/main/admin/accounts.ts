import { identifyingPlatformId } from '@holdfast/contract';
import { z } from 'zod';
import {
  accountExists,
  findAccounts,
  isDeletedAccount,
  listAccounts,
} from '../../features/accounts/queries.ts';
import { verifyChain } from '../../features/audit/chain/verify-chain.ts';
import { systemActor } from '../../features/audit/rules.ts';
import { findOwnersOfKeysEnding } from '../../features/keys/queries.ts';
import {
  hasSecondFactor,
  removeSecondFactor,
} from '../../features/sessions/second-factor/queries.ts';
import { command, pageOptions, paginated } from './command.ts';

/** The commands call an account's id `userId`: scripts of operators depend on it. */
const shownAccount = <Fields extends { accountId: string }>({ accountId, ...rest }: Fields) => ({
  userId: accountId,
  ...rest,
});

export const listAllAccounts = command(
  'List all accounts, newest first.',
  pageOptions,
  async ({ db }, asked) => {
    const { accounts, total } = await listAccounts(db, asked);
    return { accounts: accounts.map(shownAccount), ...paginated(asked, total) };
  },
);

export const findAccount = command(
  'Find accounts by exactly one of these. No match is an empty list.',
  {
    user: z.guid().optional().describe('the id of the account'),
    'platform-id': identifyingPlatformId.optional().describe("the account's id on the platform"),
    username: z.string().min(1).optional().describe('the whole username, upper or lower case'),
    'key-last-four': z.string().length(4).optional().describe('the last characters of a key'),
  },
  async ({ db }, { user, username, ...given }) => {
    const { 'platform-id': platformId, 'key-last-four': lastFour } = given;
    const asked = [user, platformId, username, lastFour].filter((value) => value !== undefined);
    if (asked.length !== 1) {
      throw new Error('Give exactly one of --user, --platform-id, --username, --key-last-four');
    }
    const owners = lastFour === undefined ? [] : await findOwnersOfKeysEnding(db, lastFour);
    const ids = user === undefined ? owners : [user];
    const accounts = await findAccounts(db, { ids, platformId, username });
    return { accounts: accounts.map(shownAccount) };
  },
);

export const removeFactor = command(
  'Remove the second factor of an account, for somebody who lost it and all recovery codes.',
  { user: z.guid().describe('the id of the account') },
  ({ db }, { user: accountId }) =>
    db.transaction(async (tx) => {
      if (!(await hasSecondFactor(tx, accountId)))
        throw new Error('No such account with a second factor');
      await removeSecondFactor(tx, { accountId, actor: systemActor });
      return { userId: accountId, mfaEnabled: false };
    }),
);

export const verifyAudit = command(
  'Verify the audit log of an account: every hash and every link of the chain. Of a deleted account the contents are removed, and the links alone can be verified.',
  { user: z.guid().describe('the id of the account') },
  async ({ db }, { user: accountId }) => {
    if (!(await accountExists(db, accountId))) throw new Error('No such account');
    const isOfDeleted = await isDeletedAccount(db, accountId);
    const report = await verifyChain(db, accountId, { isOfDeleted });
    if (!report.intact) throw new Error(`The chain is broken: ${JSON.stringify(report)}`);
    return { userId: accountId, ...report };
  },
);
