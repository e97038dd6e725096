import { AreaChart } from '@mantine/charts';
import { Table, VisuallyHidden } from '@mantine/core';
import { periods, seriesLabel } from '../../labels/analytics.ts';
import { formatCount, plural } from '../../labels/format.ts';
import type { Analytics } from '../../queries/records.ts';

/** Attempts and their outcomes by hour or day; for screen readers the same as a table. */
export const TimeSeries = ({ analytics: { series, period, totals } }: { analytics: Analytics }) => {
  const points = series.map((point) => ({ ...point, label: seriesLabel(point.at, period) }));
  return (
    <>
      <AreaChart
        h={280}
        data={points}
        dataKey="label"
        withLegend
        withDots={false}
        curveType="linear"
        valueFormatter={formatCount}
        yAxisProps={{ allowDecimals: false, width: 40 }}
        xAxisProps={{ minTickGap: 24 }}
        accessibilityLayer={false}
        role="img"
        aria-label={`${plural(totals.attempts, 'attempt')}, ${formatCount(totals.verified)} verified and ${formatCount(totals.blocked)} blocked in ${periods[period] ?? period}. A table with all numbers follows.`}
        series={[
          { name: 'attempts', label: 'Attempts', color: 'tide.5' },
          { name: 'verified', label: 'Verified', color: 'green.6' },
          { name: 'blocked', label: 'Blocked', color: 'red.6', strokeDasharray: '5 5' },
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
