import { Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconAlertTriangle, IconBell, IconCircleCheck } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Name } from '../../parts/name.tsx';
import type { Attention } from './attention.ts';

type AttentionListProps = { things: Attention[]; areAllProved: boolean };

export const AttentionList = ({ things, areAllProved }: AttentionListProps) => (
  <Stack gap="sm" component="section" aria-labelledby="attention">
    <Title order={2} size="h4" id="attention">
      Needs your attention
    </Title>
    {things.length === 0 ? (
      <AllWell areAllProved={areAllProved} />
    ) : (
      <Paper withBorder component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
        {things.map((thing, index) => (
          <Thing key={thing.key} thing={thing} isFirst={index === 0} />
        ))}
      </Paper>
    )}
  </Stack>
);

const AllWell = ({ areAllProved }: { areAllProved: boolean }) => (
  <Paper withBorder p="md">
    <Group gap="sm" wrap="nowrap">
      <ThemeIcon variant="light" color="green" radius="xl" aria-hidden>
        <IconCircleCheck size={18} />
      </ThemeIcon>
      <Text>
        {areAllProved
          ? 'Nothing. Every server has a recent backup that was proved to restore.'
          : 'Nothing just now.'}
      </Text>
    </Group>
  </Paper>
);

const Thing = ({ thing, isFirst }: { thing: Attention; isFirst: boolean }) => {
  const { isUrgent, subject, words, to, action } = thing;
  const Sign = isUrgent ? IconAlertTriangle : IconBell;
  const line = isFirst ? undefined : '1px solid var(--mantine-color-default-border)';
  return (
    <Group component="li" p="md" gap="sm" justify="space-between" style={{ borderTop: line }}>
      <Group gap="sm" wrap="nowrap" flex={1} miw={220}>
        <ThemeIcon variant="light" color={isUrgent ? 'red' : 'yellow'} radius="xl" aria-hidden>
          <Sign size={18} />
        </ThemeIcon>
        <Text>
          {subject !== undefined && (
            <Text span fw={600}>
              <Name>{subject}</Name>:{' '}
            </Text>
          )}
          {words}
        </Text>
      </Group>
      <Button component={Link} to={to} size="xs" variant={isUrgent ? 'filled' : 'default'}>
        {action}
      </Button>
    </Group>
  );
};
