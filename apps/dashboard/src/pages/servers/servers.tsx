import { Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { IconPlus, IconServer2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Moment, Name, Picture } from '../../components/display.tsx';
import { type Column, PagedTable, tableFrame, usePageNumber } from '../../components/list.tsx';
import { Empty, PageHead } from '../../components/page.tsx';
import { formatCount } from '../../labels/format.ts';
import { protectionsOf } from '../../labels/protections.ts';
import type { ListedServer } from '../../queries/records.ts';
import { serversQuery } from '../../queries/servers.ts';

const columns: Column<ListedServer>[] = [
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
    cell: ({ memberCount }) => formatCount(memberCount),
    isNumber: true,
  },
  { header: 'Protections', cell: (server) => <Protections server={server} /> },
  { header: 'Added', cell: ({ createdAt }) => <Moment at={createdAt} /> },
];

const Protections = ({ server }: { server: ListedServer }) => {
  const on = protectionsOf(server).filter(({ isOn }) => isOn);
  if (on.length === 0) return <Text size="sm">None</Text>;
  return (
    <Group gap={6}>
      {on.map(({ key, short }) => (
        <Badge key={key}>{short}</Badge>
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
  const servers = useQuery(serversQuery(usePageNumber()));
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
