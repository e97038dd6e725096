import { Box, Group, Progress, Stack, Text } from '@mantine/core';
import { countWords } from './words.ts';

export type Bar = { name: string; count: number; note?: string; color?: string };

type BarListProps = {
  bars: Bar[];
  /** What a full bar stands for; the largest of them unless said. */
  most?: number;
  label: string;
};

/** Amounts side by side as bars. The numbers stand in the text: the bars only repeat them. */
export const BarList = ({ bars, most, label }: BarListProps) => {
  const full = most ?? Math.max(1, ...bars.map(({ count }) => count));
  return (
    <Stack component="ul" gap="sm" m={0} p={0} aria-label={label} style={{ listStyle: 'none' }}>
      {bars.map(({ name, count, note, color }) => (
        <Box component="li" key={name}>
          <Group justify="space-between" gap="xs" mb={4} style={{ rowGap: 0 }}>
            <Text size="sm">{name}</Text>
            <Text size="sm" className="holdfast-number" style={{ whiteSpace: 'nowrap' }}>
              <b>{countWords(count)}</b>
              {note && (
                <Text span inherit c="dimmed">
                  {' '}
                  {note}
                </Text>
              )}
            </Text>
          </Group>
          <Progress value={(count / full) * 100} size="lg" color={color} aria-hidden />
        </Box>
      ))}
    </Stack>
  );
};
