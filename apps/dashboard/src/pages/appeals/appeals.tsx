import { Stack, Text, Title } from '@mantine/core';
import { IconMessageReport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Moment, Name, StatusBadge } from '../../components/display.tsx';
import { type Column, LoadedList, PagedTable, usePageNumber } from '../../components/list.tsx';
import { Empty, PageHead, Section } from '../../components/page.tsx';
import { plural } from '../../labels/format.ts';
import { blockReasonLabels } from '../../labels/rules.ts';
import type { Appeal, PendingDecision } from '../../queries/records.ts';
import { decidedAppealsQuery, openAppealsQuery } from '../../queries/rules.ts';
import { useServer } from '../../queries/servers.ts';
import { DecideAppeal, OpenAppeal } from './open-appeal.tsx';

export const Appeals = () => {
  const [decision, setDecision] = useState<PendingDecision>();
  return (
    <>
      <PageHead
        title="Appeals"
        description="People who were blocked and wrote to you. Each of them can write once until you have decided."
      />
      <Stack gap="xl">
        <OpenAppeals onDecide={setDecision} />
        <DecidedAppeals />
      </Stack>
      <DecideAppeal pending={decision} onClose={() => setDecision(undefined)} />
    </>
  );
};

const OpenAppeals = ({ onDecide }: { onDecide: (decision: PendingDecision) => void }) => {
  const { id } = useServer();
  const open = useQuery(openAppealsQuery(id));
  return (
    <LoadedList
      query={open}
      height={200}
      empty={
        <Empty icon={IconMessageReport} title="Nobody is waiting">
          When somebody is blocked and appeals, their message appears here.
        </Empty>
      }
    >
      {({ data, pagination: { total } }) => (
        <Stack gap="md" component="section" aria-labelledby="open-appeals">
          <Title order={2} size="h4" id="open-appeals">
            {plural(total, 'person is', 'people are')} waiting for your decision
          </Title>
          {data.map((appeal) => (
            <OpenAppeal
              key={appeal.id}
              appeal={appeal}
              onDecide={(decision) => onDecide({ appeal, decision })}
            />
          ))}
        </Stack>
      )}
    </LoadedList>
  );
};

const DecidedAppeals = () => {
  const { id } = useServer();
  const decided = useQuery(decidedAppealsQuery(id, usePageNumber()));
  return (
    <PagedTable
      query={decided}
      height={160}
      empty={null}
      caption="Decided appeals, newest first"
      columns={columns}
      frame={(table) => <Section title="Decided">{table}</Section>}
    />
  );
};

const columns: Column<Appeal>[] = [
  {
    header: 'Person',
    cell: ({ username, platformId }) => (
      <div>
        <Name>{username}</Name>
        <Text size="xs" c="dimmed" className="holdfast-number" style={{ whiteSpace: 'nowrap' }}>
          {platformId}
        </Text>
      </div>
    ),
  },
  { header: 'Blocked for', cell: ({ reason }) => blockReasonLabels[reason].label },
  {
    header: 'Message',
    cell: ({ message }) => (
      <Text size="sm" lineClamp={3} maw={360}>
        <Name>{message}</Name>
      </Text>
    ),
  },
  { header: 'Decision', cell: ({ status }) => <StatusBadge status={status} /> },
  { header: 'Decided', cell: ({ decidedAt }) => <Moment at={decidedAt} /> },
];
