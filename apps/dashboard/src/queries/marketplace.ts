import type { ListingCategory, ListingSort } from '@holdfast/contract';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';
import type { OwnOrder } from './records.ts';
import { refetchMs, unlessLive } from './refetch.ts';

export type ListingFilter = {
  sort: ListingSort;
  category: ListingCategory | undefined;
  search: string | undefined;
};

/** 24 cards fill whole rows of two and of three. Other sellers' changes are not told: it is polled. */
export const listingsQuery = (filter: ListingFilter, page: number) =>
  queryOptions({
    queryKey: [...queryKeys.listings, 'market', filter, page],
    queryFn: () => api.listListings({ query: { ...filter, page, limit: 24 } }),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs.usual,
  });

export const listingQuery = (id: string) =>
  queryOptions({
    queryKey: [...queryKeys.listings, 'one', id],
    queryFn: () => api.getListing({ params: { id } }),
    refetchInterval: refetchMs.usual,
  });

/** A template never changes. */
export const templateContentsQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.templateContents(id),
    queryFn: () => api.getTemplateContents({ params: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const sellerQuery = (id: string) =>
  queryOptions({
    queryKey: [...queryKeys.listings, 'seller', id],
    queryFn: () => api.getSeller({ params: { id } }),
    refetchInterval: refetchMs.usual,
  });

export const sellerListingsQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: [...queryKeys.listings, 'of-seller', id, page],
    queryFn: () => api.listSellerListings({ params: { id }, query: { page, limit: 24 } }),
    placeholderData: keepPreviousData,
    refetchInterval: refetchMs.usual,
  });

export const ownListingsQuery = (page: number) =>
  queryOptions({
    queryKey: [...queryKeys.listings, 'own', page],
    queryFn: () => api.listOwnListings({ query: { page } }),
    placeholderData: keepPreviousData,
    refetchInterval: () => unlessLive(refetchMs.usual),
  });

export const ordersQuery = (view: 'BOUGHT' | 'SOLD', page: number) =>
  queryOptions({
    queryKey: [...queryKeys.orders, view, page],
    queryFn: () => api.listOwnOrders({ query: { view, page } }),
    placeholderData: keepPreviousData,
    refetchInterval: () => unlessLive(refetchMs.live),
  });

export const ordersToDeliverQuery = queryOptions({
  queryKey: [...queryKeys.orders, 'to-deliver'],
  queryFn: () => api.listOwnOrders({ query: { view: 'TO_DELIVER', limit: 20 } }),
  placeholderData: keepPreviousData,
  refetchInterval: () => unlessLive(refetchMs.live),
});

const openStatuses: OwnOrder['status'][] = ['PENDING', 'PAID', 'FULFILLING'];

/** A refund may come even after an order has ended, so it is still read now and then. */
export const orderQuery = (id: string) =>
  queryOptions({
    queryKey: queryKeys.order(id),
    queryFn: () => api.getOwnOrder({ params: { id } }),
    refetchInterval: ({ state }) => {
      const isOpen = state.data && openStatuses.includes(state.data.status);
      return unlessLive(isOpen ? refetchMs.running : refetchMs.rare);
    },
  });

/** What changes with an order: its lists, the balance and the sales count of its listing. */
export const changedByOrder = (id: string) => [
  queryKeys.order(id),
  queryKeys.orders,
  queryKeys.ledger,
  queryKeys.listings,
];
