import type { Output } from '@holdfast/sdk';
import { Paper, Text, Title } from '@mantine/core';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { PageTurner } from '../../parts/page-turner.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { blockReasons } from './block-reasons.ts';
import type { Appeal } from './decide-appeal.tsx';

const columns: Column<Appeal>[] = [
  {
    header: 'Who',
    cell: ({ username, platformId }) => (
      <div>
        <Name>{username}</Name>
        <Text size="xs" c="dimmed" className="holdfast-number" style={{ whiteSpace: 'nowrap' }}>
          {platformId}
        </Text>
      </div>
    ),
  },
  { header: 'Turned away for', cell: ({ reason }) => blockReasons[reason].label },
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

export const DecidedAppeals = ({ data, pagination }: Output<'findAppeals'>) => (
  <Paper withBorder p="lg" component="section" aria-labelledby="decided-appeals">
    <Title order={2} size="h4" mb="sm" id="decided-appeals">
      Decided
    </Title>
    <RecordTable caption="Decided appeals, the newest first" columns={columns} rows={data} />
    <PageTurner pagination={pagination} />
  </Paper>
);
