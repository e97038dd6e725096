import type { Plan, PlanName } from '@holdfast/contract';
import type { Context } from 'hono';
import type { Database } from '../../../db/connect.ts';
import type { HttpEnv } from '../../../http/context.ts';
import type { AddressCounts } from '../../../http/limits/address-limit.ts';
import type { ClientAddress } from '../../../http/limits/client-address.ts';
import { browserHash } from '../../../http/pages/cookies.ts';
import type { IpData } from '../../../integrations/ip-data/ip-data.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import type { KeyRing } from '../../../kernel/seal.ts';
import type { PlatformOAuth } from '../../../platform/oauth/port.ts';
import type { Platform } from '../../../platform/port.ts';
import type { Queue } from '../../../queue/queue.ts';
import type { CaptchaSettings } from '../captcha/provider.ts';
import { findPendingVerification } from '../queries/pending-verifications.ts';
import type { VerificationServer } from '../queries/servers.ts';

export type PageContext = Context<HttpEnv>;

export type VerificationDependencies = {
  db: Database;
  ring: KeyRing;
  clock: Clock;
  log: Log;
  queue: Pick<Queue, 'enqueue'>;
  oauth: PlatformOAuth;
  platform: Pick<Platform, 'imageUrl'>;
  ipData: Pick<IpData, 'lookUp'>;
  limitsOf(plan: PlanName): Plan;
  clientAddress: ClientAddress;
  addressCounts?: AddressCounts['addressCounts'];
  captcha: CaptchaSettings;
  /** Whether somebody came with a wave of newcomers, and waits until the owner has decided about it. */
  isHeld(
    db: Database,
    person: { accountId: string; serverId: string; platformId: string },
  ): Promise<boolean>;
  baseUrl: string;
};

/** A request for a page of one server, with all that answering it needs. */
export type PageRequest = VerificationDependencies & {
  context: PageContext;
  server: VerificationServer;
};

/** The pending verification of this browser, if it has one for this server. */
export const findPending = ({ db, context, server }: PageRequest) =>
  findPendingVerification(db, browserHash(context), server.id);

export const visitPath = (serverId: string): string => `/verify/${serverId}`;
export const checkPath = (serverId: string): string => `/verify/${serverId}/check`;
export const appealPath = (serverId: string): string => `/verify/${serverId}/appeal`;
export const donePath = (serverId: string): string => `/verify/${serverId}/done`;
export const checkScriptPath = '/pages/check.js';
