import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';

/** What asks for a key under that code. It is read once: what was decided counts as a wrong code. */
export const deviceAuthorizationQuery = (code: string) =>
  queryOptions({
    queryKey: queryKeys.deviceAuthorization(code),
    queryFn: () => api.findDeviceAuthorization({ query: { code } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
