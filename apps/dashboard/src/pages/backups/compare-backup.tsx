import { Group, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Moment, Name, plainName } from '../../components/display.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Note } from '../../components/page.tsx';
import { NoteList, WarningList } from '../../components/warning-list.tsx';
import {
  backupTitle,
  componentLabels,
  countOf,
  lastGoodFirst,
  restorableComponents,
} from '../../labels/backups.ts';
import type { NameOf } from '../../labels/changes.ts';
import { formatCount, plural } from '../../labels/format.ts';
import type { BackupRecord, RestorePlan } from '../../queries/records.ts';
import { backupsQuery, comparisonQuery, useNamesIn } from '../../queries/recovery.ts';
import { useServer } from '../../queries/servers.ts';
import { PlanTree } from '../restores/plan-tree.tsx';

const live = 'live';
const mostOffered = 100;

/** How the backup differs from the server as it is, or from another backup. */
export const CompareBackup = ({ backup }: { backup: BackupRecord }) => {
  const [other, setOther] = useState(live);
  const nameOf = useNamesIn(backup);
  const { id, lastGoodBackupId } = useServer();
  const { data } = useQuery(backupsQuery(id, { limit: mostOffered }));
  const comparison = useQuery(comparisonQuery(backup, other));
  const others = lastGoodFirst(data?.data ?? [], lastGoodBackupId).filter(
    ({ id: otherId, status }) => otherId !== backup.id && status === 'completed',
  );
  const choices = [
    { value: live, label: 'The server as it is now' },
    ...others.map((entry) => ({ value: entry.id, label: plainName(backupTitle(entry)) })),
  ];
  return (
    <Stack gap="lg">
      <Select
        label="Compare with"
        data={choices}
        value={other}
        onChange={(chosen) => chosen && setOther(chosen)}
        renderOption={({ option }) => <Name>{option.label}</Name>}
        allowDeselect={false}
        searchable
        maw={420}
      />
      <Loaded query={comparison} height={240}>
        {(plan) => (
          <Difference
            backup={backup}
            plan={plan}
            nameOf={nameOf}
            isLive={other === live}
            comparedAt={new Date(comparison.dataUpdatedAt).toISOString()}
          />
        )}
      </Loaded>
    </Stack>
  );
};

type DifferenceProps = {
  backup: BackupRecord;
  plan: RestorePlan;
  nameOf: NameOf;
  isLive: boolean;
  comparedAt: string;
};

const Difference = ({ backup, plan, nameOf, isLive, comparedAt }: DifferenceProps) => {
  const isSame = plan.create.length + plan.update.length + plan.delete.length === 0;
  const there = isLive ? 'the server' : 'the other backup';
  return (
    <Stack gap="md">
      {isSame ? (
        <Note tone="success" title="No difference">
          {isLive
            ? 'Everything this backup holds is the same on the server. Messages and members who joined since are not compared.'
            : 'Both backups hold the same.'}{' '}
          Compared <Moment at={comparedAt} />.
        </Note>
      ) : (
        <Text role="status">
          {plural(plan.keep, 'object is', 'objects are')} the same. Arrows lead from {there} to this
          backup.
        </Text>
      )}
      {isSame && plan.notes.length === 0 && <Compared backup={backup} />}
      <WarningList warnings={plan.warnings} />
      <NoteList notes={plan.notes} />
      {!isSame && (
        <PlanTree
          plan={plan}
          nameOf={nameOf}
          titles={{
            create: 'Only in this backup',
            update: 'Different',
            delete: isLive ? 'Only on the server' : 'Only in the other one',
          }}
        />
      )}
    </Stack>
  );
};

const neverCompared: BackupRecord['components'] = ['messages', 'threads'];

/** What was looked at, with how much the backup has of it. */
const Compared = ({ backup: { components, counts } }: { backup: BackupRecord }) => (
  <SimpleGrid cols={{ base: 2, sm: 3, lg: 4 }} spacing="xs" component="ul" m={0} p={0}>
    {restorableComponents(components)
      .filter((name) => !neverCompared.includes(name))
      .map((name) => {
        const count = countOf(counts, name);
        return (
          <Group key={name} component="li" gap={6} wrap="nowrap">
            <IconCheck size={16} aria-hidden color="var(--mantine-color-green-filled)" />
            <Text size="sm" className="holdfast-number">
              {componentLabels[name].label}
              {count !== undefined && ` (${formatCount(count)})`}
            </Text>
          </Group>
        );
      })}
  </SimpleGrid>
);
