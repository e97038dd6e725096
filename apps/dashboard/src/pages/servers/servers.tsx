import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconLifebuoy, IconPlus, IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { TestRestoreBadge } from '../../components/backup-status.tsx';
import { Moment, Name, Picture } from '../../components/display.tsx';
import { ServerStatus } from '../../components/health-badge.tsx';
import { type Column, PagedTable, tableFrame, usePageNumber } from '../../components/list.tsx';
import { Empty, PageHead } from '../../components/page.tsx';
import { formatCount } from '../../labels/format.ts';
import { isBroken } from '../../labels/health.ts';
import { openIncidentText, worstFirst } from '../../labels/open-incidents.ts';
import { overviewQuery } from '../../queries/account.ts';
import type { ListedServer, OverviewServer } from '../../queries/records.ts';
import { serversQuery } from '../../queries/servers.ts';

/** A server of the list with what the overview knows of it, which may come later. */
type Row = ListedServer & { seen: OverviewServer | undefined };

const columns: Column<Row>[] = [
  {
    header: 'Server',
    cell: ({ id, name, icon }) => (
      <Group gap="sm" wrap="nowrap">
        <Picture src={icon} radius="md" size={36} />
        <Anchor component={Link} to={`/servers/${id}`} fw={500}>
          <Name>{name}</Name>
        </Anchor>
      </Group>
    ),
  },
  {
    header: 'Status',
    cell: ({ health, seen }) => (
      <ServerStatus health={health} openIncidents={seen?.openIncidents ?? []} />
    ),
  },
  { header: 'Members', cell: ({ memberCount }) => formatCount(memberCount), isNumber: true },
  {
    header: 'Verified',
    cell: ({ seen }) => (seen ? formatCount(seen.members) : '–'),
    isNumber: true,
  },
  {
    header: 'Can be brought back',
    cell: ({ seen }) => (seen ? formatCount(seen.pullableMembers) : '–'),
    isNumber: true,
  },
  {
    header: 'Last backup',
    cell: ({ seen }) => (seen ? <LastBackup server={seen} /> : '–'),
    isNumber: true,
  },
  { header: '', cell: (row) => <RowAction row={row} /> },
];

const LastBackup = ({ server: { lastBackup } }: { server: OverviewServer }) => {
  if (!lastBackup) return <Text size="sm">None yet</Text>;
  return (
    <Stack gap={2} align="flex-end">
      <Text size="sm">
        <Moment at={lastBackup.completedAt} />
      </Text>
      <TestRestoreBadge restorable={lastBackup.restorable} />
    </Stack>
  );
};

/** What the server needs most: its incident, its recovery, or nothing but to be opened. */
const RowAction = ({ row }: { row: Row }) => {
  const [worst] = worstFirst(row.seen?.openIncidents ?? []);
  if (worst) {
    return (
      <Button
        component={Link}
        to={`/servers/${row.id}/incidents/${worst.id}`}
        size="xs"
        style={{ whiteSpace: 'nowrap' }}
      >
        {openIncidentText(worst).action}
      </Button>
    );
  }
  if (isBroken(row)) return <RecoverButton server={row} />;
  return (
    <Button component={Link} to={`/servers/${row.id}/backups`} size="xs" variant="default">
      Backups
    </Button>
  );
};

const RecoverButton = ({ server: { id, name } }: { server: ListedServer }) => (
  <Button
    component={Link}
    to={`/servers/${id}/recover`}
    size="xs"
    leftSection={<IconLifebuoy size={14} aria-hidden />}
    aria-label={`Recover ${name}`}
  >
    Recover
  </Button>
);

const AddButton = () => (
  <Button component={Link} to="/servers/new" leftSection={<IconPlus size={16} aria-hidden />}>
    Add a server
  </Button>
);

export const Servers = () => {
  const { data: overview } = useQuery(overviewQuery);
  const servers = useQuery({
    ...serversQuery(usePageNumber()),
    select: ({ data, pagination }) => ({
      data: data.map((server) => ({
        ...server,
        seen: overview?.servers.find(({ id }) => id === server.id),
      })),
      pagination,
    }),
  });
  return (
    <>
      <PageHead
        title="Servers"
        description="The communities that Holdfast protects for you."
        actions={<AddButton />}
      />
      <PagedTable
        query={servers}
        caption="Your servers"
        columns={columns}
        frame={tableFrame}
        empty={
          <Empty icon={IconServer2} title="No server yet" action={<AddButton />}>
            Add the first one: newcomers can then verify, and its structure can be backed up.
          </Empty>
        }
      />
    </>
  );
};
