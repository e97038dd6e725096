import type { RuleType } from '@holdfast/contract';
import { Badge, Group, Paper, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconListCheck, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { Empty } from '../../parts/empty.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { PageTurner, usePageNumber } from '../../parts/page-turner.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { useAct } from '../../parts/use-act.ts';
import { useServer } from '../../parts/use-server.ts';
import { plural } from '../../parts/words.ts';
import { findRules, type Rule, type RuleFilter, ruleWords } from './find-rules.ts';
import type { RuleList } from './rule-lists.ts';
import { ruleTypeNames, ruleTypes } from './rule-types.ts';

/** There may be ten thousand: they are all here, and so many are drawn. */
const rulesPerPage = 50;

type RuleTableProps = { list: RuleList; rules: Rule[]; emptyWords: string };

export const RuleTable = ({ list, rules, emptyWords }: RuleTableProps) => {
  const [filter, setFilter] = useFilter();
  const page = usePageNumber();
  const columns = useColumns(list);
  if (rules.length === 0) {
    return (
      <Empty icon={IconListCheck} title="No rules yet">
        {emptyWords}
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
          <RuleSearch filter={filter} onChange={setFilter} />
        </Group>
        {found.length === 0 ? (
          <Text c="dimmed">No rule fits this search.</Text>
        ) : (
          <RecordTable
            caption="Rules, the newest first"
            columns={columns}
            rows={found.slice((shown - 1) * rulesPerPage, shown * rulesPerPage)}
          />
        )}
        <PageTurner pagination={{ page: shown, total: found.length, totalPages }} />
      </Stack>
    </Paper>
  );
};

/** Another search begins on its first page. */
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

const typeChoice = ruleTypeNames.map((value) => ({ value, label: ruleTypes[value].label }));

const RuleSearch = ({ filter, onChange }: RuleSearchProps) => (
  <Group gap="sm">
    <TextInput
      aria-label="Search values and notes"
      placeholder="Search values and notes"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={filter.search}
      onChange={(event) => onChange({ search: event.currentTarget.value })}
    />
    <Select<RuleType>
      aria-label="Type of rule"
      placeholder="All types"
      data={typeChoice}
      value={filter.type}
      onChange={(type) => onChange({ type })}
      clearable
      w={190}
    />
  </Group>
);

const useColumns = (list: RuleList): Column<Rule>[] => {
  const { id } = useServer();
  const remove = useAct((rule: Rule) => list.remove(id, rule.id), {
    done: 'The rule is deleted.',
    touches: [
      [list.name, id],
      ['server', id],
    ],
  });
  return [
    {
      header: 'About',
      cell: ({ type }) => (
        <Badge variant="light" color="gray" tt="none">
          {ruleTypes[type].label}
        </Badge>
      ),
    },
    { header: 'Value', cell: (rule) => <Name>{ruleWords(rule)}</Name> },
    { header: 'Note', cell: ({ note }) => (note ? <Name>{note}</Name> : '–') },
    { header: 'Added', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      header: '',
      cell: (rule) => (
        <RemoveButton
          label={`Delete the rule for ${ruleWords(rule)}`}
          question="The rule no longer counts from now on. Whoever is in stays in."
          verb="Delete the rule"
          isPending={remove.isPending && remove.variables.id === rule.id}
          onRemove={() => remove.mutate(rule)}
        />
      ),
    },
  ];
};
