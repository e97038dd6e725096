import { Paper } from '@mantine/core';
import { IconSearchOff, IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { CopyField } from '../../parts/copy-field.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { useServer } from '../../parts/use-server.ts';
import { plural } from '../../parts/words.ts';
import { verifyLinkOf } from '../servers/verify-link.ts';
import { FilterBar } from './filter-bar.tsx';
import { MemberDetails } from './member-details.tsx';
import { MemberTable } from './member-table.tsx';
import type { Member } from './pullable-words.ts';
import { useMemberFilter } from './use-member-filter.ts';

const membersToAPage = 50;

export const Members = () => {
  const { id, _count } = useServer();
  const page = usePageNumber();
  const filter = useMemberFilter();
  const { search, pullable } = filter;
  const [opened, setOpened] = useState<Member>();
  const query = {
    ...{ page, limit: membersToAPage },
    ...(search && { search }),
    ...(pullable !== 'all' && { pullable: pullable === 'yes' }),
  };
  const members = useQuery({
    queryKey: ['members', id, query],
    queryFn: () => api.listMembers({ params: { id }, query }),
    placeholderData: keepPreviousData,
    refetchInterval: 5000,
  });
  const isFiltered = search !== '' || pullable !== 'all';
  // What is shown of somebody is as fresh as the list behind it.
  const shown = opened && (members.data?.data.find((member) => member.id === opened.id) ?? opened);
  return (
    <>
      <PageHead
        title="Members"
        description={`${plural(_count.members, 'member')} verified, ${_count.pullableMembers.toLocaleString()} of whom can be called back.`}
      />
      {(isFiltered || _count.members > 0) && <FilterBar filter={filter} />}
      <Loaded query={members} height={400}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <Nobody isFiltered={isFiltered} serverId={id} />
          ) : (
            <>
              <Paper withBorder px="md" py="xs">
                <MemberTable members={data} onOpen={setOpened} />
              </Paper>
              <PageTurner pagination={pagination} />
            </>
          )
        }
      </Loaded>
      <MemberDetails member={shown} onClose={() => setOpened(undefined)} />
    </>
  );
};

const Nobody = ({ isFiltered, serverId }: { isFiltered: boolean; serverId: string }) =>
  isFiltered ? (
    <Empty icon={IconSearchOff} title="Nobody found">
      Search for a part of a name, or for a whole platform ID; or look at everybody.
    </Empty>
  ) : (
    <Empty
      icon={IconUsers}
      title="Nobody yet"
      action={<CopyField label="Verify link" value={verifyLinkOf(serverId)} />}
    >
      Share the verify link in your server. Whoever verifies appears here within seconds.
    </Empty>
  );
