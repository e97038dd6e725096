import { Stack, Title } from '@mantine/core';
import { IconMessageReport } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { usePageNumber } from '../../parts/page-turner.tsx';
import { useServer } from '../../parts/use-server.ts';
import { plural } from '../../parts/words.ts';
import { type Appeal, DecideAppeal, type Decision } from './decide-appeal.tsx';
import { DecidedAppeals } from './decided-appeals.tsx';
import { OpenAppeal } from './open-appeal.tsx';

/** As many as are looked through at a sitting; when they are decided, older ones come up. */
const openShown = 50;

export const Appeals = () => {
  const [wish, setWish] = useState<{ appeal: Appeal; decision: Decision } | null>(null);
  return (
    <>
      <PageHead
        title="Appeals"
        description="People who were turned away and wrote to you. Each of them can write once until you have decided."
      />
      <Stack gap="xl">
        <OpenOnes onDecide={(appeal, decision) => setWish({ appeal, decision })} />
        <DecidedOnes />
      </Stack>
      <DecideAppeal wish={wish} onClose={() => setWish(null)} />
    </>
  );
};

type OpenOnesProps = { onDecide: (appeal: Appeal, decision: Decision) => void };

const OpenOnes = ({ onDecide }: OpenOnesProps) => {
  const { id } = useServer();
  const open = useQuery({
    queryKey: ['appeals', id, 'open'],
    queryFn: () =>
      api.findAppeals({ params: { id }, query: { isOpen: true, page: 1, limit: openShown } }),
    refetchInterval: 5000,
  });
  return (
    <Loaded query={open} height={200}>
      {({ data, pagination: { total } }) =>
        total === 0 ? (
          <Empty icon={IconMessageReport} title="Nobody is waiting">
            When somebody is turned away and appeals, their message appears here by itself.
          </Empty>
        ) : (
          <Stack gap="md" component="section" aria-labelledby="open-appeals">
            <Title order={2} size="h4" id="open-appeals">
              {plural(total, 'person is', 'people are')} waiting for your decision
            </Title>
            {data.map((appeal) => (
              <OpenAppeal
                key={appeal.id}
                appeal={appeal}
                onDecide={(decision) => onDecide(appeal, decision)}
              />
            ))}
          </Stack>
        )
      }
    </Loaded>
  );
};

const DecidedOnes = () => {
  const { id } = useServer();
  const page = usePageNumber();
  const decided = useQuery({
    queryKey: ['appeals', id, 'decided', page],
    queryFn: () => api.findAppeals({ params: { id }, query: { isOpen: false, page, limit: 20 } }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <Loaded query={decided} height={160}>
      {(found) => (found.pagination.total === 0 ? null : <DecidedAppeals {...found} />)}
    </Loaded>
  );
};
