import { Group, Paper, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

type SectionProps = { title: string; note?: ReactNode; aside?: ReactNode; children: ReactNode };

/** One subject of a page, with its heading and what it means. */
export const Section = ({ title, note, aside, children }: SectionProps) => {
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <Group justify="space-between" align="baseline" gap="xs" mb={note ? 4 : 'md'}>
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {note && (
        <Text size="sm" c="dimmed" mb="md">
          {note}
        </Text>
      )}
      {children}
    </Paper>
  );
};
