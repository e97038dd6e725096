import { z } from 'zod';
import {
  deleted,
  identifyingPlatformId,
  idParams,
  note,
  paginationQuery,
  platformId,
  timestamp,
  uuid,
} from './common.ts';
import { endpointsOf } from './endpoint.ts';

export const blacklistEntry = z
  .object({
    id: uuid,
    platformId,
    reason: z.string().nullable().meta({ example: 'Ran a raid in January' }),
    createdAt: timestamp,
  })
  .meta({ id: 'BlacklistEntry' });

export const blacklistEndpoints = endpointsOf('Blacklist', {
  createBlacklistEntry: {
    method: 'POST',
    path: '/servers/:id/blacklist',
    summary: 'Blacklist a platform user',
    description: 'The entry belongs to the account and applies to all of its servers.',
    scope: 'blacklist:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    body: z
      .object({
        platformId: identifyingPlatformId.describe('The user to block.'),
        reason: note.nullish().meta({ example: 'Ran a raid in January' }),
      })
      .meta({ id: 'NewBlacklistEntry' }),
    status: 201,
    data: blacklistEntry,
    refusals: { 409: 'This platform user is already blacklisted.' },
  },
  listBlacklist: {
    method: 'GET',
    path: '/blacklist',
    summary: 'List the blacklist',
    scope: 'blacklist:read',
    query: paginationQuery,
    data: blacklistEntry,
    paginated: true,
    mayReadStandby: true,
  },
  deleteBlacklistEntry: {
    method: 'DELETE',
    path: '/blacklist',
    summary: 'Remove a blacklist entry',
    scope: 'blacklist:write',
    freshSecondFactor: 'always',
    query: z.object({ entryId: uuid.describe('The entry to remove.') }),
    data: deleted,
    refusals: { 404: 'No such entry.' },
  },
});
