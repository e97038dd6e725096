import { z } from 'zod';
import { defaultKeyDays, keyDays } from '../checks.ts';
import { timestamp } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';
import { keyScope } from '../scopes.ts';

/** The page on which an owner approves that a program on another machine gets a key. */

const userCode = z.string().min(1).max(64).meta({
  description: 'As the program shows it; case, dashes and blanks do not count.',
  example: 'WDJB-MJHT',
});

const deviceAuthorization = z.object({
  userCode,
  machine: z.string().nullable().describe('How the machine calls itself. Nobody has checked it.'),
  address: z.string().describe('Where the request came from.'),
  keyName: z.string().describe('The name of the key that it gets.'),
  scopes: z.array(keyScope).describe('The scopes that it asks for.'),
  createdAt: timestamp,
  expiresAt: timestamp.describe('Until when it can be approved.'),
});

const refusals = {
  404: 'No such code.',
  409: 'The code has expired, or was used already.',
  429: 'Too many wrong codes.',
};

export const deviceLoginEndpoints = endpointsOf('Dashboard', {
  findDeviceAuthorization: {
    method: 'GET',
    path: '/device-authorization',
    summary: 'Find what asks for a key under a code',
    scope: 'api-keys:read',
    query: z.object({ code: userCode }),
    data: deviceAuthorization,
    refusals,
  },

  approveDeviceAuthorization: {
    method: 'POST',
    path: '/device-authorization/approve',
    summary: 'Approve that a program gets a key',
    description: 'The key is made when the program fetches it, within the time that is left.',
    scope: 'api-keys:write',
    freshSecondFactor: 'always',
    body: z.object({
      code: userCode,
      scopes: z
        .array(keyScope)
        .min(1, 'Choose at least one scope')
        .transform((chosen) => [...new Set(chosen)]),
      days: z.literal(keyDays).default(defaultKeyDays).describe('How long the key is valid.'),
    }),
    data: z.object({ keyName: z.string() }),
    refusals: { ...refusals, 403: 'The account has too many live keys already.' },
  },

  denyDeviceAuthorization: {
    method: 'POST',
    path: '/device-authorization/deny',
    summary: 'Deny a program its key',
    scope: 'api-keys:write',
    freshSecondFactor: 'never',
    body: z.object({ code: userCode }),
    data: z.object({ denied: z.literal(true) }),
    refusals,
  },
});
