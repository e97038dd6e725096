import { HoldfastError, type Input, type Output } from '@holdfast/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api } from '../../api.ts';
import { useAct } from '../../parts/use-act.ts';

export type PullWish = NonNullable<Input<'createPull'>['body']>;

/** Begins a pull and leads to where it can be followed; or tells when the next one is possible. */
export const useStartPull = (serverId: string) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [refusedUntil, setRefusedUntil] = useState<number>();
  const start = useAct<PullWish, Output<'createPull'>>(
    (body) => api.createPull({ params: { id: serverId }, body }),
    {
      done: 'The pull has begun.',
      touches: [
        ['pulls', serverId],
        ['server', serverId],
      ],
      onDone: ({ id }) => navigate(`/servers/${serverId}/pulls/${id}`),
      isQuietOnError: true,
    },
  );
  const begin = async (wish: PullWish): Promise<void> => {
    try {
      await start.mutateAsync(wish);
    } catch (error) {
      // Whatever stands in its way, such as another pull, the list shows it.
      await queries.invalidateQueries({ queryKey: ['pulls', serverId] });
      if (!(error instanceof HoldfastError) || !error.is('cooldown')) throw error;
      setRefusedUntil(Date.parse(error.nextPullAt));
    }
  };
  return { begin, refusedUntil };
};
