import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldError } from '../../parts/error-words.ts';
import { useAct } from '../../parts/use-act.ts';

export const BlacklistForm = ({ serverId }: { serverId: string }) => {
  const entry = useNewEntry(serverId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    entry.add.mutate();
  };
  return (
    <Stack gap="md" component="form" onSubmit={submit}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="md">
        <TextInput
          label="Platform id"
          description="The person’s id on the platform, such as 175928847299117063"
          value={entry.platformId}
          onChange={(event) => entry.setPlatformId(event.currentTarget.value)}
          error={entry.errors.platformId}
          inputMode="numeric"
          autoComplete="off"
          maxLength={40}
        />
        <TextInput
          label="Reason"
          description="For yourself and your helpers. They are not told."
          value={entry.reason}
          onChange={(event) => entry.setReason(event.currentTarget.value)}
          error={entry.errors.reason}
          maxLength={500}
        />
      </SimpleGrid>
      {entry.otherError && <ErrorNote error={entry.otherError} />}
      <Group justify="flex-end">
        <Button
          type="submit"
          leftSection={<IconPlus size={16} aria-hidden />}
          loading={entry.add.isPending}
          disabled={entry.platformId.trim() === ''}
        >
          Blacklist
        </Button>
      </Group>
    </Stack>
  );
};

const useNewEntry = (serverId: string) => {
  const [platformId, setPlatformId] = useState('');
  const [reason, setReason] = useState('');
  const body = { platformId: platformId.trim(), reason: reason || null };
  const add = useAct(() => api.createBlacklistEntry({ params: { id: serverId }, body }), {
    done: (entry) => `${entry.platformId} is blacklisted on all of your servers.`,
    touches: [['blacklist']],
    isQuietOnError: true,
    onDone: () => {
      setPlatformId('');
      setReason('');
    },
  });
  const errors = {
    platformId: fieldError(add.error, 'platformId'),
    reason: fieldError(add.error, 'reason'),
  };
  const otherError = errors.platformId || errors.reason ? null : add.error;
  return { platformId, setPlatformId, reason, setReason, add, errors, otherError };
};
