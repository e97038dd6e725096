import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Moment } from '../../components/display.tsx';
import { Note, Section } from '../../components/page.tsx';
import { plural } from '../../labels/format.ts';
import type { RestoreRecord } from '../../queries/records.ts';
import { restoreDetailsQuery } from '../../queries/recovery.ts';

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
          {plural(count, 'webhook')} could not be moved and {count === 1 ? 'was' : 'were'} made
          anew, with {count === 1 ? 'a new address' : 'new addresses'}. What posts to them needs the
          new {count === 1 ? 'one' : 'ones'}.
        </Text>
        {addresses && <Addresses addresses={addresses} />}
        {!addresses && shownAt && (
          <Text size="sm" c="dimmed">
            The addresses were shown <Moment at={shownAt} />. You find them in the settings of each
            channel.
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

const Addresses = ({ addresses }: { addresses: Address[] }) => (
  <Stack gap="sm">
    <Note tone="warning" title="Copy them now">
      They are not shown again.
    </Note>
    {addresses.map(({ name, url }) => (
      <CopyField key={url} label={name} value={url} />
    ))}
  </Stack>
);
