import { BarChart } from '@mantine/charts';
import { Table, VisuallyHidden } from '@mantine/core';
import { periods, seriesLabel } from '../../labels/analytics.ts';
import { formatCount, plural } from '../../labels/format.ts';
import type { Analytics } from '../../queries/records.ts';

/** Attempts by hour or day, each bar made of their outcomes; for screen readers the same as a table. */
export const TimeSeries = ({ analytics: { series, period, totals } }: { analytics: Analytics }) => {
  const points = series.map((point) => ({
    ...point,
    label: seriesLabel(point.at, period),
    unfinished: Math.max(0, point.attempts - point.verified - point.blocked),
  }));
  return (
    <>
      <BarChart
        h={280}
        type="stacked"
        data={points}
        dataKey="label"
        withLegend
        legendProps={{ itemSorter: null }}
        valueFormatter={formatCount}
        yAxisProps={{ allowDecimals: false, width: 40 }}
        xAxisProps={{ minTickGap: 24, interval: 'equidistantPreserveStart' }}
        accessibilityLayer={false}
        role="img"
        aria-label={`${plural(totals.attempts, 'attempt')}, ${formatCount(totals.verified)} verified and ${formatCount(totals.blocked)} blocked in ${periods[period] ?? period}. A table with all numbers follows.`}
        series={[
          { name: 'verified', label: 'Verified', color: 'tide.5' },
          { name: 'blocked', label: 'Blocked', color: 'red.6' },
          { name: 'unfinished', label: 'Not finished', color: 'gray.5' },
        ]}
      />
      <VisuallyHidden>
        <Table>
          <Table.Caption>Attempts over time</Table.Caption>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Time</Table.Th>
              <Table.Th>Attempts</Table.Th>
              <Table.Th>Verified</Table.Th>
              <Table.Th>Blocked</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {points.map(({ at, label, attempts, verified, blocked }) => (
              <Table.Tr key={at}>
                <Table.Td>{label}</Table.Td>
                <Table.Td>{formatCount(attempts)}</Table.Td>
                <Table.Td>{formatCount(verified)}</Table.Td>
                <Table.Td>{formatCount(blocked)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </VisuallyHidden>
    </>
  );
};
