import { useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';

/** The balance, and how the plan is paid for. */
export const useStanding = () =>
  useQuery({
    queryKey: ['ledger', 'standing'],
    queryFn: () => api.getBillingStanding(),
    refetchInterval: 10_000,
  });
