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
import { endpoint } from './endpoint.ts';

export const blacklistEntry = z
  .object({
    id: uuid,
    platformId,
    reason: z.string().nullable().meta({ example: 'Ran a raid in January' }),
    createdAt: timestamp,
  })
  .meta({ id: 'BlacklistEntry' });

export const blacklistEndpoints = {
  createBlacklistEntry: endpoint({
    method: 'POST',
    path: '/servers/:id/blacklist',
    tag: 'Blacklist',
    summary: 'Blacklist a platform user',
    description: 'The entry belongs to the account: it holds on all of its servers.',
    scope: 'blacklist:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    body: z
      .object({
        platformId: identifyingPlatformId.describe('Who is to be kept out.'),
        reason: note.nullish().meta({ example: 'Ran a raid in January' }),
      })
      .meta({ id: 'NewBlacklistEntry' }),
    status: 201,
    data: blacklistEntry,
    refusals: { 409: 'This platform user is already blacklisted.' },
  }),
  listBlacklist: endpoint({
    method: 'GET',
    path: '/blacklist',
    tag: 'Blacklist',
    summary: 'List the blacklist',
    scope: 'blacklist:read',
    freshSecondFactor: 'never',
    query: paginationQuery,
    status: 200,
    data: blacklistEntry,
    paginated: true,
  }),
  deleteBlacklistEntry: endpoint({
    method: 'DELETE',
    path: '/blacklist',
    tag: 'Blacklist',
    summary: 'Remove a blacklist entry',
    scope: 'blacklist:write',
    freshSecondFactor: 'always',
    query: z.object({ entryId: uuid.describe('The entry to remove.') }),
    status: 200,
    data: deleted,
    refusals: { 404: 'No such entry.' },
  }),
};
