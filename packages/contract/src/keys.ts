import { z } from 'zod';
import { accountBounds } from './bounds.ts';
import { deleted, idParams, name, paginationQuery, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { keyScope } from './scopes.ts';

export const key = z
  .object({
    id: uuid,
    name: z.string().meta({ example: 'ci' }),
    scopes: z.array(keyScope).meta({ example: ['servers:read', 'members:read'] }),
    lastFour: z.string().meta({ description: 'How the key ends.', example: '7dQz' }),
    lastUsedAt: timestamp.nullable().meta({ example: null }),
    expiresAt: timestamp.nullable().meta({ example: '2027-01-31T12:00:00.000Z' }),
    revokedAt: timestamp.nullable().meta({ example: null }),
    createdAt: timestamp,
  })
  .meta({ id: 'Key' });

export const newKey = z
  .object({
    name: name.meta({ example: 'ci' }),
    scopes: z
      .array(keyScope)
      .min(1, 'Choose at least one scope')
      .transform((chosen) => [...new Set(chosen)])
      .meta({ example: ['servers:read', 'members:read'] }),
    expiresAt: timestamp.nullish().meta({
      description: 'In the future; without it the key holds until it is revoked.',
      example: '2027-01-31T12:00:00.000Z',
    }),
  })
  .meta({ id: 'NewKey' });

export const keyEndpoints = {
  listKeys: endpoint({
    method: 'GET',
    path: '/keys',
    tag: 'API keys',
    summary: 'List API keys',
    scope: 'api-keys:read',
    freshSecondFactor: 'never',
    query: paginationQuery,
    status: 200,
    data: key,
    paginated: true,
  }),
  createKey: endpoint({
    method: 'POST',
    path: '/keys',
    tag: 'API keys',
    summary: 'Mint an API key',
    description: 'The full key is in this answer and nowhere else: only its hash is kept.',
    scope: 'api-keys:write',
    freshSecondFactor: 'always',
    body: newKey,
    status: 201,
    data: key
      .extend({
        key: z.string().meta({
          description: 'The key itself, this once.',
          example: 'holdfast_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMP7dQz',
        }),
      })
      .meta({ id: 'MintedKey' }),
    showsSecret: true,
    refusals: {
      403: `The new key would hold a scope that the calling key lacks, or outlive it; or the account has ${accountBounds.liveKeys} live keys already.`,
    },
  }),
  deleteKey: endpoint({
    method: 'DELETE',
    path: '/keys/:id',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description: 'Holds at once, and on every process within two seconds. The key stays listed.',
    scope: 'api-keys:write',
    freshSecondFactor: 'always',
    params: idParams,
    status: 200,
    data: deleted,
    refusals: {
      403: 'The key holds a scope that the calling key lacks; a key can always revoke itself.',
      404: 'No such key, or it is revoked already.',
    },
  }),
};
