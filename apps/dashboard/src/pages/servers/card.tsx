import { Anchor, Group, Paper, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { Link } from 'react-router';

type CardProps = {
  title: string;
  /** Where there is more about it. */
  more?: { to: string; label: string };
  children: ReactNode;
};

/** One subject of a page, with its heading. */
export const Card = ({ title, more, children }: CardProps) => {
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <Group justify="space-between" mb="md" gap="xs">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {more && (
          <Anchor component={Link} to={more.to} size="sm">
            {more.label}
          </Anchor>
        )}
      </Group>
      {children}
    </Paper>
  );
};
