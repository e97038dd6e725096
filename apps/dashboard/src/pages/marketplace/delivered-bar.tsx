import { Group, Progress, Text } from '@mantine/core';
import { countWords } from '../../parts/words.ts';

type DeliveredBarProps = { delivered: number; total: number };

export const DeliveredBar = ({ delivered, total }: DeliveredBarProps) => (
  <Group gap="xs" wrap="nowrap" miw={140}>
    <Progress value={(delivered / total) * 100} flex={1} aria-hidden />
    <Text size="sm" className="holdfast-number">
      {countWords(delivered)} of {countWords(total)}
    </Text>
  </Group>
);
