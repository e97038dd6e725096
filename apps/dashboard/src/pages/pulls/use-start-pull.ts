import { HoldfastError } from '@holdfast/sdk';
import { notifications } from '@mantine/notifications';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { useNow } from '../../components/job-progress.tsx';
import { cooldownEnd } from '../../labels/pulls.ts';
import { accountQuery } from '../../queries/account.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { PullRecord, PullRequest } from '../../queries/records.ts';

/** Starts a pull; where the service refuses it for the cooldown, says when it ends. */
export const useStartPull = (serverId: string) => {
  const queries = useQueryClient();
  const [refusedUntil, setRefusedUntil] = useState<number>();
  const start = async (body: PullRequest) => {
    try {
      const pull = await api.createPull({ params: { id: serverId }, body });
      notifications.show({ message: 'The pull has started.', color: 'tide' });
      await queries.invalidateQueries({ queryKey: queryKeys.server(serverId) });
      return pull;
    } catch (error) {
      if (!(error instanceof HoldfastError) || !error.is('cooldown')) throw error;
      setRefusedUntil(Date.parse(error.nextPullAt));
      return undefined;
    } finally {
      // Also after a refusal: another pull that is in the way shows up in the list.
      await queries.invalidateQueries({ queryKey: queryKeys.pulls(serverId) });
    }
  };
  return { start, refusedUntil };
};

/** The end of the cooldown, computed from the newest pulls or as the service just said. */
export const useWaitUntil = (pulls: PullRecord[], refusedUntil = 0): number | undefined => {
  const { data: account } = useQuery(accountQuery);
  const now = useNow(true);
  const computed = cooldownEnd(pulls, account?.limits.pullCooldownMs ?? 0, now) ?? 0;
  const until = Math.max(computed, refusedUntil);
  return until > now ? until : undefined;
};
