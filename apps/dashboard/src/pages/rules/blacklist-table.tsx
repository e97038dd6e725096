import type { Entry, Output } from '@holdfast/sdk';
import { Paper, Title } from '@mantine/core';
import { api } from '../../api.ts';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { PageTurner } from '../../parts/page-turner.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { RemoveButton } from '../../parts/remove-button.tsx';
import { useAct } from '../../parts/use-act.ts';
import { plural } from '../../parts/words.ts';

type BlacklistEntry = Entry<'listBlacklist'>;

export const BlacklistTable = ({ data, pagination }: Output<'listBlacklist'>) => {
  const remove = useAct(
    ({ id }: BlacklistEntry) => api.deleteBlacklistEntry({ query: { entryId: id } }),
    { done: 'They are off the list.', touches: [['blacklist']] },
  );
  const columns: Column<BlacklistEntry>[] = [
    {
      header: 'Platform id',
      cell: ({ platformId }) => <span className="holdfast-number">{platformId}</span>,
    },
    { header: 'Reason', cell: ({ reason }) => (reason ? <Name>{reason}</Name> : '–') },
    { header: 'Added', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      header: '',
      cell: (entry) => (
        <RemoveButton
          label={`Take ${entry.platformId} off the blacklist`}
          question="They can try to verify again at once. The other checks still hold."
          verb="Take them off the list"
          isPending={remove.isPending && remove.variables.id === entry.id}
          onRemove={() => remove.mutate(entry)}
        />
      ),
    },
  ];
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="entries">
      <Title order={2} size="h4" mb="sm" id="entries">
        {plural(pagination.total, 'person', 'people')}
      </Title>
      <RecordTable caption="Who is blacklisted, the newest first" columns={columns} rows={data} />
      <PageTurner pagination={pagination} />
    </Paper>
  );
};
