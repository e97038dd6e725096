import type { Output } from '@holdfast/sdk';
import { SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Figure } from '../../parts/figure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { countWords } from '../../parts/words.ts';
import { Card } from './card.tsx';

type Analytics = Output<'getAnalytics'>;

const periods = [
  { value: '24h', label: '24 hours' },
  { value: '30d', label: '30 days' },
];

/** How many came to the door, and how many got in. */
export const NewcomersCard = ({ serverId }: { serverId: string }) => {
  const [period, setPeriod] = useState('24h');
  const analytics = useQuery({
    queryKey: ['analytics', serverId, period],
    queryFn: () => api.getAnalytics({ params: { id: serverId }, query: { period } }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <Card title="Newcomers" more={{ to: `/servers/${serverId}/analytics`, label: 'Analytics' }}>
      <Stack gap="md">
        <SegmentedControl
          data={periods}
          value={period}
          onChange={setPeriod}
          size="xs"
          aria-label="Period"
          style={{ alignSelf: 'flex-start' }}
        />
        <Loaded query={analytics} height={110}>
          {(found) => <Numbers analytics={found} />}
        </Loaded>
      </Stack>
    </Card>
  );
};

const Numbers = ({ analytics: { funnel, totals } }: { analytics: Analytics }) => (
  <Stack gap="sm">
    <SimpleGrid cols={{ base: 2, xs: 4 }}>
      <Figure label="Came" value={countWords(funnel.visited)} />
      <Figure label="Signed in" value={countWords(funnel.authorized)} />
      <Figure label="Verified" value={countWords(totals.verified)} />
      <Figure label="Turned away" value={countWords(totals.blocked)} />
    </SimpleGrid>
    <Text size="sm" c="dimmed">
      {totals.attempts === 0
        ? 'Nobody came in this time.'
        : `${Math.round(totals.conversionRate * 100)} % of all attempts ended verified.`}
    </Text>
  </Stack>
);
