import type { RuleType } from '@holdfast/contract';
import { Badge, Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconListCheck, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Moment, Name } from '../../components/display.tsx';
import { type Column, PageTurner, RecordTable, usePageNumber } from '../../components/list.tsx';
import { Empty } from '../../components/page.tsx';
import { RemoveButton } from '../../components/remove-button.tsx';
import { useAction } from '../../components/use-action.ts';
import { plural } from '../../labels/format.ts';
import {
  findRules,
  type RuleFilter,
  ruleLabel,
  ruleTypeChoices,
  ruleTypeLabels,
} from '../../labels/rules.ts';
import type { Rule } from '../../queries/records.ts';
import {
  changedByRule,
  firewallRules,
  type RuleList,
  rulesQuery,
  whitelistRules,
} from '../../queries/rules.ts';
import { useServer } from '../../queries/servers.ts';

/** The API returns all rules, up to ten thousand; the table shows them in pages. */
const rulesPerPage = 50;

type RuleTableProps = { list: RuleList; rules: Rule[]; emptyMessage: string };

export const RuleTable = ({ list, rules, emptyMessage }: RuleTableProps) => {
  const [filter, setFilter] = useFilter();
  const page = usePageNumber();
  const columns = useColumns(list);
  if (rules.length === 0) {
    return (
      <Empty icon={IconListCheck} title="No rules yet">
        {emptyMessage}
      </Empty>
    );
  }
  const found = findRules(rules, filter);
  const totalPages = Math.ceil(found.length / rulesPerPage);
  const shown = Math.min(page, Math.max(1, totalPages));
  return (
    <Paper withBorder p="lg" component="section" aria-label="Rules">
      <Stack gap="md">
        <Group justify="space-between">
          <Title order={2} size="h4">
            {plural(rules.length, 'rule')}
          </Title>
          {rules.length > 1 && <RuleSearch filter={filter} onChange={setFilter} />}
        </Group>
        {found.length === 0 ? (
          <Text c="dimmed">No rule matches this search.</Text>
        ) : (
          <RecordTable
            caption="Rules, newest first"
            columns={columns}
            rows={found.slice((shown - 1) * rulesPerPage, shown * rulesPerPage)}
          />
        )}
        <PageTurner pagination={{ page: shown, total: found.length, totalPages }} />
      </Stack>
    </Paper>
  );
};

/** Another search starts on its first page. */
const useFilter = () => {
  const [filter, setFilter] = useState<RuleFilter>({ search: '', type: null });
  const [, setSearch] = useSearchParams();
  const change = (changes: Partial<RuleFilter>) => {
    setFilter((before) => ({ ...before, ...changes }));
    setSearch(
      (search) => {
        search.delete('page');
        return search;
      },
      { replace: true },
    );
  };
  return [filter, change] as const;
};

type RuleSearchProps = { filter: RuleFilter; onChange: (changes: Partial<RuleFilter>) => void };

const RuleSearch = ({ filter, onChange }: RuleSearchProps) => (
  <Group gap="sm" w={{ base: '100%', sm: 'auto' }}>
    <TextInput
      flex={{ base: '1 1 100%', sm: 'none' }}
      aria-label="Search values and notes"
      placeholder="Search values and notes"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={filter.search}
      onChange={(event) => onChange({ search: event.currentTarget.value })}
    />
    <Select<RuleType>
      aria-label="Type of rule"
      placeholder="All types"
      data={ruleTypeChoices}
      value={filter.type}
      onChange={(type) => onChange({ type })}
      clearable
      w={{ base: '100%', sm: 190 }}
    />
  </Group>
);

type RuleValueProps = { rule: Rule; list: RuleList };

/** Says where the other list has the same value: only one of the two rules counts. */
const RuleValue = ({ rule, list }: RuleValueProps) => {
  const { id } = useServer();
  const other = list === firewallRules ? whitelistRules : firewallRules;
  const { data } = useQuery(rulesQuery(id, other));
  const isOnBoth = data?.some(({ type, value }) => type === rule.type && value === rule.value);
  return (
    <Stack gap={2}>
      <Name>{ruleLabel(rule)}</Name>
      {isOnBoth && (
        <Text size="xs" c="dimmed">
          Also in the {other.name}; the whitelist wins
        </Text>
      )}
    </Stack>
  );
};

const useColumns = (list: RuleList): Column<Rule>[] => {
  const { id } = useServer();
  const remove = useAction((rule: Rule) => list.remove(id, rule.id), {
    message: 'The rule is deleted. Members who verified stay verified.',
    undo: ({ type, value, note }) => list.add(id, { type, value, note }),
    invalidates: changedByRule(id, list),
  });
  return [
    {
      header: 'Type',
      cell: ({ type }) => <Badge color="gray">{ruleTypeLabels[type].label}</Badge>,
    },
    { header: 'Value', cell: (rule) => <RuleValue rule={rule} list={list} /> },
    { header: 'Note', cell: ({ note }) => (note ? <Name>{note}</Name> : '–') },
    { header: 'Added', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      header: '',
      cell: (rule) => (
        <RemoveButton
          label={`Delete the rule for ${ruleLabel(rule)}`}
          isPending={remove.isPending && remove.variables.id === rule.id}
          onRemove={() => remove.mutate(rule)}
        />
      ),
    },
  ];
};
