import type { Plan, PlanName } from '@holdfast/contract';
import type { Database } from '../../db/connect.ts';
import type { ClientAddress } from '../../http/client-address.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import type { IpData } from '../../integrations/ip-data/open-ip-data.ts';
import type { Platform } from '../../platform/port.ts';
import type { PlatformOAuth } from '../../platform/port-oauth.ts';
import type { Queue } from '../../queue/queue.ts';
import type { CaptchaSettings } from './captcha/provider.ts';

/** What the member's way in needs of the rest of the house. */
export type VerificationTools = {
  db: Database;
  ring: KeyRing;
  clock: Clock;
  log: Log;
  queue: Pick<Queue, 'enqueue'>;
  oauth: PlatformOAuth;
  platform: Pick<Platform, 'imageUrl'>;
  ipData: Pick<IpData, 'look'>;
  limitsOf(plan: PlanName): Plan;
  clientAddress: ClientAddress;
  captcha: CaptchaSettings;
  baseUrl: string;
};
