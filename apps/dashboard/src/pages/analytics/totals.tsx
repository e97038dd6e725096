import { Paper, SimpleGrid, Text } from '@mantine/core';
import { countWords } from '../../parts/words.ts';
import { type AnalyticsRecord, percentWords } from './analytics-words.ts';

export const Totals = ({ analytics: { totals } }: { analytics: AnalyticsRecord }) => (
  <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: 4 }}>
    <Total label="Attempts" value={countWords(totals.attempts)} />
    <Total label="Verified" value={countWords(totals.verified)} />
    <Total label="Turned away" value={countWords(totals.blocked)} />
    <Total label="Verified of all attempts" value={percentWords(totals.conversionRate)} />
  </SimpleGrid>
);

const Total = ({ label, value }: { label: string; value: string }) => (
  <Paper withBorder p="md">
    <Text component="dt" size="sm" c="dimmed">
      {label}
    </Text>
    <Text component="dd" m={0} fz="h2" fw={650} className="holdfast-number">
      {value}
    </Text>
  </Paper>
);
