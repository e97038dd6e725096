import { z } from 'zod';

export const generalError = z.object({ error: z.string() }).meta({
  id: 'Error',
  description: 'What went wrong.',
  example: { error: 'Server not found' },
});

export const validationError = z
  .object({
    error: z.string(),
    details: z.object({
      fieldErrors: z.record(z.string(), z.array(z.string())),
      formErrors: z.array(z.string()),
    }),
  })
  .meta({
    id: 'ValidationError',
    example: {
      error: 'Invalid input',
      details: {
        fieldErrors: { platformGuildId: ['Must be a platform id: 1 to 20 digits, as a string'] },
        formErrors: [],
      },
    },
  });

/** `nextPullAt` is present if the cooldown is the reason. */
export const tooEarlyError = z
  .object({ error: z.string(), nextPullAt: z.string().optional() })
  .meta({
    id: 'TooEarlyError',
    example: {
      error: 'The cooldown is not over: the next pull of this server is possible in 1800 s',
      nextPullAt: '2026-01-31T12:00:00.000Z',
    },
  });

/** What keeps an account from being deleted. */
export const stillOpenError = z
  .object({
    error: z.string(),
    open: z.object({ orders: z.int(), payouts: z.int(), earnedCents: z.int() }),
  })
  .meta({
    id: 'StillOpenError',
    example: {
      error: 'Orders, payouts or earnings are still open',
      open: { orders: 1, payouts: 0, earnedCents: 1350 },
    },
  });

export const missingScopeError = z
  .object({ error: z.string(), requiredScope: z.string(), yourScopes: z.array(z.string()) })
  .meta({
    id: 'MissingScopeError',
    example: {
      error: 'Missing required scope: servers:write',
      requiredScope: 'servers:write',
      yourScopes: ['servers:read'],
    },
  });

export type ValidationDetails = z.infer<typeof validationError>['details'];
