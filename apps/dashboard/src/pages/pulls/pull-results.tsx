import type { PullResult } from '@holdfast/contract';
import { DonutChart } from '@mantine/charts';
import { Anchor, ColorSwatch, Flex, Group, List, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section, TextLink } from '../../components/page.tsx';
import { formatCount, plural } from '../../labels/format.ts';
import { pullResultLabels, pullResults } from '../../labels/pulls.ts';
import type { PullRecord } from '../../queries/records.ts';

type Row = { id: PullResult; count: number };

/** The outcomes: as a chart, and as a table with the numbers. */
export const PullResults = ({ pull }: { pull: PullRecord }) => {
  const rows = pullResults
    .map((id): Row => ({ id, count: pull.results[id] }))
    .filter(({ count }) => count > 0);
  return (
    <Section title="Results" padding="md">
      <Flex
        direction={{ base: 'column', sm: 'row' }}
        gap="lg"
        align={{ base: 'stretch', sm: 'center' }}
      >
        <DonutChart
          mx="auto"
          size={180}
          thickness={28}
          chartLabel={formatCount(pull.processed)}
          valueFormatter={formatCount}
          tooltipDataSource="segment"
          accessibilityLayer={false}
          role="img"
          aria-label={`Of ${plural(pull.processed, 'member')} who were tried, ${formatCount(pull.results.joined)} joined. The table has all results.`}
          data={rows.map(({ id, count }) => ({
            name: pullResultLabels[id].label,
            value: count,
            color: pullResultLabels[id].color,
          }))}
        />
        <div style={{ flex: 1, minWidth: 0 }}>
          <ResultTable rows={rows} />
        </div>
      </Flex>
    </Section>
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

/** What to do about the members who did not join. */
export const PullFollowUp = ({ pull }: { pull: PullRecord }) => {
  const { tokenInvalid, banned, guildLimit, failed } = pull.results;
  const untried = pull.total - pull.processed;
  if (tokenInvalid + banned + guildLimit + failed + untried === 0) return null;
  return (
    <Section title="What is left to do" padding="md">
      <List size="sm" spacing="xs">
        <Left count={untried} about="Not tried">
          Resume this pull: there is no cooldown for it.
        </Left>
        <Left count={failed} about="Failed">
          Another pull may bring them back.
        </Left>
        <Left count={tokenInvalid} about="Only an invite reaches them">
          Post the invite above where they can see it, or the verification link from the{' '}
          <TextLink to={`/servers/${pull.serverId}/settings`}>settings</TextLink>: members who
          verify again can be brought back the next time.
        </Left>
        <Left count={banned} about="Banned there">
          Lift the bans of those who should come back, then send them an invite.
        </Left>
        <Left count={guildLimit} about="In as many servers as the platform allows">
          Send them an invite for when they have left one.
        </Left>
      </List>
      <Text size="sm" c="dimmed" mt="sm">
        All results are explained in the{' '}
        <Anchor href="/docs" inherit underline="always">
          API reference
        </Anchor>
        .
      </Text>
    </Section>
  );
};

type LeftProps = { count: number; about: string; children: ReactNode };

const Left = ({ count, about, children }: LeftProps) =>
  count > 0 && (
    <List.Item>
      <b className="holdfast-number">
        {about}: {plural(count, 'member')}.
      </b>{' '}
      {children}
    </List.Item>
  );
