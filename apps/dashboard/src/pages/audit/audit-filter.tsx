import { Select, SimpleGrid } from '@mantine/core';
import { actionWords, subjectWords } from './action-words.ts';
import { actorNames, type Filter, type useAuditFilter } from './use-audit-filter.ts';

const choiceOf = (words: Record<string, string>) =>
  Object.entries(words)
    .map(([value, label]) => ({ value, label }))
    .sort((one, other) => one.label.localeCompare(other.label));

// Two names of one thing would be one choice: the operator's entries about an account say `user`.
const { user: _, ...subjects } = subjectWords;
const subjectChoice = [...choiceOf(subjects), { value: 'user', label: 'Account, by plan changes' }];
const actionChoice = choiceOf(actionWords);
const actorChoice = choiceOf(actorNames);

type AuditFilterProps = { filter: Filter; onChange: ReturnType<typeof useAuditFilter>[1] };

export const AuditFilter = ({ filter, onChange }: AuditFilterProps) => (
  <SimpleGrid cols={{ base: 1, sm: 3 }} role="search" aria-label="Filter the entries">
    <Select
      label="Who"
      placeholder="Anybody"
      data={actorChoice}
      value={filter.actorType ?? null}
      onChange={(value) => onChange('actor', value)}
      clearable
    />
    <Select
      label="What"
      placeholder="Anything"
      data={actionChoice}
      value={filter.action ?? null}
      onChange={(value) => onChange('action', value)}
      searchable
      clearable
      nothingFoundMessage="Nothing of that name is written down"
    />
    <Select
      label="On what"
      placeholder="Anything"
      data={subjectChoice}
      value={filter.subjectType ?? null}
      onChange={(value) => onChange('subject', value)}
      searchable
      clearable
      nothingFoundMessage="Nothing of that name is written down"
    />
  </SimpleGrid>
);
