import type { Entry } from '@holdfast/sdk';
import { Button, Code, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { type Column, RecordTable } from '../../parts/record-table.tsx';
import { useAct } from '../../parts/use-act.ts';
import { KeyState, stateOf } from './key-state.tsx';
import { ScopeList } from './scope-list.tsx';

export type Key = Entry<'listKeys'>;

const shownColumns: Column<Key>[] = [
  {
    header: 'Name',
    cell: ({ name, lastFour }) => (
      <div>
        <Text fw={500}>
          <Name>{name}</Name>
        </Text>
        <Code aria-label={`ends with ${lastFour}`}>…{lastFour}</Code>
      </div>
    ),
  },
  { header: 'Scopes', cell: ({ scopes }) => <ScopeList scopes={scopes} /> },
  {
    header: 'Last used',
    cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} never="Never" />,
  },
  { header: 'State', cell: (key) => <KeyState apiKey={key} /> },
];

export const KeyTable = ({ keys }: { keys: Key[] }) => {
  const [chosen, setChosen] = useState<Key | null>(null);
  const revoke = useAct(({ id }: Key) => api.deleteKey({ params: { id } }), {
    done: 'The key is revoked.',
    touches: [['keys']],
    isQuietOnError: true,
  });
  const columns: Column<Key>[] = [
    ...shownColumns,
    {
      header: '',
      cell: (key) =>
        stateOf(key) !== 'revoked' && (
          <Button
            variant="subtle"
            color="red"
            size="compact-sm"
            aria-label={`Revoke ${key.name}`}
            onClick={() => setChosen(key)}
          >
            Revoke
          </Button>
        ),
    },
  ];
  return (
    <>
      <RecordTable caption="Your API keys, the newest first" columns={columns} rows={keys} />
      <ConfirmDanger
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        title="Revoke the key"
        word={chosen?.name}
        label="Revoke the key"
        onConfirm={async () => chosen && revoke.mutateAsync(chosen)}
      >
        Whatever uses <Name>{chosen?.name ?? ''}</Name> is refused within two seconds, and this key
        can never be used again. It stays on the list.
      </ConfirmDanger>
    </>
  );
};
