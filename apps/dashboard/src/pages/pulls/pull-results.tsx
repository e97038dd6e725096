import type { PullResult } from '@holdfast/contract';
import { DonutChart } from '@mantine/charts';
import { ColorSwatch, Flex, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { countWords, plural } from '../../parts/words.ts';
import { allResults, type PullRecord, resultWords } from './pull-words.ts';

type Row = { id: PullResult; count: number };

/** How it ended for those who were called: the chart for the whole, the table for the numbers. */
export const PullResults = ({ pull }: { pull: PullRecord }) => {
  const rows = allResults
    .map((id): Row => ({ id, count: pull.results[id] }))
    .filter(({ count }) => count > 0);
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="md">
        Results
      </Title>
      <Flex
        direction={{ base: 'column', sm: 'row' }}
        gap="lg"
        align={{ base: 'stretch', sm: 'center' }}
      >
        <DonutChart
          mx="auto"
          size={180}
          thickness={28}
          chartLabel={countWords(pull.processed)}
          valueFormatter={countWords}
          tooltipDataSource="segment"
          accessibilityLayer={false}
          role="img"
          aria-label={`Of ${plural(pull.processed, 'member')} who were called, ${countWords(pull.results.joined)} joined. The table has all results.`}
          data={rows.map(({ id, count }) => ({
            name: resultWords[id].label,
            value: count,
            color: resultWords[id].color,
          }))}
        />
        <div style={{ flex: 1, minWidth: 0 }}>
          <ResultTable rows={rows} />
        </div>
      </Flex>
    </Paper>
  );
};

const ResultTable = ({ rows }: { rows: Row[] }) => (
  <Table verticalSpacing="sm">
    <Table.Thead>
      <Table.Tr>
        <Table.Th>Result</Table.Th>
        <Table.Th ta="right" style={{ whiteSpace: 'nowrap' }}>
          Members
        </Table.Th>
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {rows.map(({ id, count }) => (
        <Table.Tr key={id}>
          <Table.Td>
            <ResultName id={id} />
          </Table.Td>
          <Table.Td ta="right" className="holdfast-number">
            {countWords(count)}
          </Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);

const ResultName = ({ id }: Pick<Row, 'id'>) => (
  <Group gap="sm" wrap="nowrap" align="flex-start">
    <ColorSwatch
      size={14}
      mt={4}
      color={`var(--mantine-color-${resultWords[id].color.replace('.', '-')})`}
      withShadow={false}
      style={{ flex: 'none' }}
      aria-hidden
    />
    <Stack gap={0}>
      <Text size="sm" fw={500}>
        {resultWords[id].label}
      </Text>
      <Text size="sm" c="dimmed">
        {resultWords[id].explanation}
      </Text>
    </Stack>
  </Group>
);
