import { Paper, Stack, Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { AuditEntry } from './audit-entry.tsx';
import { AuditFilter } from './audit-filter.tsx';
import { type Filter, isFiltered, useAuditFilter } from './use-audit-filter.ts';
import { VerifyChain } from './verify-chain.tsx';

const entriesPerPage = 25;

const readEntries = (filter: Filter, page: number) => {
  const query = { page, limit: entriesPerPage };
  return isFiltered(filter)
    ? api.findAudit({ query: { ...query, ...filter } })
    : api.listAudit({ query });
};

export const Audit = () => {
  const [filter, setFilter] = useAuditFilter();
  const page = usePageNumber();
  const entries = useQuery({
    queryKey: ['audit', filter, page],
    queryFn: () => readEntries(filter, page),
    placeholderData: keepPreviousData,
    refetchInterval: page === 1 ? 10_000 : false,
  });
  return (
    <>
      <PageHead
        title="Audit log"
        description="Every change of your account: who made it, when, and what it changed. Entries are only ever added, each sealed to the one before."
      />
      <Stack gap="lg">
        <VerifyChain />
        <AuditFilter filter={filter} onChange={setFilter} />
        <Loaded query={entries} height={400}>
          {({ data, pagination }) =>
            pagination.total === 0 ? (
              <NothingFound isFilter={isFiltered(filter)} />
            ) : (
              <Paper withBorder p="lg" component="section" aria-label="Entries">
                <Stack component="ul" gap={0} m={0} p={0} style={{ listStyle: 'none' }}>
                  {data.map((entry) => (
                    <AuditEntry key={entry.id} entry={entry} />
                  ))}
                </Stack>
                <PageTurner pagination={pagination} />
              </Paper>
            )
          }
        </Loaded>
      </Stack>
    </>
  );
};

const NothingFound = ({ isFilter }: { isFilter: boolean }) =>
  isFilter ? (
    <Text c="dimmed">
      None of the newest 100,000 entries fits. Take a part of the filter away to see more.
    </Text>
  ) : (
    <Empty icon={IconListDetails} title="Nothing has happened yet">
      What you change from now on is written down here.
    </Empty>
  );
