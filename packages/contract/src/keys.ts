import { z } from 'zod';
import { deleted, idParams, name, paginationQuery, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { keyScope } from './scopes.ts';

export const key = z
  .object({
    id: uuid,
    name: z.string(),
    scopes: z.array(keyScope),
    lastFour: z.string(),
    lastUsedAt: timestamp.nullable(),
    expiresAt: timestamp.nullable(),
    revokedAt: timestamp.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Key' });

export const keyEndpoints = {
  listKeys: endpoint({
    method: 'GET',
    path: '/keys',
    tag: 'API keys',
    summary: 'List API keys',
    scope: 'api-keys:read',
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
    body: z
      .object({
        name,
        scopes: z
          .array(keyScope)
          .min(1, 'Choose at least one scope')
          .transform((chosen) => [...new Set(chosen)]),
        expiresAt: timestamp.nullish(),
      })
      .meta({ id: 'NewKey' }),
    status: 201,
    data: key.extend({ key: z.string() }).meta({ id: 'MintedKey' }),
    showsSecret: true,
    refusals: { 403: 'The new key would hold a scope that the calling key lacks.' },
  }),
  deleteKey: endpoint({
    method: 'DELETE',
    path: '/keys/:id',
    tag: 'API keys',
    summary: 'Revoke an API key',
    description: 'Holds at once, and on every process within two seconds. The key stays listed.',
    scope: 'api-keys:write',
    params: idParams,
    status: 200,
    data: deleted,
    refusals: { 404: 'No such key, or it is revoked already.' },
  }),
};
