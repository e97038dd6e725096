import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Moment, Name, plainName } from '../../components/display.tsx';
import { Loaded } from '../../components/list.tsx';
import { Note } from '../../components/page.tsx';
import { NoteList, WarningList } from '../../components/warning-list.tsx';
import { backupTitle, lastGoodFirst } from '../../labels/backups.ts';
import type { NameOf } from '../../labels/changes.ts';
import { plural } from '../../labels/format.ts';
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
  plan: RestorePlan;
  nameOf: NameOf;
  isLive: boolean;
  comparedAt: string;
};

const Difference = ({ plan, nameOf, isLive, comparedAt }: DifferenceProps) => {
  const isSame = plan.create.length + plan.update.length + plan.delete.length === 0;
  const there = isLive ? 'the server' : 'the other backup';
  return (
    <Stack gap="md">
      {isSame ? (
        <Note tone="success" title="No difference">
          {isLive
            ? 'Everything this backup holds is the same on the server. Messages and members who joined since are not compared.'
            : 'Both backups hold the same.'}{' '}
          {plural(plan.keep, 'object')} compared <Moment at={comparedAt} />.
        </Note>
      ) : (
        <Text role="status">
          {plural(plan.keep, 'object is', 'objects are')} the same. Arrows lead from {there} to this
          backup.
        </Text>
      )}
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
