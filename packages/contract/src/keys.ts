import { z } from 'zod';
import { deleted, idParams, name, paginationQuery, timestamp, uuid } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { accountLimits } from './plans.ts';
import { keyScope } from './scopes.ts';

export const key = z
  .object({
    id: uuid,
    name: z.string().meta({ example: 'ci' }),
    scopes: z.array(keyScope).meta({ example: ['servers:read', 'members:read'] }),
    lastFour: z
      .string()
      .meta({ description: 'The last four characters of the key.', example: '7dQz' }),
    lastUsedAt: timestamp.nullable().meta({ example: null }),
    expiresAt: timestamp.nullable().meta({ example: '2027-01-31T12:00:00.000Z' }),
    revokedAt: timestamp.nullable().meta({ example: null }),
    createdAt: timestamp,
  })
  .meta({ id: 'Key' });

/** Far more than there are, with room for repetitions. */
const mostScopes = 100;

export const newKey = z
  .object({
    name: name.meta({ example: 'ci' }),
    scopes: z
      .array(keyScope)
      .min(1, 'Choose at least one scope')
      .max(mostScopes)
      .transform((chosen) => [...new Set(chosen)])
      .meta({ example: ['servers:read', 'members:read'] }),
    expiresAt: timestamp.nullish().meta({
      description: 'A time in the future; without it the key is valid until it is revoked.',
      example: '2027-01-31T12:00:00.000Z',
    }),
  })
  .meta({ id: 'NewKey' });

export const keyEndpoints = endpointsOf('API keys', {
  listKeys: {
    method: 'GET',
    path: '/keys',
    summary: 'List API keys',
    scope: 'api-keys:read',
    query: paginationQuery,
    data: key,
    paginated: true,
  },
  createKey: {
    method: 'POST',
    path: '/keys',
    summary: 'Create an API key',
    description: 'Only this response contains the full key: the service stores its hash.',
    scope: 'api-keys:write',
    freshSecondFactor: 'always',
    body: newKey,
    status: 201,
    data: key
      .extend({
        key: z.string().meta({
          description: 'The full key, shown once.',
          example: 'holdfast_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMP7dQz',
        }),
      })
      .meta({ id: 'MintedKey' }),
    showsSecret: true,
    refusals: {
      403: `The new key would hold a scope that the calling key lacks, or outlive it; or the account has ${accountLimits.liveKeys} live keys already.`,
    },
  },
  deleteKey: {
    method: 'DELETE',
    path: '/keys/:id',
    summary: 'Revoke an API key',
    description: 'Takes effect on every process within two seconds. The key stays listed.',
    scope: 'api-keys:write',
    freshSecondFactor: 'always',
    params: idParams,
    data: deleted,
    refusals: {
      403: 'The key holds a scope that the calling key lacks; a key can always revoke itself.',
      404: 'No such key, or it is revoked already.',
    },
  },
});
