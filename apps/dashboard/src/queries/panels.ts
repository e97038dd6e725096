import type { Input, Output } from '@holdfast/sdk/dashboard';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api.ts';
import { queryKeys } from './query-keys.ts';
import { refetchMs, unlessLive } from './refetch.ts';

export type Panel = Output<'listPanels'>[number];
export type PanelContent = Required<Input<'createPanel'>['body']>;

export const panelsQuery = (serverId: string) =>
  queryOptions({
    queryKey: queryKeys.panels(serverId),
    queryFn: () => api.listPanels({ params: { id: serverId } }),
    refetchInterval: () => unlessLive(refetchMs.live),
  });

export type VerifyPage = Output<'getVerifyPage'>;

export const verifyPageQuery = (serverId: string) =>
  queryOptions({
    queryKey: queryKeys.verifyPage(serverId),
    queryFn: () => api.getVerifyPage({ params: { id: serverId } }),
    refetchInterval: () => unlessLive(refetchMs.slow),
  });
