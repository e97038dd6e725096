import type { Output } from '@holdfast/sdk/dashboard';
import { Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { IconBan, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Moment, Name, Picture } from '../../components/display.tsx';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import {
  type Column,
  LoadedList,
  PageTurner,
  RecordTable,
  usePageNumber,
} from '../../components/list.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Empty, PageHead, Section, TextLink } from '../../components/page.tsx';
import { RemoveButton } from '../../components/remove-button.tsx';
import { useAction } from '../../components/use-action.ts';
import { plural } from '../../labels/format.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { BlacklistEntry } from '../../queries/records.ts';
import { blacklistQuery } from '../../queries/rules.ts';
import { allServersQuery } from '../../queries/servers.ts';

export const Blacklist = () => {
  const entries = useQuery(blacklistQuery(usePageNumber()));
  return (
    <>
      <PageHead
        title="Blacklist"
        description="People on it cannot verify on any of your servers and are not brought back. Nothing overrules it, not even the whitelist."
      />
      <Stack gap="lg">
        <NewEntry />
        <LoadedList
          query={entries}
          height={240}
          empty={
            <Empty icon={IconBan} title="Nobody is blacklisted">
              Add the platform ID of a person who must be blocked, whatever the servers’ own rules
              say.
            </Empty>
          }
        >
          {(found) => <BlacklistTable {...found} />}
        </LoadedList>
      </Stack>
    </>
  );
};

/** The API adds an entry through a server; any server of the account will do. */
const blacklist = (
  serverId: string,
  { platformId, reason }: Pick<BlacklistEntry, 'platformId' | 'reason'>,
) => api.createBlacklistEntry({ params: { id: serverId }, body: { platformId, reason } });

const NewEntry = () => {
  const servers = useQuery(allServersQuery);
  return (
    <Loaded query={servers} height={200}>
      {({ data: [server] }) => (
        <Section
          title="Block a person"
          note="Or open a member of a server and choose Blacklist there."
        >
          {server ? (
            <BlacklistForm serverId={server.id} />
          ) : (
            <Text c="dimmed">
              The list applies to your servers, and you have none yet.{' '}
              <TextLink to="/servers/new">Add a server first</TextLink>
            </Text>
          )}
        </Section>
      )}
    </Loaded>
  );
};

const BlacklistForm = ({ serverId }: { serverId: string }) => {
  const form = useApiForm(
    { platformId: '', reason: '' },
    ({ platformId, reason }) =>
      blacklist(serverId, { platformId: platformId.trim(), reason: reason || null }),
    {
      message: (entry) => `${entry.platformId} is blacklisted on all of your servers.`,
      invalidates: [queryKeys.blacklist],
      onSuccess: () => form.reset(),
    },
  );
  return (
    <ApiForm
      form={form}
      label="Block"
      icon={<IconPlus size={16} aria-hidden />}
      isReady={form.values.platformId.trim() !== ''}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="md">
        <TextInput
          label="Platform ID"
          description="The person’s ID on the platform, such as 175928847299117063"
          inputMode="numeric"
          autoComplete="off"
          maxLength={40}
          {...form.getInputProps('platformId')}
        />
        <TextInput
          label="Reason"
          description="For yourself and your helpers. The person does not see it."
          maxLength={500}
          {...form.getInputProps('reason')}
        />
      </SimpleGrid>
    </ApiForm>
  );
};

type NamedEntry = Output<'listNamedBlacklist'>['data'][number];

/** By name where they were ever a member, and always by the ID that is blocked. */
const Person = ({ entry: { platformId, member } }: { entry: NamedEntry }) => {
  if (!member) {
    return (
      <div>
        <span className="holdfast-number">{platformId}</span>
        <Text size="xs" c="dimmed">
          Not a member of your servers
        </Text>
      </div>
    );
  }
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      <Picture src={member.avatar} size={32} />
      <div>
        <TextLink to={`/servers/${member.serverId}/members/${member.id}`}>
          <Name>{member.displayName}</Name>
        </TextLink>
        <Text size="xs" c="dimmed" className="holdfast-number">
          {platformId}
        </Text>
      </div>
    </Group>
  );
};

const BlacklistTable = ({ data, pagination }: Output<'listNamedBlacklist'>) => {
  const { data: servers } = useQuery(allServersQuery);
  const serverId = servers?.data[0]?.id;
  const remove = useAction(
    ({ id }: BlacklistEntry) => api.deleteBlacklistEntry({ query: { entryId: id } }),
    {
      message: 'They can try to verify again. The other checks still apply.',
      invalidates: [queryKeys.blacklist],
      ...(serverId && { undo: (entry) => blacklist(serverId, entry) }),
    },
  );
  const columns: Column<NamedEntry>[] = [
    { header: 'Person', cell: (entry) => <Person entry={entry} /> },
    { header: 'Reason', cell: ({ reason }) => (reason ? <Name>{reason}</Name> : '–') },
    { header: 'Added', cell: ({ createdAt }) => <Moment at={createdAt} /> },
    {
      header: '',
      cell: (entry) => (
        <RemoveButton
          label={`Remove ${entry.platformId} from the blacklist`}
          isPending={remove.isPending && remove.variables.id === entry.id}
          onRemove={() => remove.mutate(entry)}
        />
      ),
    },
  ];
  return (
    <Section title={plural(pagination.total, 'person', 'people')}>
      <RecordTable caption="Blacklisted people, newest first" columns={columns} rows={data} />
      <PageTurner pagination={pagination} />
    </Section>
  );
};
