import type { appealStatuses, BlockReason, captchaTypes, FunnelStage } from '@holdfast/contract';
import { isNotNull, sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment, partOf } from '../../db/table-columns.ts';
import { bots } from '../bots/table.ts';
import { servers } from '../servers/table.ts';

const serverId = () => partOf(() => servers.id).notNull();
const botId = () => partOf(() => bots.id).notNull();

/**
 * One attempt to verify for a server, and how far it got. Holds no address and no name; whose it is, is known
 * once the platform says so. An erased person's attempts stay, without their id.
 */
export const attempts = pgTable(
  'verification_attempts',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: serverId(),
    platformId: text(),
    startedAt: moment().notNull().defaultNow(),
    stage: text().$type<FunnelStage>().notNull().default('visited'),
    blockReason: text().$type<BlockReason>(),
    /** Checks that passed only because a fact they need was not known. */
    undecided: json<string[]>(),
    country: text(),
    region: text(),
    asn: bigint({ mode: 'number' }),
  },
  (attempt) => [
    index('verification_attempts_of_server').on(attempt.serverId, attempt.startedAt),
    index('verification_attempts_person')
      .on(attempt.platformId, attempt.accountId)
      .where(isNotNull(attempt.platformId)),
    index('verification_attempts_started').on(attempt.startedAt),
    index('verification_attempts_visited').on(attempt.startedAt).where(sql`stage = 'visited'`),
  ],
);

/** A newcomer at the platform's authorize page: valid once, in one browser, for ten minutes. */
export const authorizations = pgTable(
  'verification_authorizations',
  {
    stateHash: text().primaryKey(),
    browserHash: text().notNull(),
    serverId: serverId(),
    botId: botId(),
    attemptId: uuid().notNull(),
    codeVerifier: text().notNull(),
    redirectUri: text().notNull(),
    scopes: json<string[]>().notNull(),
    usedAt: moment(),
    expiresAt: moment().notNull(),
  },
  (authorization) => [
    index('verification_authorizations_server').on(authorization.serverId, authorization.expiresAt),
    index('verification_authorizations_bot').on(authorization.botId),
    index('verification_authorizations_expiry').on(authorization.expiresAt),
  ],
);

/**
 * A newcomer between the platform's authorization and the outcome, for half an hour. Their tokens
 * stay here, sealed, until it is decided whether they are kept. The outcome is shown to them for a day.
 */
export const pendingVerifications = pgTable(
  'pending_verifications',
  {
    id: uuid().primaryKey(),
    browserHash: text().notNull(),
    accountId: uuid().notNull(),
    serverId: serverId(),
    botId: botId(),
    attemptId: uuid().notNull(),
    platformId: text().notNull(),
    username: text().notNull(),
    displayName: text(),
    avatarHash: text(),
    wantsRecovery: boolean().notNull(),
    /**
     * Whether the person's guilds match the server's SERVER_ID rules; the guilds are not stored.
     * Unknown if they were not requested, or the platform did not answer.
     */
    metRules: json<{ whitelist: boolean; firewall: boolean; isUnknown?: boolean }>().notNull(),
    /** Sealed; both null once they were moved to the vault or discarded. */
    accessToken: text(),
    refreshToken: text(),
    sealKeyId: text(),
    scopes: json<string[]>().notNull(),
    tokenExpiresAt: moment().notNull(),
    hasPassedCaptcha: boolean().notNull().default(false),
    outcome: text().$type<'verified' | 'blocked'>(),
    blockReason: text().$type<BlockReason>(),
    outcomeAt: moment(),
    expiresAt: moment().notNull(),
  },
  (pending) => [
    index('pending_verifications_server').on(pending.serverId, pending.browserHash),
    index('pending_verifications_bot').on(pending.botId),
    index('pending_verifications_person').on(pending.platformId),
    index('pending_verifications_expiry').on(pending.expiresAt),
    index('pending_verifications_tokens')
      .on(pending.expiresAt)
      .where(sql`access_token is not null`),
  ],
);

/** Captcha solutions that were accepted; each is accepted once. */
export const usedSolutions = pgTable(
  'verification_used_solutions',
  { hash: text().primaryKey(), expiresAt: moment().notNull() },
  (solution) => [index('verification_used_solutions_expiry').on(solution.expiresAt)],
);

/** Keyed hashes of devices and addresses, by which a person's second account is recognized. */
export const identityHashes = pgTable(
  'identity_hashes',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: serverId(),
    platformId: text().notNull(),
    kind: text().$type<'device' | 'address'>().notNull(),
    hash: text().notNull(),
    expiresAt: moment().notNull(),
  },
  (entry) => [
    unique('identity_hashes_once').on(entry.serverId, entry.platformId, entry.kind, entry.hash),
    index('identity_hashes_hash').on(entry.accountId, entry.kind, entry.hash),
    index('identity_hashes_person').on(entry.platformId),
    index('identity_hashes_expiry').on(entry.expiresAt),
  ],
);

/** The verified role that is to be given to a member on the platform. */
export const roleAssignments = pgTable(
  'role_assignments',
  {
    memberId: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: serverId(),
    platformId: text().notNull(),
    status: text().$type<'waiting' | 'done' | 'failed'>().notNull().default('waiting'),
    /** A code of `RoleTrouble`; rows of earlier versions hold a sentence. */
    error: text(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (assignment) => [index('role_assignments_server').on(assignment.serverId)],
);

export const appeals = pgTable(
  'appeals',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: serverId(),
    platformId: text().notNull(),
    username: text().notNull(),
    /** Of the browser in which it was written: there the person sees the decision. */
    browserHash: text(),
    reason: text().$type<BlockReason>().notNull(),
    message: text().notNull(),
    status: text().$type<(typeof appealStatuses)[number]>().notNull().default('OPEN'),
    createdAt: moment().notNull().defaultNow(),
    decidedAt: moment(),
  },
  (appeal) => [
    index('appeals_of_server').on(appeal.serverId, appeal.createdAt, appeal.id),
    index('appeals_person').on(appeal.platformId),
    index('appeals_browser').on(appeal.serverId, appeal.browserHash),
    uniqueIndex('appeals_one_open')
      .on(appeal.serverId, appeal.platformId)
      .where(sql`status = 'OPEN'`),
  ],
);

/**
 * Checks that are stricter for a time, whatever the owner has set. They stand beside the owner's settings
 * and never change them.
 */
export const raisedChecks = pgTable('raised_checks', {
  serverId: partOf(() => servers.id).primaryKey(),
  accountId: uuid().notNull(),
  /** Asked of newcomers where the owner asks for none. */
  captchaType: text().$type<(typeof captchaTypes)[number]>().notNull(),
  minAccountAgeDays: integer().notNull(),
  /** They end then, if nobody lowers them before. */
  until: moment().notNull(),
});

/** What the owner chose for the pages; its pictures are uploads that the server holds. */
export const verifyPages = pgTable('verify_pages', {
  serverId: partOf(() => servers.id).primaryKey(),
  accountId: uuid().notNull(),
  title: text(),
  welcome: text(),
  accent: text(),
  updatedAt: moment().notNull().defaultNow(),
});
