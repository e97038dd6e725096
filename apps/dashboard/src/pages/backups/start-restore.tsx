import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHistory } from '@tabler/icons-react';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { Name } from '../../parts/name.tsx';
import { useServers } from '../../parts/server-select.tsx';
import { useServer } from '../../parts/use-server.ts';
import { countWords } from '../../parts/words.ts';
import { type BackupRecord, titleOf } from './backup-words.ts';
import type { RestorePlan } from './plan-groups.ts';
import { type RestoreWish, useStartRestore } from './use-start-restore.ts';
import { WhatGoes } from './what-goes.tsx';

type StartRestoreProps = { plan: RestorePlan; backup: BackupRecord; wish: RestoreWish };

export const StartRestore = ({ plan, backup, wish }: StartRestoreProps) => {
  const server = useServer();
  const { data: servers } = useServers();
  const [isAsking, asking] = useDisclosure(false);
  const start = useStartRestore(server.id, backup.id);
  const target =
    wish.targetServerId === server.id
      ? server
      : servers?.data.find(({ id }) => id === wish.targetServerId);
  if (!target) return null;
  return (
    <Group>
      <Button
        color="red"
        leftSection={<IconHistory size={18} aria-hidden />}
        onClick={asking.open}
        style={{ whiteSpace: 'normal' }}
      >
        Restore this
      </Button>
      <ConfirmDanger
        opened={isAsking}
        onClose={asking.close}
        title="Restore this backup?"
        word={target.name}
        label="Restore"
        onConfirm={() => start.mutateAsync(wish)}
      >
        <Stack gap="sm">
          <Text size="sm">
            <Name>{titleOf(backup)}</Name> goes into <Name>{target.name}</Name>:{' '}
            {countWords(plan.create.length)} created, {countWords(plan.update.length)} changed,{' '}
            {countWords(plan.delete.length)} deleted.
          </Text>
          <WhatGoes
            serverName={target.name}
            restoresChannels={wish.components.includes('channels')}
          />
        </Stack>
      </ConfirmDanger>
    </Group>
  );
};
