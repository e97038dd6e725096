import type { KeyScope } from '@holdfast/contract';
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { moment, partOf } from '../../db/table-columns.ts';
import { accounts } from '../accounts/table.ts';
import type { AuthorizationStatus } from './rules.ts';

/** A program that asks for a key, and what an owner decided about it. Deleted soon after its ten minutes. */
export const deviceAuthorizations = pgTable(
  'device_authorizations',
  {
    id: uuid().primaryKey(),
    /** SHA-256 of the code that the program polls with. */
    deviceCodeHash: text().notNull().unique('device_authorizations_device_code'),
    /** Eight letters without the dash. They open nothing without a session. */
    userCode: text().notNull().unique('device_authorizations_user_code'),
    status: text().$type<AuthorizationStatus>().notNull().default('PENDING'),
    /** As the machine calls itself. */
    machine: text(),
    address: text().notNull(),
    /** The address, or the /64 of an IPv6 one: so many may wait for each. */
    network: text().notNull(),
    /** The /48 of an IPv6 address: some more may wait for all networks of it. */
    site: text(),
    /** Asked for; once approved, those that were granted. */
    scopes: text().array().$type<KeyScope[]>().notNull(),
    /** Who approved it, in which session; the key is made only while that session is valid. */
    accountId: partOf(() => accounts.id),
    sessionId: uuid(),
    keyDays: integer(),
    intervalSeconds: integer().notNull(),
    lastPolledAt: moment(),
    createdAt: moment().notNull().defaultNow(),
    expiresAt: moment().notNull(),
  },
  (authorization) => [
    index('device_authorizations_of_network').on(authorization.network),
    index('device_authorizations_of_site').on(authorization.site),
    index('device_authorizations_of_account').on(authorization.accountId),
    index('device_authorizations_expiry').on(authorization.expiresAt),
  ],
);
