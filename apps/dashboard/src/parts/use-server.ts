import type { Output } from '@holdfast/sdk';
import { useQuery } from '@tanstack/react-query';
import { useOutletContext, useParams } from 'react-router';
import { api } from '../api.ts';

export type Server = Output<'getServer'>;

/** The server that the address names; only the frame around its pages asks for it. */
export const useServerQuery = () => {
  const { id = '' } = useParams();
  return useQuery({
    queryKey: ['server', id],
    queryFn: () => api.getServer({ params: { id } }),
    refetchInterval: 10_000,
  });
};

/** The server whose pages these are: the frame has read it before it shows them. */
export const useServer = (): Server => useOutletContext<Server>();
