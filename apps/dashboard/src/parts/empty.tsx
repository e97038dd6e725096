import { Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type EmptyProps = { icon: Icon; title: string; children: ReactNode; action?: ReactNode };

/** Nothing is here yet: why, and what to do about it. */
export const Empty = ({ icon: Sign, title, children, action }: EmptyProps) => (
  <Paper withBorder p="xl">
    <Stack align="center" gap="sm" ta="center">
      <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
        <Sign />
      </ThemeIcon>
      <Title order={2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" maw={480}>
        {children}
      </Text>
      {action}
    </Stack>
  </Paper>
);
