import type { Output } from '@holdfast/sdk';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';

export type OwnOrder = Output<'getOwnOrder'>;

const live: OwnOrder['status'][] = ['PENDING', 'PAID', 'FULFILLING'];

/** Followed while anything can still become of it; a refund may come even after that. */
export const useOrder = (id: string) =>
  useQuery({
    queryKey: ['order', id],
    queryFn: () => api.getOwnOrder({ params: { id } }),
    refetchInterval: ({ state }) =>
      state.data && live.includes(state.data.status) ? 2000 : 30_000,
  });

/** What changes with an order that somebody has acted upon. */
export const touchedBy = (id: string) => [['order', id], ['orders'], ['ledger'], ['listings']];
