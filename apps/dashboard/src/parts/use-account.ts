import { useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';

/** Who is signed in, their plan and its limits. */
export const useAccount = () =>
  useQuery({ queryKey: ['account'], queryFn: () => api.getAccount(), staleTime: 15_000 });
