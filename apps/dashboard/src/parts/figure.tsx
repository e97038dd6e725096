import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

type FigureProps = { label: string; value: ReactNode; hint?: ReactNode };

/** One number, large enough to be read in passing, and what it counts. */
export const Figure = ({ label, value, hint }: FigureProps) => (
  <Stack gap={2} miw={0}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Text size="xl" fw={650} lh={1.2} className="holdfast-number">
      {value}
    </Text>
    {hint && (
      <Text size="xs" c="dimmed">
        {hint}
      </Text>
    )}
  </Stack>
);
