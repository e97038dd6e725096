import { z } from 'zod';
import {
  booleanText,
  idParams,
  paginationQuery,
  platformId,
  text,
  timestamp,
  url,
  uuid,
} from './common.ts';
import { endpoint } from './endpoint.ts';

export const tokenStatuses = ['VALID', 'EXPIRED', 'REVOKED', 'NONE'] as const;

export const member = z
  .object({
    id: uuid,
    platformId,
    username: z.string(),
    displayName: z.string(),
    avatar: url,
    country: z.string().nullable(),
    region: z.string().nullable(),
    asn: z.int().nullable(),
    fingerprint: z
      .string()
      .nullable()
      .describe('A hash keyed per account; what FINGERPRINT rules match.'),
    isVpn: z.boolean(),
    isAlt: z.boolean(),
    tokenStatus: z.enum(tokenStatuses),
    pullable: z.boolean().describe('Agreed to be called back, token not revoked, not blacklisted.'),
    consentedAt: timestamp.nullable(),
    accountCreatedAt: timestamp.nullable(),
    verifiedAt: timestamp,
  })
  .meta({ id: 'Member' });

export const memberEndpoints = {
  listMembers: endpoint({
    method: 'GET',
    path: '/servers/:id/members',
    tag: 'Members',
    summary: 'List verified members',
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: paginationQuery.extend({
      search: text(1, 100)
        .optional()
        .describe('An exact platform id, or any part of a username or display name.'),
      pullable: booleanText.optional(),
    }),
    status: 200,
    data: member,
    paginated: true,
  }),
};
export type MemberQuery = z.output<typeof memberEndpoints.listMembers.query>;
