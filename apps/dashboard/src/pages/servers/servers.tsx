import type { Entry } from '@holdfast/sdk';
import { Anchor, Badge, Button, Group, Paper, Text } from '@mantine/core';
import { IconPlus, IconServer2 } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { Picture } from '../../parts/picture.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { countWords } from '../../parts/words.ts';
import { protectionsOf } from './protections.ts';

type Server = Entry<'listServers'>;

const columns: Column<Server>[] = [
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
    header: 'Members on the platform',
    cell: ({ memberCount }) => countWords(memberCount),
    isNumber: true,
  },
  { header: 'Protections', cell: (server) => <Protections server={server} /> },
  { header: 'Added', cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

const Protections = ({ server }: { server: Server }) => {
  const on = protectionsOf(server).filter(({ isOn }) => isOn);
  if (on.length === 0) return <Text size="sm">None</Text>;
  return (
    <Group gap={6}>
      {on.map(({ key, short }) => (
        <Badge key={key} variant="light" tt="none">
          {short}
        </Badge>
      ))}
    </Group>
  );
};

const AddButton = () => (
  <Button component={Link} to="/servers/new" leftSection={<IconPlus size={16} aria-hidden />}>
    Add a server
  </Button>
);

export const Servers = () => {
  const page = usePageNumber();
  const servers = useQuery({
    queryKey: ['servers', 'list', page],
    queryFn: () => api.listServers({ query: { page } }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <>
      <PageHead
        title="Servers"
        description="The communities that Holdfast looks after for you."
        actions={<AddButton />}
      />
      <Loaded query={servers}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <Empty icon={IconServer2} title="No server yet" action={<AddButton />}>
              Add the first one: newcomers can then verify, and its structure can be backed up.
            </Empty>
          ) : (
            <>
              <Paper withBorder px="md" py="xs">
                <RecordTable caption="Your servers" columns={columns} rows={data} />
              </Paper>
              <PageTurner pagination={pagination} />
            </>
          )
        }
      </Loaded>
    </>
  );
};
