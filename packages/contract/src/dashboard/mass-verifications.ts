import { z } from 'zod';
import { count, idParams } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { massVerificationFilter } from '../mass-verifications.ts';
import { dangerousPermissions } from '../restores.ts';

/** A view of the dashboard on a mass verification before it begins. */

const massVerificationPreview = z.object({
  roleName: z.string().nullable().describe('Of the verified role; null if it cannot be read.'),
  dangerousPermissions: z
    .array(z.enum(dangerousPermissions))
    .describe('What everybody who gets the role could do to others.'),
  matching: count.describe('Members who pass the filter, among those who were counted.'),
  already: count.describe('Those of them who have the role.'),
  isComplete: z.boolean().describe('False where a large guild was counted only in part.'),
  failure: z.string().nullable().describe('Why it cannot begin, or why nobody was counted.'),
});

export const massVerificationViewEndpoints = endpointsOf('Dashboard', {
  previewMassVerification: {
    method: 'GET',
    heavy: true,
    path: '/servers/:id/mass-verify-preview',
    summary: 'Count who would get the verified role',
    description: 'Asks the platform; of a large guild only the first few thousand are counted.',
    scope: 'members:read',
    owner: 'server',
    params: idParams,
    query: massVerificationFilter,
    data: massVerificationPreview,
  },
});
