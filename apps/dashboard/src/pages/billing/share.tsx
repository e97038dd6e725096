import { Group, Progress, Stack, Text } from '@mantine/core';
import { countWords } from '../../parts/words.ts';

type ShareProps = {
  label: string;
  used: number;
  most: number;
  inWords?: (amount: number) => string;
};

/** How much of one limit is taken. */
export const Share = ({ label, used, most, inWords = countWords }: ShareProps) => (
  <Stack gap={4}>
    <Group justify="space-between" gap="xs">
      <Text size="sm">{label}</Text>
      <Text size="sm" c="dimmed" className="holdfast-number">
        {inWords(used)} of {inWords(most)}
      </Text>
    </Group>
    <Progress
      value={most === 0 ? 100 : Math.min(100, (used / most) * 100)}
      color={used >= most ? 'orange' : undefined}
      aria-label={`${label} used`}
    />
  </Stack>
);
