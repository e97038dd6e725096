import { z } from 'zod';
import { idParams } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { member, memberEndpoints } from '../members.ts';

/** The list of members as the dashboard shows it: in any order. */

/** In every order but `newest`, only so many members can be paged through. */
export const mostSortedMembers = 10_000;

export const memberSorts = [
  'newest',
  'oldest',
  'name',
  'nameReversed',
  'youngestAccount',
  'oldestAccount',
] as const;
export type MemberSort = (typeof memberSorts)[number];

const memberViewQuery = memberEndpoints.listMembers.query.extend({
  sort: z.enum(memberSorts).default('newest'),
});
export type MemberViewQuery = z.output<typeof memberViewQuery>;

export const memberViewEndpoints = endpointsOf('Dashboard', {
  findMembers: {
    method: 'GET',
    path: '/servers/:id/members/found',
    summary: 'Find verified members, in any order',
    description: `In another order than \`newest\`, pages after the first ${mostSortedMembers} members are empty.`,
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: memberViewQuery,
    data: member,
    paginated: true,
    mayReadStandby: true,
  },
});
