import { z } from 'zod';
import { count } from '../common.ts';
import { endpointsOf } from '../endpoint.ts';

/** As many as the bell tells apart: counting more would cost more and say no more. */
export const mostUnreadCounted = 100;

export const alertViewEndpoints = endpointsOf('Dashboard', {
  countUnreadAlerts: {
    method: 'GET',
    path: '/alerts/unread',
    summary: 'Count the alerts that are not read',
    scope: 'alerts:read',
    data: z.object({ unread: count.describe(`At most ${mostUnreadCounted}.`) }),
  },
});
