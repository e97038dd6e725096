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
import { endpointsOf } from './endpoint.ts';

export const tokenStatuses = ['VALID', 'EXPIRED', 'REVOKED', 'NONE'] as const;

export const member = z
  .object({
    id: uuid,
    platformId,
    username: z.string().meta({ example: 'deckhand' }),
    displayName: z
      .string()
      .meta({ description: 'The username if there is none.', example: 'Deckhand' }),
    avatar: url.meta({ example: 'https://cdn.example.com/deckhand.png' }),
    country: z.string().nullable().meta({ description: 'ISO 3166-1 alpha-2.', example: 'NL' }),
    region: z
      .string()
      .nullable()
      .meta({ description: 'ISO 3166-2 where known.', example: 'NL-NH' }),
    asn: z.int().nullable().meta({ description: 'The number of the network.', example: 64500 }),
    fingerprint: z.string().nullable().meta({
      description: 'A keyed hash per account, which FINGERPRINT rules match.',
      example: 'b7Yt0aQ2mXv9KcLs',
    }),
    isVpn: z.boolean(),
    isAlt: z.boolean(),
    tokenStatus: z.enum(tokenStatuses),
    pullable: z.boolean().meta({
      description: 'Consented to pulls, the token is not revoked, not blacklisted.',
      example: true,
    }),
    consentedAt: timestamp.nullable(),
    accountCreatedAt: timestamp.nullable().meta({ example: '2021-06-01T08:30:00.000Z' }),
    verifiedAt: timestamp,
    leftAt: timestamp.nullable().meta({
      description:
        'When they were seen to leave the server. Null while they are there, and where the bot does not hear of it.',
      example: null,
    }),
  })
  .meta({ id: 'Member' });

export const memberEndpoints = endpointsOf('Members', {
  listMembers: {
    method: 'GET',
    path: '/servers/:id/members',
    summary: 'List verified members',
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: paginationQuery.extend({
      search: text(1, 100)
        .optional()
        .describe('An exact platform id, or any part of a username or display name.'),
      pullable: booleanText
        .optional()
        .describe('Only members who can be pulled, or only the others.'),
    }),
    status: 200,
    data: member,
    paginated: true,
    mayReadStandby: true,
  },
});
export type MemberQuery = z.output<typeof memberEndpoints.listMembers.query>;
