import { Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { AppealMessage } from './appeal-message.tsx';
import { blockReasons } from './block-reasons.ts';
import type { Appeal, Decision } from './decide-appeal.tsx';

type OpenAppealProps = { appeal: Appeal; onDecide: (decision: Decision) => void };

export const OpenAppeal = ({ appeal, onDecide }: OpenAppealProps) => {
  const { username, platformId, reason, message, createdAt } = appeal;
  return (
    <Paper withBorder p="lg" component="article" aria-label={`Appeal of ${username}`}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start">
          <div>
            <Text fw={650}>
              <Name>{username}</Name>
            </Text>
            <Text size="sm" c="dimmed" className="holdfast-number">
              {platformId} · <Moment at={createdAt} />
            </Text>
          </div>
          <Badge variant="light" color="orange" tt="none">
            Turned away: {blockReasons[reason].label}
          </Badge>
        </Group>
        <AppealMessage>{message}</AppealMessage>
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed" flex="1 1 240px">
            {blockReasons[reason].about}
          </Text>
          <Group gap="sm">
            <Button
              variant="default"
              leftSection={<IconX size={16} aria-hidden />}
              onClick={() => onDecide('REJECT')}
            >
              Reject
            </Button>
            <Button
              leftSection={<IconCheck size={16} aria-hidden />}
              onClick={() => onDecide('ACCEPT')}
            >
              Let them in
            </Button>
          </Group>
        </Group>
      </Stack>
    </Paper>
  );
};
