import type { KeyScope } from '@holdfast/contract';
import { Badge, Button, Code, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBook, IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Moment, Name, StatusBadge } from '../../components/display.tsx';
import {
  type Column,
  LoadedList,
  PageTurner,
  RecordTable,
  tableFrame,
  usePageNumber,
} from '../../components/list.tsx';
import { Empty, PageHead } from '../../components/page.tsx';
import { keyStatus, scopesByTier } from '../../labels/api-keys.ts';
import { apiKeysQuery } from '../../queries/account.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { ApiKey } from '../../queries/records.ts';
import { CreateKey } from './create-key.tsx';

export const ApiKeys = () => {
  const [isCreating, { open, close }] = useDisclosure();
  const keys = useQuery(apiKeysQuery(usePageNumber()));
  const createButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Create key
    </Button>
  );
  return (
    <>
      <PageHead
        title="API keys"
        description="For scripts, bots and pipelines. Give each its own key, and each key no more than it needs."
        actions={
          <>
            <Button
              component="a"
              href="/docs"
              variant="default"
              leftSection={<IconBook size={16} aria-hidden />}
            >
              API reference
            </Button>
            {createButton}
          </>
        }
      />
      <LoadedList
        query={keys}
        height={240}
        empty={
          <Empty icon={IconKey} title="No keys yet" action={createButton}>
            With a key, a program can do through the API what you do here.
          </Empty>
        }
      >
        {({ data, pagination }) =>
          tableFrame(
            <>
              <KeyTable keys={data} />
              <PageTurner pagination={pagination} />
            </>,
          )
        }
      </LoadedList>
      <CreateKey opened={isCreating} onClose={close} />
    </>
  );
};

const shownColumns: Column<ApiKey>[] = [
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
  { header: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  {
    header: 'Last used',
    cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} never="Never" />,
  },
  { header: 'Status', cell: (key) => <KeyStatus apiKey={key} /> },
];

const KeyTable = ({ keys }: { keys: ApiKey[] }) => {
  const [chosen, setChosen] = useState<ApiKey | null>(null);
  const columns: Column<ApiKey>[] = [
    ...shownColumns,
    {
      header: '',
      cell: (key) =>
        keyStatus(key) !== 'revoked' && (
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
      <RecordTable caption="Your API keys, newest first" columns={columns} rows={keys} />
      <ConfirmDialog
        isDangerous
        opened={chosen !== null}
        onClose={() => setChosen(null)}
        title="Revoke the key"
        word={chosen?.name}
        label="Revoke the key"
        action={async () => chosen && api.deleteKey({ params: { id: chosen.id } })}
        message="The key is revoked."
        invalidates={[queryKeys.apiKeys]}
      >
        Programs that use <Name>{chosen?.name ?? ''}</Name> are refused within two seconds, and this
        key can never be used again. It stays on the list.
      </ConfirmDialog>
    </>
  );
};

/** Whether the key can still be used, and until when. */
const KeyStatus = ({ apiKey }: { apiKey: ApiKey }) => {
  const status = keyStatus(apiKey);
  return (
    <div>
      <StatusBadge status={status} />
      <Text size="xs" c="dimmed">
        {status === 'revoked' ? (
          <Moment at={apiKey.revokedAt} />
        ) : apiKey.expiresAt === null ? (
          'Never expires'
        ) : (
          <>
            {status === 'expired' ? 'Expired' : 'Expires'} <Moment at={apiKey.expiresAt} />
          </>
        )}
      </Text>
      {status === 'active' && apiKey.expiresAt === null && apiKey.scopes.includes('*') && (
        <Text size="xs" maw={220}>
          It can do everything, for ever. A key with fewer scopes or an end is safer.
        </Text>
      )}
    </div>
  );
};

const shownAtOnce = 4;

const isDestructive = (scope: KeyScope): boolean =>
  scope === '*' || scopesByTier.destructive.includes(scope);

/** The scopes of a key, destructive ones first; more than a few on request. */
const ScopeList = ({ scopes }: { scopes: KeyScope[] }) => {
  const [isOpen, { toggle }] = useDisclosure();
  const ordered = scopes.toSorted(
    (one, other) => Number(isDestructive(other)) - Number(isDestructive(one)),
  );
  const shown = isOpen ? ordered : ordered.slice(0, shownAtOnce);
  const hidden = scopes.length - shownAtOnce;
  return (
    <Group gap={4} maw={420}>
      {shown.map((scope) => (
        <Badge key={scope} color={isDestructive(scope) ? 'red' : 'gray'} fw={500}>
          {scope === '*' ? 'everything (*)' : scope}
        </Badge>
      ))}
      {hidden > 0 && (
        <Button variant="subtle" size="compact-xs" onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? 'Show fewer' : `and ${hidden} more`}
        </Button>
      )}
    </Group>
  );
};
