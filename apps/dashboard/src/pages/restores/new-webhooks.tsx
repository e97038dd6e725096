import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Moment, plainName } from '../../components/display.tsx';
import { Note, Section } from '../../components/page.tsx';
import { plural } from '../../labels/format.ts';
import type { RestoreRecord } from '../../queries/records.ts';
import { restoreDetailsQuery } from '../../queries/recovery.ts';
import { guildQuery } from '../../queries/servers.ts';

type Address = Awaited<ReturnType<typeof api.showWebhookAddresses>>[number];

/** Webhooks that the restore made anew have new addresses, which are secrets: they are shown once. */
export const NewWebhooks = ({ restore }: { restore: RestoreRecord }) => {
  const { data: details } = useQuery(restoreDetailsQuery(restore));
  const [addresses, setAddresses] = useState<Address[]>();
  if (!details || details.newWebhooks.count === 0) return null;
  const { count, shownAt } = details.newWebhooks;
  return (
    <Section title="New webhooks" padding="md">
      <Stack gap="md">
        <Text size="sm">
          {plural(count, 'webhook was', 'webhooks were')} made anew, with{' '}
          {count === 1 ? 'a new address' : 'new addresses'}. Whatever posts through{' '}
          {count === 1 ? 'it' : 'them'} needs the new {count === 1 ? 'one' : 'ones'}.
        </Text>
        {addresses && <Addresses addresses={addresses} serverId={restore.serverId} />}
        {!addresses && shownAt && (
          <Text size="sm" c="dimmed">
            Shown <Moment at={shownAt} />, and not again here: on the platform you find them in the
            settings of each channel, under Integrations.
          </Text>
        )}
        {!addresses && !shownAt && (
          <ConfirmButton
            isDangerous
            button={{ variant: 'default', children: 'Show the addresses' }}
            title="Show the addresses once?"
            label="Show them"
            action={() => api.showWebhookAddresses({ params: { id: restore.id } })}
            onSuccess={setAddresses}
          >
            Whoever knows an address can post in its channel. They are shown to you once.
          </ConfirmButton>
        )}
      </Stack>
    </Section>
  );
};

type AddressesProps = { addresses: Address[]; serverId: string };

const Addresses = ({ addresses, serverId }: AddressesProps) => {
  const { data: guild } = useQuery(guildQuery(serverId));
  const placeOf = (channelId: string): string => {
    const channel = guild?.channels.find(({ id }) => id === channelId);
    return channel ? ` in #${channel.name}` : '';
  };
  return (
    <Stack gap="sm">
      <Note tone="warning" title="Copy them now">
        They are not shown again.
      </Note>
      {addresses.map(({ name, channelId, url }) => (
        <CopyField key={url} label={plainName(`${name}${placeOf(channelId)}`)} value={url} />
      ))}
    </Stack>
  );
};
