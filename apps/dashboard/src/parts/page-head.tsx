import { Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Name } from './name.tsx';

type PageHeadProps = {
  title: string;
  /** One sentence: what this page is for. */
  description?: ReactNode;
  actions?: ReactNode;
};

/** Names the page, in the window's title too. */
export const PageHead = ({ title, description, actions }: PageHeadProps) => {
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="lg">
      <Stack gap={4} maw={640}>
        <Title order={1} size="h2">
          <Name>{title}</Name>
        </Title>
        {description && <Text c="dimmed">{description}</Text>}
      </Stack>
      {actions && <Group gap="sm">{actions}</Group>}
    </Group>
  );
};
