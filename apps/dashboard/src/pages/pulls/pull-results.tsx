import type { PullResult } from '@holdfast/contract';
import { ColorSwatch, Group, Progress, Stack, Table, Text } from '@mantine/core';
import { Section } from '../../components/page.tsx';
import { formatCount, plural } from '../../labels/format.ts';
import { pullResultLabels, pullResults } from '../../labels/pulls.ts';
import type { PullRecord } from '../../queries/records.ts';

type Row = { id: PullResult; count: number };

/** The outcomes, where they differ: as one bar, and as a table with the numbers. */
export const PullResults = ({ pull }: { pull: PullRecord }) => {
  const rows = pullResults
    .map((id): Row => ({ id, count: pull.results[id] }))
    .filter(({ count }) => count > 0);
  return (
    <Section title="Results" padding="md">
      <Stack gap="xs">
        {rows.length > 1 && <ResultBar rows={rows} pull={pull} />}
        <ResultTable rows={rows} />
      </Stack>
    </Section>
  );
};

/** The table has the numbers, so that the bar is one picture to a screen reader. */
const ResultBar = ({ rows, pull }: { rows: Row[]; pull: PullRecord }) => (
  <Progress.Root
    size={10}
    role="img"
    aria-label={`Of ${plural(pull.processed, 'member')} who were tried, ${formatCount(pull.results.joined)} joined. The table has all results.`}
  >
    {rows.map(({ id, count }) => (
      <Progress.Section
        key={id}
        value={(count / pull.processed) * 100}
        color={pullResultLabels[id].color}
        withAria={false}
        // However few they are, they are seen.
        miw={6}
      />
    ))}
  </Progress.Root>
);

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
            {formatCount(count)}
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
      color={`var(--mantine-color-${pullResultLabels[id].color.replace('.', '-')})`}
      withShadow={false}
      style={{ flex: 'none' }}
      aria-hidden
    />
    <Stack gap={0}>
      <Text size="sm" fw={500}>
        {pullResultLabels[id].label}
      </Text>
      <Text size="sm" c="dimmed">
        {pullResultLabels[id].explanation}
      </Text>
    </Stack>
  </Group>
);
