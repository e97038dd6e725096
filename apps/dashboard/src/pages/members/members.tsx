import { Button, Paper } from '@mantine/core';
import { IconSearchOff, IconUserCheck, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { CopyField } from '../../components/copy-field.tsx';
import { LoadedList, PageTurner, usePageNumber } from '../../components/list.tsx';
import { Empty, PageHead } from '../../components/page.tsx';
import { formatCount, plural } from '../../labels/format.ts';
import { verifyLink } from '../../labels/verify-link.ts';
import type { Member } from '../../queries/records.ts';
import { membersQuery, useServer } from '../../queries/servers.ts';
import { MemberDetails } from './member-details.tsx';
import { FilterBar, useMemberFilter } from './member-filter.tsx';
import { MemberTable } from './member-table.tsx';

export const Members = () => {
  const { id, _count } = useServer();
  const page = usePageNumber();
  const filter = useMemberFilter();
  const { search, pullable } = filter;
  const [opened, setOpened] = useState<Member>();
  const members = useQuery(
    membersQuery(id, {
      page,
      ...(search && { search }),
      ...(pullable !== 'all' && { pullable: pullable === 'yes' }),
    }),
  );
  const hasFilter = search !== '' || pullable !== 'all';
  // The details are as fresh as the list behind them.
  const shown = opened && (members.data?.data.find((member) => member.id === opened.id) ?? opened);
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
            Verify members who were there before
          </Button>
        }
      />
      {(hasFilter || _count.members > 0) && <FilterBar filter={filter} />}
      <LoadedList
        query={members}
        height={400}
        empty={<NoMembers hasFilter={hasFilter} serverId={id} />}
      >
        {({ data, pagination }) => (
          <>
            <Paper withBorder px="md" py="xs">
              <MemberTable members={data} onOpen={setOpened} />
            </Paper>
            <PageTurner pagination={pagination} />
          </>
        )}
      </LoadedList>
      <MemberDetails member={shown} onClose={() => setOpened(undefined)} />
    </>
  );
};

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
