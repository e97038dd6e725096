import type { mostSortedMembers as mostSorted } from '@holdfast/contract';
import { Button, Group, Paper, Text } from '@mantine/core';
import { IconSearchOff, IconUserCheck, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'react-router';
import { CopyField } from '../../components/copy-field.tsx';
import { LoadedList, PageTurner, usePageNumber } from '../../components/list.tsx';
import { Empty, PageHead } from '../../components/page.tsx';
import { formatCount, plural } from '../../labels/format.ts';
import { verifyLink } from '../../labels/verify-link.ts';
import type { Member } from '../../queries/records.ts';
import { membersQuery, useServer } from '../../queries/servers.ts';
import { BulkBar } from './bulk-actions.tsx';
import { ExportButton } from './export-button.tsx';
import { ColumnChooser, useMemberColumns } from './member-columns.tsx';
import { MemberDetails } from './member-details.tsx';
import { FilterBar, queryOf, useMemberFilter } from './member-filter.tsx';
import { MemberTable } from './member-table.tsx';
import { useSelection } from './use-selection.ts';

export const Members = () => {
  const { id, _count } = useServer();
  const filter = useMemberFilter();
  const { hasFilter } = filter;
  return (
    <>
      <PageHead
        title="Members"
        description={`${plural(_count.members, 'member')} verified, ${formatCount(_count.pullableMembers)} of whom can be brought back.`}
        actions={
          <Button
            component={Link}
            to="verify"
            variant="default"
            leftSection={<IconUserCheck size={18} aria-hidden />}
          >
            Verify existing members
          </Button>
        }
      />
      {(hasFilter || _count.members > 0) && <FilterBar filter={filter} counts={_count} />}
      <MemberList filter={filter} empty={<NoMembers hasFilter={hasFilter} serverId={id} />} />
    </>
  );
};

/** In every order but the usual one, the service pages through no more. */
const mostSortedMembers: typeof mostSorted = 10_000;
const membersPerPage = 50;

type MemberListProps = { filter: ReturnType<typeof useMemberFilter>; empty: ReactNode };

const MemberList = ({ filter, empty }: MemberListProps) => {
  const { id } = useServer();
  const page = usePageNumber();
  const query = queryOf(filter);
  const members = useQuery(membersQuery(id, { page, ...query }));
  const columns = useMemberColumns();
  const [opened, setOpened] = useState<Member>();
  const selection = useSelection(members.data?.data ?? [], useLocation().search);
  // The details are as fresh as the list behind them.
  const shown = opened && (members.data?.data.find((member) => member.id === opened.id) ?? opened);
  return (
    <>
      <LoadedList query={members} height={400} empty={empty}>
        {({ data, pagination }) => (
          <>
            <Group justify="space-between" gap="sm" mb="sm">
              <Text size="sm" role="status">
                {filter.hasFilter && `${plural(pagination.total, 'member')} found`}
              </Text>
              <Group gap="sm">
                <ColumnChooser {...columns} />
                <ExportButton
                  serverId={id}
                  filter={query}
                  total={pagination.total}
                  columns={columns.shown}
                />
              </Group>
            </Group>
            <Paper withBorder px="md" py="xs">
              <BulkBar selection={selection} />
              <MemberTable
                members={data}
                columns={columns.shown}
                selection={selection}
                onOpen={setOpened}
              />
            </Paper>
            <PageTurner pagination={reachablePages(pagination, filter.sort)} />
          </>
        )}
      </LoadedList>
      <MemberDetails member={shown} onClose={() => setOpened(undefined)} />
    </>
  );
};

type Pagination = { page: number; total: number; totalPages: number };

const reachablePages = (pagination: Pagination, sort: string): Pagination => ({
  ...pagination,
  totalPages:
    sort === 'newest'
      ? pagination.totalPages
      : Math.min(pagination.totalPages, mostSortedMembers / membersPerPage),
});

const NoMembers = ({ hasFilter, serverId }: { hasFilter: boolean; serverId: string }) =>
  hasFilter ? (
    <Empty icon={IconSearchOff} title="Nobody found">
      Search for a part of a name or for a whole platform ID, or show everybody.
    </Empty>
  ) : (
    <Empty
      icon={IconUsers}
      title="Nobody yet"
      action={<CopyField label="Verify link" value={verifyLink(serverId)} />}
    >
      Share the verify link in your server. People who verify appear here within seconds.
    </Empty>
  );
