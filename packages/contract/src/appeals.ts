import { z } from 'zod';
import { idParams, paginationQuery, platformId, timestamp, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { setTo } from './fresh-second-factor.ts';

export const appealStatuses = ['OPEN', 'ACCEPTED', 'REJECTED'] as const;

/** Why a newcomer was blocked. */
export const blockReasons = [
  'BLACKLIST',
  'FIREWALL',
  'VPN',
  'ALT',
  'ACCOUNT_AGE',
  'CAPTCHA',
] as const;
export type BlockReason = (typeof blockReasons)[number];

export const appeal = z
  .object({
    id: uuid,
    serverId: uuid,
    platformId,
    username: z.string().meta({ example: 'deckhand' }),
    reason: z.enum(blockReasons),
    message: z.string().meta({ example: 'I share my connection with the whole dormitory.' }),
    status: z.enum(appealStatuses),
    createdAt: timestamp,
    decidedAt: timestamp.nullable(),
  })
  .meta({ id: 'Appeal' });

export const appealEndpoints = endpointsOf('Appeals', {
  listAppeals: {
    method: 'GET',
    path: '/servers/:id/appeals',
    summary: 'List appeals',
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: paginationQuery,
    data: appeal,
    paginated: true,
    mayReadStandby: true,
  },

  decideAppeal: {
    method: 'POST',
    path: '/servers/:id/appeals/:appealId',
    summary: 'Decide an appeal',
    description:
      'Accepting adds a whitelist rule for the person, who can then verify. The blacklist still overrides it.',
    scope: 'members:write',
    freshSecondFactor: { whenFields: { decision: setTo('ACCEPT') } },
    owner: 'server',
    params: idParams.extend({ appealId: uuid }),
    body: z.object({ decision: z.enum(['ACCEPT', 'REJECT']) }),
    data: appeal,
    namesPeople: true,
    refusals: { 409: 'It is decided already.' },
  },
});
