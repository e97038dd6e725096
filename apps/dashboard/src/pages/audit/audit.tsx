import type { ActorType } from '@holdfast/contract';
import { Box, Button, Paper, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter, IconListDetails } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ByDay } from '../../components/by-day.tsx';
import {
  LoadedList,
  PageTurner,
  usePageNumber,
  useSearchParameter,
} from '../../components/list.tsx';
import { Empty, PageHead } from '../../components/page.tsx';
import { actionLabels, actorLabels, subjectLabels } from '../../labels/audit.ts';
import { choicesOf } from '../../labels/format.ts';
import { type AuditFilter, auditQuery, isFiltered } from '../../queries/account.ts';
import { AuditEntry } from './audit-entry.tsx';
import { useVerifyChain } from './verify-chain.tsx';

export const Audit = () => {
  const [filter, setFilter] = useAuditFilter();
  const entries = useQuery(auditQuery(filter, usePageNumber()));
  const chain = useVerifyChain();
  return (
    <>
      <PageHead
        title="Audit log"
        description="Every change of your account: who made it, when, and what it changed. Each entry carries the hash of the one before, so altering or deleting one breaks the chain."
        actions={chain.button}
      />
      <Stack gap="lg">
        {chain.result}
        <AuditFilterFields filter={filter} onChange={setFilter} />
        <LoadedList
          query={entries}
          height={400}
          empty={<NoEntries hasFilter={isFiltered(filter)} />}
        >
          {({ data, pagination }) => (
            <Paper withBorder p="lg" component="section" aria-label="Entries">
              <ByDay rows={data} timeOf={({ at }) => at}>
                {(entry) => <AuditEntry key={entry.id} entry={entry} />}
              </ByDay>
              <PageTurner pagination={pagination} />
            </Paper>
          )}
        </LoadedList>
      </Stack>
    </>
  );
};

const NoEntries = ({ hasFilter }: { hasFilter: boolean }) =>
  hasFilter ? (
    <Text c="dimmed">
      None of the newest 100,000 entries matches. Remove a part of the filter to see more.
    </Text>
  ) : (
    <Empty icon={IconListDetails} title="No entries yet">
      Changes that you make from now on are recorded here.
    </Empty>
  );

const sortedChoices = <Value extends string>(labels: Record<Value, string>) =>
  choicesOf(labels).sort((one, other) => one.label.localeCompare(other.label));

// `account` and `user` have the same label: the operator's entries about an account say `user`.
const { user: _, ...subjects } = subjectLabels;
const subjectChoices = [
  ...sortedChoices(subjects),
  { value: 'user', label: 'Account, by plan changes' },
];
const actionChoices = sortedChoices(actionLabels);
const actorChoices = sortedChoices(actorLabels);

const isActorType = (text: string | null): text is ActorType =>
  text !== null && Object.hasOwn(actorLabels, text);

/** The filter is in the address, so that it survives reloading and going back. */
const useAuditFilter = () => {
  const [search, set] = useSearchParameter();
  const actorType = search.get('actor');
  const subjectType = search.get('subject');
  const action = search.get('action');
  const filter: AuditFilter = {
    ...(isActorType(actorType) && { actorType }),
    ...(subjectType && { subjectType }),
    ...(action && { action }),
  };
  return [filter, set] as const;
};

type AuditFilterProps = {
  filter: AuditFilter;
  onChange: (name: 'actor' | 'subject' | 'action', value: string | null) => void;
};

/** On a phone the fields are behind a button: they would push the entries off the screen. */
const AuditFilterFields = (props: AuditFilterProps) => {
  const [isOpen, { toggle }] = useDisclosure(isFiltered(props.filter));
  return (
    <>
      <Button
        hiddenFrom="sm"
        variant="default"
        onClick={toggle}
        aria-expanded={isOpen}
        leftSection={<IconFilter size={16} aria-hidden />}
      >
        {isOpen ? 'Hide the filter' : 'Filter'}
      </Button>
      <Box visibleFrom={isOpen ? undefined : 'sm'}>
        <FilterFields {...props} />
      </Box>
    </>
  );
};

const FilterFields = ({ filter, onChange }: AuditFilterProps) => (
  <SimpleGrid cols={{ base: 1, sm: 3 }} role="search" aria-label="Filter the entries">
    <Select
      label="Actor"
      placeholder="Anybody"
      data={actorChoices}
      value={filter.actorType ?? null}
      onChange={(value) => onChange('actor', value)}
      clearable
    />
    <Select
      label="Action"
      placeholder="Any action"
      data={actionChoices}
      value={filter.action ?? null}
      onChange={(value) => onChange('action', value)}
      searchable
      clearable
      nothingFoundMessage="No such action"
    />
    <Select
      label="Subject"
      placeholder="Any subject"
      data={subjectChoices}
      value={filter.subjectType ?? null}
      onChange={(value) => onChange('subject', value)}
      searchable
      clearable
      nothingFoundMessage="No such subject"
    />
  </SimpleGrid>
);
