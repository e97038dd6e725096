import type { appealStatuses, BlockReason, FunnelStage } from '@holdfast/contract';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { json, moment } from '../../db/columns.ts';
import { bots } from '../bots/table.ts';
import { servers } from '../servers/table.ts';

/** One visit to a server's door, and how far it got. Holds no address and no name. */
export const attempts = pgTable(
  'verification_attempts',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: uuid()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    startedAt: moment().notNull().defaultNow(),
    stage: text().$type<FunnelStage>().notNull().default('visited'),
    blockReason: text().$type<BlockReason>(),
    /** Checks that let pass because what they go by could not be known. */
    undecided: json<string[]>(),
    country: text(),
    region: text(),
    asn: bigint({ mode: 'number' }),
  },
  (attempt) => [
    index('verification_attempts_of_server').on(attempt.serverId, attempt.startedAt),
    index('verification_attempts_started').on(attempt.startedAt),
    index('verification_attempts_visited').on(attempt.startedAt).where(sql`stage = 'visited'`),
  ],
);

/** A newcomer on the way to the platform's authorize page: good once, in one browser, for ten minutes. */
export const authorizations = pgTable(
  'verification_authorizations',
  {
    stateHash: text().primaryKey(),
    browserHash: text().notNull(),
    serverId: uuid()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    botId: uuid()
      .notNull()
      .references(() => bots.id, { onDelete: 'cascade' }),
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

export const passageOutcomes = ['verified', 'blocked'] as const;

/**
 * A newcomer who came back from the platform and is not through yet; forgotten after half an hour.
 * The tokens wait here, sealed, until it is decided whether they are kept.
 */
export const passages = pgTable(
  'verification_passages',
  {
    id: uuid().primaryKey(),
    browserHash: text().notNull(),
    accountId: uuid().notNull(),
    serverId: uuid()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    botId: uuid()
      .notNull()
      .references(() => bots.id, { onDelete: 'cascade' }),
    attemptId: uuid().notNull(),
    platformId: text().notNull(),
    username: text().notNull(),
    displayName: text(),
    avatarHash: text(),
    wantsRecovery: boolean().notNull(),
    /**
     * Whether the person's guilds meet the server's SERVER_ID rules; the guilds are not kept. Unknown
     * where they were not asked for, or the platform did not tell.
     */
    metRules: json<{ whitelist: boolean; firewall: boolean; isUnknown?: boolean }>().notNull(),
    /** Sealed; both empty once they were moved to the vault or forgotten. */
    accessToken: text(),
    refreshToken: text(),
    sealKeyId: text(),
    scopes: json<string[]>().notNull(),
    tokenExpiresAt: moment().notNull(),
    hasPassedCaptcha: boolean().notNull().default(false),
    outcome: text().$type<(typeof passageOutcomes)[number]>(),
    blockReason: text().$type<BlockReason>(),
    expiresAt: moment().notNull(),
  },
  (passage) => [
    index('verification_passages_server').on(passage.serverId, passage.browserHash),
    index('verification_passages_bot').on(passage.botId),
    index('verification_passages_person').on(passage.platformId),
    index('verification_passages_expiry').on(passage.expiresAt),
  ],
);

/** Solutions of a captcha count once. */
export const usedSolutions = pgTable(
  'verification_used_solutions',
  { hash: text().primaryKey(), expiresAt: moment().notNull() },
  (solution) => [index('verification_used_solutions_expiry').on(solution.expiresAt)],
);

/** Keyed hashes of devices and addresses, by which a second account of one person shows. */
export const traces = pgTable(
  'verification_traces',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: uuid()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    platformId: text().notNull(),
    kind: text().$type<'device' | 'address'>().notNull(),
    hash: text().notNull(),
    expiresAt: moment().notNull(),
  },
  (trace) => [
    unique('verification_traces_once').on(trace.serverId, trace.platformId, trace.kind, trace.hash),
    index('verification_traces_hash').on(trace.accountId, trace.kind, trace.hash),
    index('verification_traces_person').on(trace.platformId),
    index('verification_traces_expiry').on(trace.expiresAt),
  ],
);

/** What still has to happen on the platform for somebody who was verified. */
export const grants = pgTable(
  'verification_grants',
  {
    memberId: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: uuid()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    platformId: text().notNull(),
    status: text().$type<'waiting' | 'done' | 'failed'>().notNull().default('waiting'),
    error: text(),
    updatedAt: moment().notNull().defaultNow(),
  },
  (grant) => [index('verification_grants_server').on(grant.serverId)],
);

export const appeals = pgTable(
  'appeals',
  {
    id: uuid().primaryKey(),
    accountId: uuid().notNull(),
    serverId: uuid()
      .notNull()
      .references(() => servers.id, { onDelete: 'cascade' }),
    platformId: text().notNull(),
    username: text().notNull(),
    reason: text().$type<BlockReason>().notNull(),
    message: text().notNull(),
    status: text().$type<(typeof appealStatuses)[number]>().notNull().default('OPEN'),
    createdAt: moment().notNull().defaultNow(),
    decidedAt: moment(),
  },
  (appeal) => [
    index('appeals_of_server').on(appeal.serverId, appeal.createdAt, appeal.id),
    index('appeals_person').on(appeal.platformId),
    uniqueIndex('appeals_one_open')
      .on(appeal.serverId, appeal.platformId)
      .where(sql`status = 'OPEN'`),
  ],
);
