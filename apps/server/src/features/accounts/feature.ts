import { rewrapHashKeys } from './hash-key/hash-key.ts';
import { sealedHashKeys } from './hash-key/queries.ts';

/**
 * Accounts: the customers of Holdfast. An account is created by the first sign-in to the dashboard or
 * by the operator; it has a plan and, at most, one person of the platform.
 *
 * - `queries.ts`: finds, creates and locks accounts. Most changes of other features begin with
 *   `lockAccount` (limits of the plan) or `holdAccount` (it is not deleted meanwhile).
 * - `hash-key/`: the account's own key, under which what identifies a person is hashed.
 *
 * The deletion of an account is the feature `account-deletion`, which knows all the others.
 */
export const accounts = {
  sealedRows: sealedHashKeys,
  rewrap: rewrapHashKeys,
};
